import * as fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  type Server,
} from "../../src/index.ts";
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

const createGit = (): Server =>
  createServer({
    name: "git",
    version: "1",
    prompts: [
      definePrompt({
        name: "review",
        arguments: {
          branch: { required: true, complete: ["main"] },
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
        complete: { path: ["a.ts"] },
        read: () => "text",
      }),
    ],
  });

describe("completion/complete", () => {
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

  const params = { ref: { type: "ref/prompt", name: "review" }, argument: { name: "note", value: "" } };

  it("is refused when asked faster than anybody types", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const line = await openLine(createGit(), { revision: MODERN });
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
