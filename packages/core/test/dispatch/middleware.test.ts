import { describe, expect, it } from "vitest";
import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  ProtocolError,
  ToolError,
  type Call,
  type Middleware,
  type Server,
} from "../../src/index.ts";
import { openLine } from "../../src/testing.ts";
import { LEGACY, REVISIONS } from "../revisions.ts";

const createWith = (...middleware: readonly Middleware[]): Server =>
  createServer({
    name: "s",
    version: "1",
    middleware,
    tools: [
      defineTool({ name: "plain", description: "…", input: { type: "object" }, run: () => "ran" }),
      defineTool({ name: "late", description: "…", run: async () => "ran late" }),
      defineTool({
        name: "broken",
        description: "…",
        run() {
          throw new ToolError("for the model");
        },
      }),
    ],
    resources: [defineResource({ uri: "mem://a", name: "a", read: () => "x" })],
    templates: [defineResourceTemplate({ uriTemplate: "mem://u/{id}", name: "u", read: ({ id }) => id })],
    prompts: [definePrompt({ name: "p", arguments: { who: {} }, render: () => "x" })],
  });

describe.each(REVISIONS)("middleware in %s", (revision) => {
  it("wraps calls from the first to the last and back", async () => {
    const log: string[] = [];
    const layer =
      (name: string): Middleware =>
      async (call, next) => {
        log.push(`${name} in`);
        const result = await next(call);
        log.push(`${name} out`);
        return result;
      };
    const line = await openLine(createWith(layer("a"), layer("b"), layer("c")), { revision });
    log.length = 0;
    await line.request("tools/call", { name: "plain" });
    expect(log).toEqual(["a in", "b in", "c in", "c out", "b out", "a out"]);
  });

  it("sees method, name, arguments, target and context", async () => {
    const calls: Call[] = [];
    const watch: Middleware = (call, next) => (calls.push(call), next(call));
    const line = await openLine(createWith(watch), { revision });
    await line.request("tools/call", { name: "plain", arguments: { a: 1 } });
    await line.request("tools/call", { name: "unknown" });
    await line.request("prompts/get", { name: "p", arguments: { who: "Ada" } });
    await line.request("resources/read", { uri: "mem://a" });
    await line.request("resources/read", { uri: "mem://u/7" });
    await line.request("tools/list");
    expect(
      calls.map(({ method, name, arguments: args, target }) => [method, name, args, target?.kind]),
    ).toEqual([
      ["tools/call", "plain", { a: 1 }, "tool"],
      ["tools/call", "unknown", {}, undefined],
      ["prompts/get", "p", { who: "Ada" }, "prompt"],
      ["resources/read", "mem://a", undefined, "resource"],
      ["resources/read", "mem://u/7", undefined, "template"],
      ["tools/list", undefined, undefined, undefined],
    ]);
    expect(calls.every(({ context }) => context.client.revision === revision)).toBe(true);
    expect(calls[4]?.target).toMatchObject({ variables: { id: "7" } });
  });

  it("can change what goes in and what comes out", async () => {
    const change: Middleware = async (call, next) => {
      const result = await next({ ...call, arguments: {} });
      return { ...result, _meta: { "a.b/c": call.method } };
    };
    const line = await openLine(createWith(change), { revision });
    const answer = await line.request("tools/call", { name: "plain" });
    expect(answer).toMatchObject({
      result: { content: [{ text: "ran" }], _meta: { "a.b/c": "tools/call" } },
    });
  });

  it("can answer itself, at once", async () => {
    const answer: Middleware = () => ({ content: [{ type: "text", text: "cached" }] });
    const line = await openLine(createWith(answer), { revision });
    const response = await line.request("tools/call", { name: "late" });
    expect(response).toMatchObject({ result: { content: [{ text: "cached" }] } });
  });

  it("can refuse, with words or without", async () => {
    const refuse: Middleware = (call, next) => {
      if (call.name === "plain") throw new ProtocolError(-32001, "Not you");
      if (call.name === "late") throw new Error("secret reason");
      return next(call);
    };
    const line = await openLine(createWith(refuse), { revision });
    const words = await line.request("tools/call", { name: "plain" });
    expect(words).toMatchObject({ error: { code: -32001, message: "Not you" } });
    const none = await line.request("tools/call", { name: "late" });
    expect(none).toMatchObject({ error: { code: -32603, message: "Internal error" } });
  });

  it("sees errors of the protocol thrown and those of tools returned", async () => {
    const seen: unknown[] = [];
    const watch: Middleware = async (call, next) => {
      try {
        const result = await next(call);
        seen.push(result["isError"]);
        return result;
      } catch (thrown) {
        seen.push((thrown as ProtocolError).code);
        throw thrown;
      }
    };
    const line = await openLine(createWith(watch), { revision });
    await line.request("tools/call", { name: "broken" });
    await line.request("tools/call", { name: "unknown" });
    await line.request("resources/read", { uri: "none://" });
    expect(seen).toEqual([true, -32602, -32002]);
  });
});

describe.each(LEGACY)("middleware in %s", (revision) => {
  it("wraps what the session answers itself, too", async () => {
    const methods: string[] = [];
    const watch: Middleware = (call, next) => (methods.push(call.method), next(call));
    const line = await openLine(createWith(watch), { revision });
    await line.request("ping");
    await line.request("logging/setLevel", { level: "error" });
    expect(methods).toEqual(["ping", "logging/setLevel"]);
  });
});

describe("methods that are none", () => {
  it("include those of groups the server does not have", async () => {
    const line = await openLine(createServer({ name: "bare", version: "1" }), { revision: "2025-06-18" });
    for (const method of [
      "tools/list",
      "tools/call",
      "resources/list",
      "resources/read",
      "resources/subscribe",
      "prompts/get",
    ]) {
      expect(await line.request(method, { uri: "a://b", name: "x" })).toMatchObject({
        error: { code: -32601 },
      });
    }
  });
});
