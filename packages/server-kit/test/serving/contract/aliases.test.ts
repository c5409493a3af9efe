import { expect, it } from "vitest";

import {
  findChoices,
  withCamelCase,
  withOwnCase,
  withOwnNames,
} from "../../../src/serving/contract/aliases.ts";

const aliases = {
  path: ["file_path", "filename"],
  "edits[].oldText": ["old_string"],
  "range.start": ["from"],
};

it.each([
  ["at the top", { file_path: "a", limit: 1 }, { path: "a", limit: 1 }],
  [
    "inside lists",
    { edits: [{ old_string: "x" }, { oldText: "y" }] },
    { edits: [{ oldText: "x" }, { oldText: "y" }] },
  ],
  ["inside objects", { range: { from: 1 } }, { range: { start: 1 } }],
])("other spellings are taken: %s", (_, given, expected) => {
  expect(withOwnNames(given, aliases)).toEqual(expected);
});

it.each([
  ["nothing to rename", { path: "a", edits: [{ oldText: "x" }] }],
  ["both spellings, which validation refuses", { path: "a", file_path: "b" }],
  ["another shape than expected", { edits: { old_string: "x" }, range: [1] }],
  ["items of another kind", { edits: ["old_string", null] }],
])("arguments are left as they are: %s", (_, given) => {
  expect(withOwnNames(given, aliases)).toBe(given);
});

it("names are also known in camel case, unless that is another argument", () => {
  const properties = { dry_run: {}, a_b: {}, aB: {}, path: {} };
  expect(withCamelCase({ properties }, { dry_run: ["simulate"], path: ["file"] })).toEqual({
    dry_run: ["simulate", "dryRun"],
    path: ["file"],
  });
});

const choices = findChoices({
  type: "object",
  properties: {
    state: { enum: ["open", "closed"] },
    event: { enum: ["APPROVE"] },
    unit: { enum: ["mb", "MB"] },
    name: { type: "string" },
    fields: { type: "array", items: { enum: ["title", "body"] } },
    comments: { type: "array", items: { type: "object", properties: { side: { enum: ["LEFT", "RIGHT"] } } } },
  },
});

it("a choice is taken in any case", () => {
  expect(withOwnCase({ state: "OPEN", event: "approve", name: "A" }, choices)).toEqual({
    state: "open",
    event: "APPROVE",
    name: "A",
  });
});

it("a choice inside a list is taken in any case", () => {
  const given = { fields: ["Title", "body"], comments: [{ side: "right", line: 1 }, { side: "LEFT" }] };
  expect(withOwnCase(given, choices)).toEqual({
    fields: ["title", "body"],
    comments: [{ side: "RIGHT", line: 1 }, { side: "LEFT" }],
  });
});

it.each([
  { state: "open" },
  { state: "opened" },
  { state: 1 },
  { unit: "Mb" },
  {},
  { comments: [{ side: "up" }, 1], fields: "x" },
])("a choice is left as it is: %j", (given) => {
  expect(withOwnCase(given, choices)).toBe(given);
});

it("looks into no lists of lists, however deep they are", () => {
  const given = JSON.parse(`{"state":${"[".repeat(50_000)}${"]".repeat(50_000)}}`) as { state: unknown };
  expect(withOwnCase(given, choices)).toBe(given);
});
