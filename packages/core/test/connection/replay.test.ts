import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Context } from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { openLine, type Line } from "../../src/testing.ts";
import { MODERN } from "../revisions.ts";
import { resultOf } from "../transcript.ts";
import { accept, askName, MODERN_CAPABILITIES as capabilities, serverOf } from "./asking.ts";

const open = (run: (context: Context) => unknown): Promise<Line> =>
  openLine(serverOf({ ask: run }), { revision: MODERN, capabilities });

const call = async (line: Line, more: Params = {}): Promise<Params> =>
  resultOf(await line.request("tools/call", { name: "ask", ...more }));

describe("a question", () => {
  it("stops the handler, and its answer runs it again from the top", async () => {
    let runs = 0;
    const line = await open(async (context) => ((runs += 1), `Hello, ${await askName(context, "user")}`));
    const first = await call(line);
    expect(first).toMatchObject({
      resultType: "input_required",
      inputRequests: {
        user: {
          method: "elicitation/create",
          params: {
            mode: "form",
            message: "Who is user?",
            requestedSchema: { type: "object", required: ["name"] },
          },
        },
      },
      requestState: expect.any(String) as string,
    });
    const { requestState } = first;
    const second = await call(line, { requestState, inputResponses: { user: accept({ name: "Ada" }) } });
    expect(second).toMatchObject({ resultType: "complete", content: [{ text: "Hello, Ada" }] });
    expect(runs).toBe(2);
  });

  it("may follow another: earlier answers travel in the state", async () => {
    const line = await open(
      async (context) => `${await askName(context)} ${await askName(context)} ${await askName(context)}`,
    );
    let result = await call(line);
    const keys: string[] = [];
    for (const name of ["a", "b", "c"]) {
      const [key = ""] = Object.keys(result["inputRequests"] as object);
      keys.push(key);
      const { requestState } = result;
      result = await call(line, { requestState, inputResponses: { [key]: accept({ name }) } });
    }
    expect(result).toMatchObject({ content: [{ text: "a b c" }] });
    expect(new Set(keys).size).toBe(3);
  });

  it("goes out with those asked beside it", async () => {
    const line = await open(async (context) => {
      const [name, model, roots] = await Promise.all([
        askName(context, "name"),
        context.sample({ messages: [], maxTokens: 1 }, { key: "model" }),
        context.roots({ key: "roots" }),
      ]);
      return `${name} ${model.model} ${roots.length}`;
    });
    const { inputRequests, requestState } = await call(line);
    expect(
      Object.entries(inputRequests as Record<string, Params>).map(([key, { method }]) => [key, method]),
    ).toEqual([
      ["name", "elicitation/create"],
      ["model", "sampling/createMessage"],
      ["roots", "roots/list"],
    ]);
    const half = await call(line, {
      requestState,
      inputResponses: { name: accept({ name: "Ada" }), roots: { roots: [] } },
    });
    expect(Object.keys(half["inputRequests"] as object)).toEqual(["model"]);
    const answer = { role: "assistant", model: "m1", content: { type: "text", text: "x" } };
    const whole = await call(line, { requestState: half["requestState"], inputResponses: { model: answer } });
    expect(whole).toMatchObject({ content: [{ text: "Ada m1 0" }] });
  });

  it.each([
    ["a wrong key", { other: accept({ name: "Ada" }) }],
    ["a number", { user: 7 }],
    ["null", { user: null }],
    ["an unknown action", { user: { action: "shrug" } }],
    ["content that the form forbids", { user: accept({ name: 7 }) }],
    ["no content", { user: { action: "accept" } }],
    ["an answer to something else", { user: { roots: [] } }],
  ])("is asked again when answered with %s", async (_what, inputResponses) => {
    const line = await open((context) => askName(context, "user"));
    const { requestState } = await call(line);
    const again = await call(line, { requestState, inputResponses });
    expect(again).toMatchObject({
      resultType: "input_required",
      inputRequests: { user: { method: "elicitation/create" } },
    });
    const { requestState: next } = again;
    const done = await call(line, { requestState: next, inputResponses: { user: accept({ name: "Ada" }) } });
    expect(done).toMatchObject({ content: [{ text: "Ada" }] });
  });

  it.each(["decline", "cancel"])("may be answered with %s", async (action) => {
    const line = await open((context) => askName(context, "user"));
    const { requestState } = await call(line);
    const done = await call(line, {
      requestState,
      inputResponses: { user: { action }, extra: "is ignored" },
    });
    expect(done).toMatchObject({ content: [{ text: action }] });
  });

  it("may be answered before it was asked, by a client that carries no state", async () => {
    const line = await open((context) => askName(context, "user"));
    const done = await call(line, { inputResponses: { user: accept({ name: "Ada" }) } });
    expect(done).toMatchObject({ content: [{ text: "Ada" }] });
  });

  it("is not answered by the answer to another one of the same name", async () => {
    let files = 3;
    const line = await open(async ({ elicit }) => {
      const schema = {
        type: "object",
        properties: { sure: { type: "boolean" } },
        required: ["sure"],
      } as const;
      const { action } = await elicit({ message: `Delete ${files} files?`, schema }, { key: "sure" });
      return `${action} ${files}`;
    });
    const { requestState } = await call(line);
    files = 3000;
    const again = await call(line, { requestState, inputResponses: { sure: accept({ sure: true }) } });
    expect(again).toMatchObject({
      resultType: "input_required",
      inputRequests: { sure: { params: { message: "Delete 3000 files?" } } },
    });
    const later = { requestState: again["requestState"], inputResponses: { sure: accept({ sure: true }) } };
    expect(await call(line, later)).toMatchObject({ content: [{ text: "accept 3000" }] });
  });

  it("is told from another one with the same key", async () => {
    const line = await open(async (context) => {
      const names = await Promise.all([askName(context, "user"), askName(context, "user")]);
      return names.join(" ");
    });
    const { requestState, inputRequests } = await call(line);
    expect(Object.keys(inputRequests as object)).toEqual(["user", "user#2"]);
    const inputResponses = { user: accept({ name: "Ada" }), "user#2": accept({ name: "Bob" }) };
    expect(await call(line, { requestState, inputResponses })).toMatchObject({
      content: [{ text: "Ada Bob" }],
    });
  });

  it("may be asked before another is waited for", async () => {
    const schema = { type: "object", properties: {} } as const;
    const line = await open(async ({ elicit }) => {
      const [one, two] = ["one", "two"].map((key) => elicit({ message: key, schema }, { key }));
      return `${(await one)?.action} ${(await two)?.action}`;
    });
    const { inputRequests } = await call(line);
    expect(Object.keys(inputRequests as object)).toEqual(["one", "two"]);
  });

  it("keeps its place among others, however long it is", async () => {
    const line = await open(async ({ elicit }) => {
      const messages = ["x".repeat(20_000_000), "short", "shorter"];
      await Promise.all(
        messages.map((message, at) => elicit({ message, schema: z.object({}) }, { key: `q${at}` })),
      );
    });
    expect(Object.keys((await call(line))["inputRequests"] as object)).toEqual(["q0", "q1", "q2"]);
  });

  it("may be named like a member of objects", async () => {
    const line = await open((context) => askName(context, "__proto__"));
    const { requestState } = await call(line);
    const inputResponses = JSON.parse('{"__proto__":{"action":"accept","content":{"name":"Ada"}}}') as Params;
    expect(await call(line, { requestState, inputResponses })).toMatchObject({ content: [{ text: "Ada" }] });
  });
});

