import type { Params } from "@suite/core";
import { openLine } from "@suite/core/testing";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it, vi } from "vitest";

import { defineFor } from "../../../src/serving/contract/tool.ts";
import { describeSchema } from "../../../src/serving/contract/argument-errors.ts";
import { suggest } from "../../../src/domain/errors/suggest.ts";
import { callOn, errorOf, LAST_LEGACY, REVISIONS, serverOf, textOf, toolThat } from "./sample.ts";

vi.mock(import("../../../src/domain/errors/suggest.ts"), { spy: true });

const { defineTool } = defineFor<unknown>();

/** As an author says what a schema cannot. */
const saying = (message: string) =>
  v.pipe(
    v.any(),
    v.rawTransform(({ addIssue, NEVER }) => {
      addIssue({ message });
      return NEVER;
    }),
  );

const edit = defineTool({
  name: "edit",
  title: "…",
  description: "…",
  affects: "files",
  effects: "write",
  aliases: { path: ["file_path"], limit: ["head"] },
  argumentHints: {
    overwrite: "leave it out: a file is always replaced.",
    content: "use clear for an empty file.",
  },
  input: schema(
    v.strictObject({
      path: v.pipe(v.string(), v.minLength(1)),
      content: v.string(),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      sort: v.optional(v.picklist(["name", "size", "modified"])),
      paths: v.optional(v.union([v.string(), v.array(v.string())])),
      edits: v.optional(v.array(v.strictObject({ oldText: v.string(), newText: v.optional(v.string()) }))),
      when: v.optional(saying("must end with Z")),
      odd: v.optional(saying("Even numbers do not fit")),
      dry_run: v.optional(v.boolean()),
    }),
  ),
  output: schema(v.object({ changed: v.array(v.string()) })),
  run: () => expect.unreachable(),
  text: () => "",
});

async function refuse(args: object) {
  const line = await openLine(serverOf([edit]), { revision: LAST_LEGACY });
  const result = await callOn(line, args as Record<string, unknown>, {}, { name: "edit" });
  expect(errorOf(result)).toMatchObject({ code: "invalid_input", retryable: false });
  const [heading, ...lines] = textOf(result).split("\n");
  expect(heading).toBe("Invalid arguments for edit:");
  return { lines: lines.map((text) => text.replace(/^- /, "")), hint: errorOf(result)?.hint };
}

const good = { path: "a", content: "b" };

