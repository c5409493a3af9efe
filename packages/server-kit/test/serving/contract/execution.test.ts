import { Reply, type Params } from "@suite/core";
import { openLine, type Line } from "@suite/core/testing";
import { describe, expect, it } from "vitest";

import type { ContractSettings } from "../../../src/serving/contract/settings.ts";
import { untrusted } from "../../../src/domain/text/fence.ts";
import {
  callOn,
  errorOf,
  Gate,
  LAST_LEGACY,
  LEGACY,
  MODERN,
  type Run,
  serverOf,
  textOf,
  toolThat,
} from "./sample.ts";

const open = (
  run: Run,
  facts: Parameters<typeof toolThat>[1] = {},
  contract: Partial<ContractSettings> = {},
  revision: string = LAST_LEGACY,
): Promise<Line> => openLine(serverOf([toolThat(run, facts)], contract), { revision });

const echo: Run = ({ name = "" }) => ({ said: name });

describe("what the model reads", () => {
  it("is all texts together, then everything else", async () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
    const line = await open(echo, { text: ({ said }) => ["first", image, said] });
    expect((await callOn(line, { name: "last" })).content).toEqual([
      { type: "text", text: "first\nlast" },
      image,
    ]);
  });

  it("may be nothing but blocks", async () => {
    const link = { type: "resource_link", uri: "note://1", name: "note" } as const;
    const line = await open(echo, { text: () => link });
    expect((await callOn(line)).content).toEqual([link]);
  });

  it("is fenced where it came from outside, and so is nothing hidden in the structured result", async () => {
    const line = await open(echo, {
      text: ({ said }) => ["Found:", untrusted(said, "a page")],
      untrusted: ["said"],
    });
    const result = await callOn(line, { name: "ignore\u202E all" });
    const [, tag, body] =
      /^Found:\n<(untrusted-[a-z2-7]{8}) source="a page">\n(.*)\n<\/\1>$/.exec(textOf(result)) ?? [];
    expect({ tag, body }).toEqual({ tag: expect.any(String) as string, body: "ignore\\u{202E} all" });
    expect(result.structuredContent).toEqual({ untrusted: ["said"], said: "ignore\\u{202E} all" });
    expect(textOf(await callOn(line, { name: "x" }))).not.toContain(tag);
  });

  it("is left as it is where all of it is the server's own", async () => {
    const line = await open(() => ({ said: "a\u200Bb", list: [{ "c\u200Bd": 1 }] }));
    expect((await callOn(line)).structuredContent).toEqual({ said: "a\u200Bb", list: [{ "c\u200Bd": 1 }] });
    const tainted = await open(() => ({ said: "a\u200Bb", list: [{ "c\u200Bd": null }, true] }), {
      text: ({ said }) => untrusted(said, "…"),
      untrusted: ["said", "list"],
    });
    expect((await callOn(tainted)).structuredContent).toEqual({
      untrusted: ["said", "list"],
      said: "a\\u{200B}b",
      list: [{ "c\\u{200B}d": null }, true],
    });
  });

  it("may be a whole reply of the tool's own", async () => {
    const line = await open(() => new Reply({ structured: { said: "x" }, content: "mine", meta: { a: 1 } }));
    expect(await callOn(line)).toEqual({
      content: [{ type: "text", text: "mine" }],
      structuredContent: { said: "x" },
      _meta: { a: 1 },
    });
  });

  it.each(["sync", "async"])("cannot be made if that fails: an internal error (%s)", async (kind) => {
    const reported: unknown[] = [];
    const run: Run = kind === "sync" ? echo : async (...args) => echo(...args);
    const text = (): never => {
      throw new TypeError("undefined is not a function");
    };
    const line = await open(run, { text }, { report: (thrown) => void reported.push(thrown) });
    const result = await callOn(line);
    expect(errorOf(result)).toEqual({ code: "internal", retryable: false });
    expect(textOf(result)).not.toContain("undefined");
    expect(reported).toEqual([expect.any(TypeError)]);
  });
});

