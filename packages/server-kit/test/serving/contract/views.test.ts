import { connectInMemory, openLine } from "@suite/core/testing";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";

import type { ContractSettings } from "../../../src/serving/contract/settings.ts";
import { defineFor, type ToolDefinition } from "../../../src/serving/contract/tool.ts";
import { untrusted } from "../../../src/domain/text/fence.ts";
import { fitItems } from "../../../src/domain/paging/fit-items.ts";
import { callOn, errorOf, LAST_LEGACY, serverOf, textOf } from "./sample.ts";

const { defineTool } = defineFor<unknown>();

const facts = { title: "…", description: "…", affects: "pages" };

/** A page of lines from outside. */
const look = defineTool({
  ...facts,
  name: "look",
  effects: "read",
  openWorld: true,
  aliases: { lines: ["count"] },
  untrusted: ["lines[].text", "heading"],
  input: schema(
    v.strictObject({
      lines: v.array(v.string()),
      max_bytes: v.optional(v.number()),
      heading: v.optional(v.string()),
    }),
  ),
  output: schema(
    v.object({
      heading: v.exactOptional(v.string()),
      lines: v.array(v.object({ text: v.string() })),
      truncated: v.boolean(),
    }),
  ),
  run({ lines, heading }, { budget }) {
    const { items, rest } = fitItems(
      lines.map((text) => ({ text })),
      budget,
    );
    return { ...(heading !== undefined && { heading }), lines: [...items], truncated: rest.length > 0 };
  },
  text: ({ lines }) => [
    `${lines.length} lines`,
    ...(lines.length === 0 ? [] : [untrusted(lines.map(({ text }) => text).join("\n"))]),
  ],
  note: ({ truncated, lines }) => (truncated ? `Truncated. Continue after line ${lines.length}.` : undefined),
});

const put = defineTool({
  ...facts,
  name: "put",
  effects: "write",
  input: schema(v.strictObject({ name: v.string(), dry_run: v.optional(v.boolean()) })),
  output: schema(v.object({ bytes: v.number(), changed: v.array(v.string()) })),
  run: ({ name }) => ({ bytes: name.length, changed: [name] }),
  text: ({ bytes }, { dry_run: isDryRun }) => `${bytes} bytes ${isDryRun ? "would be written" : "written"}.`,
  note: ({ bytes }) => [
    bytes > 5 && "That is long.",
    bytes > 9 ? "Longer than most." : undefined,
    bytes > 20 && "Too long.",
  ],
});

const open = (tools: readonly ToolDefinition[], contract: Partial<ContractSettings> = {}) =>
  openLine(serverOf(tools, contract), { revision: LAST_LEGACY });

const jsonOf = ({ structuredContent }: { structuredContent?: unknown }): string =>
  JSON.stringify(structuredContent);

describe("both views of a result", () => {
  it("say what is from outside", async () => {
    const result = await callOn(await open([look]), { lines: ["one\u202E", "two"] }, {}, { name: "look" });
    expect(jsonOf(result)).toBe(
      '{"untrusted":["lines[].text"],"lines":[{"text":"one\\\\u{202E}"},{"text":"two"}],"truncated":false}',
    );
    expect(textOf(result)).toMatch(/^2 lines\n<(untrusted-[a-z2-7]{8})>\none\\u\{202E\}\ntwo\n<\/\1>$/);
  });

  it("name only fields that are there and hold something", async () => {
    const line = await open([look]);
    const name = { name: "look" };
    expect(jsonOf(await callOn(line, { lines: [] }, {}, name))).toBe('{"lines":[],"truncated":false}');
    const both = await callOn(line, { lines: ["", "x"], heading: "y" }, {}, name);
    expect(both.structuredContent).toMatchObject({ untrusted: ["lines[].text", "heading"] });
    const empty = await callOn(line, { lines: [""], heading: "" }, {}, name);
    expect(empty.structuredContent).not.toHaveProperty("untrusted");
  });

  it("have the note: first in one, last in the other", async () => {
    const result = await callOn(await open([put]), { name: "long name" }, {}, { name: "put" });
    expect(jsonOf(result)).toBe('{"note":"That is long.","bytes":9,"changed":["long name"]}');
    expect(textOf(result)).toBe("9 bytes written.\nThat is long.");
    const longer = await callOn(await open([put]), { name: "longer name" }, {}, { name: "put" });
    expect(textOf(longer)).toBe("11 bytes written.\nThat is long. Longer than most.");
    const short = await callOn(await open([put]), { name: "a" }, {}, { name: "put" });
    expect(jsonOf(short)).toBe('{"bytes":1,"changed":["a"]}');
  });

  it("claim nothing that a dry run did not do", async () => {
    const line = await open([put]);
    const short = await callOn(line, { name: "a", dry_run: true }, {}, { name: "put" });
    expect(jsonOf(short)).toBe(
      '{"note":"Dry run: nothing was changed.","dry_run":true,"bytes":1,"would_change":["a"]}',
    );
    expect(textOf(short)).toBe("1 bytes would be written.\nDry run: nothing was changed.");
    const long = await callOn(line, { name: "long name", dry_run: true }, {}, { name: "put" });
    expect(textOf(long)).toMatch(/\nDry run: nothing was changed\. That is long\.$/);
  });

  it("are checked against what the tool promised", async () => {
    const reported: unknown[] = [];
    const broken = { ...put, run: () => ({ changed: ["a"] }) };
    const line = await open([broken], { report: (thrown) => void reported.push(thrown) });
    const result = await callOn(line, { name: "a", dry_run: true }, {}, { name: "put" });
    expect(errorOf(result)).toMatchObject({ code: "internal" });
    expect(String(reported[0])).toContain("returned a result that does not match its output schema");
  });

  it("are trusted where the server says so, except by who checks results", async () => {
    const call = async (result: object, checkResults: boolean) => {
      const tool = { ...put, run: () => result };
      const server = serverOf([tool], { checkResults }, { checksResults: false });
      const line = await openLine(server, { revision: LAST_LEGACY });
      return callOn(line, { name: "a" }, {}, { name: "put" });
    };
    const right = { changed: ["a"], bytes: 1 };
    expect(jsonOf(await call(right, false))).toBe(JSON.stringify(right));
    expect(jsonOf(await call(right, true))).toBe(JSON.stringify(right));
    for (const wrong of [{ changed: ["a"] }, { ...right, more: 1 }]) {
      expect(jsonOf(await call(wrong, false))).toBe(JSON.stringify(wrong));
      expect(errorOf(await call(wrong, true))).toMatchObject({ code: "internal" });
    }
  });
});

