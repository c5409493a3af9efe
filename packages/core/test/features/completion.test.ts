import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  type Server,
} from "../../src/index.ts";
import type { Params } from "../../src/jsonrpc/message.ts";
import { rank } from "../../src/features/completion.ts";
import { createFetchHandler } from "../../src/serve-http.ts";
import { connectInMemory, openLine } from "../../src/testing.ts";
import type { Authorizer } from "../../src/transport/http/authorization.ts";
import { MODERN } from "../revisions.ts";
import { toModernPost } from "../transport/http/posting.ts";

describe("rank", () => {
  it("puts exact prefixes first, then other case, then inside, then letters in order", () => {
    const candidates = ["beta-mai", "m-a-i", "submain", "MAIN", "other", "main", "mail"];
    expect(rank(candidates, "mai")).toEqual(["main", "mail", "MAIN", "beta-mai", "submain", "m-a-i"]);
  });

  it("gives everything for nothing typed, each once, in the given order", () => {
    expect(rank(["b", "a", "b", "c"], "")).toEqual(["b", "a", "c"]);
  });

  it("finds letters in order only where they are", () => {
    expect(rank(["aba", "ab", "a", "😀é"], "aa")).toEqual(["aba"]);
    expect(rank(["x😀yé"], "😀é")).toEqual(["x😀yé"]);
  });

  it("never invents, never repeats, and always finds what was typed in full", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.nat(), (candidates, at) => {
        const wanted = candidates[at % candidates.length] ?? "";
        const ranked = rank(candidates, wanted);
        expect(ranked.every((one) => candidates.includes(one))).toBe(true);
        expect(new Set(ranked).size).toBe(ranked.length);
        expect(ranked).toContain(wanted);
        expect(ranked[0]?.startsWith(wanted)).toBe(true);
      }),
    );
  });
});

const BRANCHES = Array.from({ length: 150 }, (_, at) => `branch-${at}`);

const createGit = (): Server =>
  createServer({
    name: "git",
    version: "1",
    prompts: [
      definePrompt({
        name: "review",
        arguments: {
          branch: { required: true, complete: BRANCHES },
          file: { complete: ({ value, arguments: known }) => [`${known["branch"]}/${value}.ts`] },
          note: {},
        },
        render: () => "…",
      }),
    ],
    resources: [defineResource({ uri: "git://head", name: "head", read: () => "abc" })],
    templates: [
      defineResourceTemplate({
        uriTemplate: "git://{branch}/{+path}",
        name: "file",
        complete: { path: () => ({ values: BRANCHES, total: 1000 }) },
        read: () => "text",
      }),
    ],
  });

describe("completion/complete", () => {
  it("cuts to a hundred values and says how many there are", async () => {
    const client = await connectInMemory(createGit());
    const found = await client.complete({ prompt: "review" }, { name: "branch", value: "branch-1" });
    expect(found).toMatchObject({ total: 69, hasMore: false });
    const all = await client.complete({ prompt: "review" }, { name: "branch", value: "" });
    expect(all).toEqual({ values: BRANCHES.slice(0, 100), total: 150, hasMore: true });
  });

  it("cuts a finished answer without ranking it", async () => {
    const client = await connectInMemory(createGit());
    const found = await client.complete(
      { template: "git://{branch}/{+path}" },
      { name: "path", value: "zzz" },
    );
    expect(found).toEqual({ values: BRANCHES.slice(0, 100), total: 1000, hasMore: true });
  });

  it("tells the completer what else is known", async () => {
    const line = await openLine(createGit(), { revision: MODERN });
    const params = { ...prompt("review"), ...argument("file", "main") };
    const context = { arguments: { branch: "main" } };
    const response = await line.request("completion/complete", { ...params, context });
    expect(response).toMatchObject({
      result: { completion: { values: ["main/main.ts"], total: 1, hasMore: false } },
    });
  });

  it.each([
    ["an argument without a completer", { prompt: "review" }, "note"],
    ["a variable without a completer", { template: "git://{branch}/{+path}" }, "branch"],
    ["a plain resource", { template: "git://head" }, "anything"],
  ])("gives nothing for %s", async (_what, reference, name) => {
    const client = await connectInMemory(createGit());
    expect(await client.complete(reference, { name, value: "" })).toEqual({
      values: [],
      total: 0,
      hasMore: false,
    });
  });

  const prompt = (name: string): object => ({ ref: { type: "ref/prompt", name } });
  const template = (uri: string): object => ({ ref: { type: "ref/resource", uri } });
  const argument = (name: string, value: unknown = ""): object => ({ argument: { name, value } });

  it.each([
    ["an unknown prompt", { ...prompt("nope"), ...argument("a") }],
    ["an unknown argument", { ...prompt("review"), ...argument("constructor") }],
    ["an unknown template", { ...template("x://{y}"), ...argument("y") }],
    ["an unknown variable", { ...template("git://{branch}/{+path}"), ...argument("x") }],
    ["an unknown kind", { ref: { type: "ref/tool", name: "review" }, ...argument("a") }],
    [
      "a known argument that is no text",
      { ...prompt("review"), ...argument("file"), context: { arguments: { branch: 7 } } },
    ],
    ["no reference", argument("a")],
    ["no argument", prompt("review")],
    ["a value that is no text", { ...prompt("review"), ...argument("branch", 1) }],
  ])("refuses %s with -32602", async (_what, params) => {
    const line = await openLine(createGit(), { revision: MODERN });
    const response = await line.request("completion/complete", params as Params);
    expect(response).toMatchObject({ error: { code: -32602 } });
  });

  it("is no method of a server that completes nothing", async () => {
    const server = createServer({ name: "bare", version: "1", prompts: [] });
    const line = await openLine(server, { revision: MODERN });
    expect(await line.request("completion/complete", {})).toMatchObject({ error: { code: -32601 } });
  });

  it("is refused when asked faster than anybody types", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const line = await openLine(createGit(), { revision: MODERN });
    const params = { ...prompt("review"), ...argument("note") };
    const answers: unknown[] = [];
    for (let count = 0; count < 800; count += 1) answers.push(line.request("completion/complete", params));
    const settled = (await Promise.all(answers)) as { error?: { code: number } }[];
    const refused = settled.filter(({ error }) => error?.code === -32603);
    expect(settled.length - refused.length).toBe(200);
  });

  it("is refused to a caller that asks too fast over HTTP, and to no other", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const authorizer: Authorizer = {
      authorize: async (head) => ({ principal: head.header("authorization") ?? "", scopes: ["read"] }),
      refuseScope: () => ({ status: 403, headers: {}, message: "" }),
      serve: () => false,
    };
    const handle = createFetchHandler(createGit(), { authorizer });
    const params = { ...prompt("review"), ...argument("note") };
    const isAnswered = async (authorization: string): Promise<boolean> => {
      const post = toModernPost("completion/complete", params, { authorization });
      const response = await handle(new Request("http://localhost/mcp", post));
      return "result" in ((await response.json()) as object);
    };
    const answers: boolean[] = [];
    for (let count = 0; count < 250; count += 1) answers.push(await isAnswered("alice"));
    expect(answers.filter(Boolean)).toHaveLength(200);
    expect(await isAnswered("bob")).toBe(true);
  });
});