describe("calls with a target in common", () => {
  it("run one after the other, others at once", async () => {
    const events: string[] = [];
    const gates: { readonly [name: string]: Gate } = { a: new Gate(), b: new Gate() };
    const run: Run = async ({ name = "", count }) => {
      events.push(`${name}${count} starts`);
      await gates[name]?.opened;
      events.push(`${name}${count} ends`);
      return { said: "" };
    };
    const line = await open(run, { effects: "write", targets: ({ name = "" }) => [name] });
    const calls = [
      callOn(line, { name: "a", count: 1 }),
      callOn(line, { name: "a", count: 2 }),
      callOn(line, { name: "b", count: 1 }),
    ];
    gates["b"]?.open();
    await calls[2];
    expect(events).toEqual(["a1 starts", "b1 starts", "b1 ends"]);
    gates["a"]?.open();
    await Promise.all(calls);
    expect(events.slice(3)).toEqual(["a1 ends", "a2 starts", "a2 ends"]);
  });

  it("do not wait beyond their deadline, and nothing happens then", async () => {
    const gate = new Gate();
    const runs: unknown[] = [];
    const run: Run = async ({ name }) => {
      runs.push(name);
      await gate.opened;
      return { said: "done" };
    };
    const line = await open(run, { effects: "write", targets: () => ["it"] });
    const first = callOn(line, { name: "first" });
    const second = await callOn(line, { name: "second" }, { "dev.suite/timeoutMs": 20 });
    expect(errorOf(second)?.code).toBe("timeout");
    gate.open();
    expect(textOf(await first)).toBe("done");
    expect(textOf(await callOn(line, { name: "third" }))).toBe("done");
    expect(runs).toEqual(["first", "third"]);
  });
});

describe("a tool that asks in vain", () => {
  const ask: Run = async (_, { sample }) => ({ said: (await sample({ messages: [], maxTokens: 1 })).model });

  it.each(LEGACY)("has failed for want of support, in %s", async (revision) => {
    const reported: unknown[] = [];
    const line = await open(ask, {}, { report: (thrown) => void reported.push(thrown) }, revision);
    const result = await callOn(line);
    expect(errorOf(result)).toMatchObject({ code: "unsupported", retryable: false });
    expect(textOf(result)).toContain("sampling");
    expect(reported).toEqual([]);
  });

  it("has the protocol say so, in the modern era", async () => {
    const line = await open(ask, {}, {}, MODERN);
    const response = await line.request("tools/call", { name: "say" });
    expect(response).toMatchObject({ error: { code: -32021 } });
  });
});

it("several questions at once go out together, and nothing is left unhandled", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const run: Run = async (_, { roots, sample }) => {
    const [first, second] = [roots(), sample({ messages: [], maxTokens: 1 })];
    return { said: `${(await first).length} ${(await second).model}` };
  };
  const capabilities = { roots: {}, sampling: {} };
  const line = await openLine(serverOf([toolThat(run)]), { revision: MODERN, capabilities });
  const { inputRequests } = await callOn(line);
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("unhandledRejection", note);
  expect(Object.values(inputRequests as Record<string, Params>).map(({ method }) => method)).toEqual([
    "roots/list",
    "sampling/createMessage",
  ]);
  expect(unhandled).toEqual([]);
});

describe("the log", () => {
  const logOf = async (
    facts: Parameters<typeof toolThat>[1],
    changed: readonly string[],
  ): Promise<unknown[]> => {
    const line = await open(() => ({ said: "done", changed, undo: "u1" }), facts);
    await callOn(line);
    return line.transcript
      .split("\n")
      .filter((said) => said.includes('"notifications/message"'))
      .map((said) => (JSON.parse(said.slice(2)) as { params: unknown }).params);
  };

  it("has what a tool changed", async () => {
    const many = Array.from({ length: 30 }, (_, index) => `note:${index}`);
    expect(await logOf({ effects: "write" }, many)).toMatchObject([
      {
        level: "info",
        data: { event: "changed", tool: "say", changed: many.slice(0, 20), total: 30, undo: "u1" },
      },
    ]);
  });

  it("has nothing of what only reads, or changes nothing", async () => {
    expect(await logOf({}, ["x"])).toEqual([]);
    expect(await logOf({ effects: "write" }, [])).toEqual([]);
  });
});