describe("arguments that are refused", () => {
  it("are all named at once: missing, wrong and unknown ones", async () => {
    const { lines, hint } = await refuse({
      limit: "x",
      sort: "date",
      zebra: 1,
      dry_rum: true,
      filename: "a",
    });
    expect(lines).toEqual([
      "Missing: path, content.",
      'limit must be a whole number of at least 1, not "x".',
      'sort must be "name", "size" or "modified", not "date".',
      "zebra is unknown.",
      "dry_rum: did you mean dry_run?",
      "filename: this tool calls it path.",
      "It takes path, content, limit, sort, paths, edits, when, odd, dry_run.",
    ]);
    expect(hint).toBe(lines.slice(3).join(" "));
  });

  it("that are missing come with the tool's advice", async () => {
    const { lines, hint } = await refuse({ path: "a" });
    expect(lines).toEqual(["Missing: content.", "content: use clear for an empty file."]);
    expect(hint).toBe(lines[1]);
  });

  it.each([
    ["a wrong type", { content: 7 }, "content must be a string, not 7."],
    ["too small", { limit: 0 }, "limit must be a whole number of at least 1, not 0."],
    ["empty", { path: "" }, 'path must be a string that is not empty, not "".'],
    ["another spelling", { head: 0 }, "limit (head) must be a whole number of at least 1, not 0."],
    ["a list", { content: ["a"] }, "content must be a string, not a list of 1 item."],
    [
      "an alternative",
      { paths: { a: 1 } },
      "paths must be a string or a list (each a string), not an object.",
    ],
    ["words of the author's", { when: "now" }, "when must end with Z"],
    ["other words of the author's", { odd: 2 }, "odd: Even numbers do not fit"],
    ["both spellings", { file_path: "b" }, "file_path: this tool calls it path."],
    ["a hidden character", { "pa\u200Bth": 1 }, '"pa\\u{200B}th": did you mean path?'],
  ])("say in plain words what is wrong: %s", async (_, args, words) => {
    expect((await refuse({ ...good, ...args })).lines).toEqual([words]);
  });

  it("come with what to give instead, where the tool knows it", async () => {
    const { lines, hint } = await refuse({ ...good, overwrite: true });
    expect(lines).toEqual(["overwrite: leave it out: a file is always replaced."]);
    expect(hint).toBe(lines[0]);
  });

  it("are named inside lists, once for all items with the same mistake", async () => {
    const edits = [{ old_string: "a" }, { old_string: "b", newText: 1 }, { oldText: "c", old_string: "d" }];
    expect((await refuse({ ...good, edits })).lines).toEqual([
      "Missing: edits[0].oldText.",
      "edits[1].newText must be a string, not 1.",
      "edits[0].old_string: this tool calls it oldText.",
    ]);
    expect((await refuse({ ...good, edits: [{ oldText: "a", x: 1 }] })).lines).toEqual([
      "edits[0].x is unknown.",
      "edits[0] takes oldText, newText.",
    ]);
  });

  it("have an end, however many and however long they are", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`zebra${at}`, at]));
    const { lines, hint } = await refuse({ ...good, ...many, limit: "x".repeat(100_000) });
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe("There is more.");
    expect(`${lines.join("\n")}${hint}`.length).toBeLessThan(3000);
    const long = await refuse({ ...good, ["path".repeat(100_000)]: 1 });
    expect(long.lines.join("\n").length).toBeLessThan(500);
  });

  it("are compared with known names only as far as they are shown", async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`zebra${at}`, at]));
    vi.mocked(suggest).mockClear();
    const { lines } = await refuse({ ...good, ...many });
    expect(lines).toEqual([
      ...Array.from({ length: 10 }, (_, at) => `zebra${at} is unknown.`),
      "There is more.",
    ]);
    expect(vi.mocked(suggest).mock.calls.length).toBeLessThanOrEqual(11);
  });

  it("are refused as they were given, where the tool cannot bring them into its own form", async () => {
    const normalize = (given: Params): Params => ({ ...given, name: (given["name"] as string).trim() });
    const tool = toolThat(() => expect.unreachable(), { normalize });
    const line = await openLine(serverOf([tool]), { revision: LAST_LEGACY });
    expect(textOf(await callOn(line, { name: 7 }))).toBe(
      "Invalid arguments for say:\n- name must be a string, not 7.",
    );
  });

  it.each(REVISIONS)("are refused in the same words in %s, whatever describes them", async (revision) => {
    const line = await openLine(serverOf([toolThat(() => expect.unreachable())]), { revision });
    const result = await callOn(line, { nam: "a", count: "b" });
    expect(textOf(result)).toBe(
      'Invalid arguments for say:\n- count must be a whole number, not "b".\n- nam: did you mean name?',
    );
    expect(errorOf(result)).toEqual({
      code: "invalid_input",
      retryable: false,
      hint: "nam: did you mean name?",
    });
  });
});

it.each([
  [{ type: "integer", minimum: 1, maximum: 9 }, "a whole number from 1 to 9"],
  [{ type: "number", maximum: 9 }, "a number of at most 9"],
  [{ type: "string", minLength: 2, maxLength: 5 }, "a string from 2 to 5 characters"],
  [{ type: "string", pattern: "^a" }, "a string that matches /^a/"],
  [{ type: "boolean" }, "true or false"],
  [{ type: "array", minItems: 1 }, "a list of at least 1 item"],
  [{ anyOf: [{ type: "null" }, { const: 7 }] }, "null or 7"],
  [{ anyOf: [{ type: "null" }, {}] }, undefined],
  [{}, undefined],
])("%j is %s", (given, words) => {
  expect(describeSchema(given)).toBe(words);
});