describe("the schema of results", () => {
  it("has what the kit adds, and asks for `changed` only where something changed", async () => {
    const client = await connectInMemory(serverOf([look, put]));
    const [looked, written] = (await client.listTools()).map(({ outputSchema }) => outputSchema);
    expect(looked).toMatchObject({
      properties: { note: { type: "string" }, untrusted: { type: "array", items: { type: "string" } } },
      required: ["lines", "truncated"],
    });
    expect(written).toMatchObject({
      properties: {
        note: { type: "string" },
        dry_run: { type: "boolean" },
        changed: { type: "array" },
        would_change: { type: "array", items: { type: "string" } },
      },
      required: ["bytes"],
    });
  });
});

describe("the budget", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => `line ${at} \u001b`);
  const name = { name: "look" };

  it.each([
    ["40,000 characters", {}, {}, 40_000],
    ["what the call asks for", { max_bytes: 2000 }, {}, 2000],
    ["more where the call asks for it", { max_bytes: 100_000 }, {}, 100_000],
    ["never more than the operator's most", { max_bytes: 100_000 }, { maxResult: 50_000 }, 50_000],
    ["the operator's most if that is less", {}, { maxResult: 3000 }, 3000],
  ])("is %s, in each view", async (_, args, contract, most) => {
    const result = await callOn(await open([look], contract), { lines: many, ...args }, {}, name);
    expect(result.structuredContent).toMatchObject({ truncated: true });
    for (const view of [jsonOf(result), textOf(result)]) expect(view.length).toBeLessThanOrEqual(most);
    expect(jsonOf(result).length).toBeGreaterThan(most / 3);
    expect(textOf(result)).toContain("Truncated. Continue after line ");
  });

  const huge = "x".repeat(39_990);

  it.each([
    ["text", { text: () => huge + huge }],
    ["structured content", { run: () => ({ lines: [{ text: huge }, { text: huge }], truncated: false }) }],
    ["escapes", { run: () => ({ lines: [{ text: "\u0007".repeat(7000) }], truncated: false }) }],
  ])("is kept for a tool that does not keep to it: %s", async (_, mistake) => {
    const reported: unknown[] = [];
    const report = (thrown: unknown): void => void reported.push(thrown);
    const line = await open([{ ...look, ...mistake }], { report });
    const result = await callOn(line, { lines: [] }, {}, name);
    expect(errorOf(result)).toMatchObject({
      code: "too_large",
      hint: expect.stringContaining("max_bytes") as string,
    });
    expect(String(reported)).toMatch(/The result of look has \d+ characters, more than 40000/);
  });

  it("does not keep back what a write has done, and reports it", async () => {
    const reported: unknown[] = [];
    const line = await open([{ ...put, text: () => huge + huge }], {
      report: (thrown) => void reported.push(thrown),
    });
    expect(textOf(await callOn(line, { name: "a" }, {}, { name: "put" }))).toBe(huge + huge);
    expect(reported).toHaveLength(1);
  });
});

it("a tool that fences text and declares no field of it as untrusted is refused", async () => {
  const reported: unknown[] = [];
  const { untrusted: _, ...careless } = look;
  const line = await open([careless], { report: (thrown) => void reported.push(thrown) });
  const result = await callOn(line, { lines: ["x"] }, {}, { name: "look" });
  expect(errorOf(result)).toMatchObject({ code: "internal" });
  expect(String(reported[0])).toContain("look fences text from outside, and declares no field");
});

it("--results structured says where to look where a text has no line of its own", async () => {
  const unheaded = { ...look, text: () => untrusted("a\nb") };
  const line = await open([unheaded], { results: "structured" });
  const result = await callOn(line, { lines: ["a"] }, {}, { name: "look" });
  expect(textOf(result)).toBe("The result is in structuredContent.");
});