describe("a handler that swallows the interruption", () => {
  it.each<[string, (context: Context) => unknown]>([
    ["with a catch", async (context) => askName(context, "user").catch(() => "never mind")],
    [
      "by throwing something else",
      async (context) =>
        askName(context, "user").catch(() => {
          throw new Error("other");
        }),
    ],
    ["by not waiting", (context) => (void askName(context, "user").catch(() => undefined), "at once")],
    [
      "by not waiting, later",
      async (context) => (void askName(context, "user").catch(() => undefined), "later"),
    ],
  ])("still asks: %s", async (_how, run) => {
    const line = await open(run);
    expect(await call(line)).toMatchObject({ resultType: "input_required", inputRequests: { user: {} } });
  });
});

describe("a state that is not the server's", () => {
  it.each<[string, Params]>([
    ["forged", { requestState: "abc" }],
    ["no text", { requestState: 7 }],
    ["null", { requestState: null }],
  ])("is refused before the handler runs: %s", async (_what, params) => {
    let runs = 0;
    const line = await open(() => ((runs += 1), "ran"));
    const response = await line.request("tools/call", { name: "ask", ...params });
    expect(response).toMatchObject({ error: { code: -32602 } });
    expect(runs).toBe(0);
  });

  it("is refused with other arguments than it was made for", async () => {
    const line = await open((context) => askName(context, "user"));
    const { requestState } = await call(line);
    const params = {
      name: "ask",
      arguments: { more: 1 },
      requestState,
      inputResponses: { user: accept({ name: "Eve" }) },
    };
    expect(await line.request("tools/call", params)).toMatchObject({ error: { code: -32602 } });
  });

  it.each([7, [], "x", null])("comes with answers that are an object: %j", async (inputResponses) => {
    const line = await open((context) => askName(context, "user"));
    const response = await line.request("tools/call", { name: "ask", inputResponses });
    expect(response).toMatchObject({ error: { code: -32602, message: "inputResponses must be an object" } });
  });
});
