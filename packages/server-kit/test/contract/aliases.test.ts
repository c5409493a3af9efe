import { expect, it } from "vitest";

import { withOwnNames } from "../../src/contract/aliases.ts";

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
