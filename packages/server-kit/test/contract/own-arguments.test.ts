import { expect, it } from "vitest";

import { findNonStringTypes, withOwnTypes } from "../../src/contract/own-arguments.ts";

const types = findNonStringTypes(
  {
    type: "object",
    properties: {
      limit: { type: "integer" },
      ratio: { type: "number" },
      deep: { type: "boolean" },
      edits: { type: "array", items: { type: "object" } },
      labels: { type: "object" },
      name: { type: "string" },
      offset: { type: "string" },
      either: { anyOf: [{ type: "string" }, { type: "integer" }] },
      both: { type: ["string", "integer"] },
      any: {},
    },
  },
  { limit: ["max_results", "offset"], name: ["title"] },
);

it.each([
  [{ limit: "3" }, { limit: 3 }],
  [
    { max_results: "3", name: "a" },
    { max_results: 3, name: "a" },
  ],
  [{ ratio: " -0.5" }, { ratio: -0.5 }],
  [{ deep: "false" }, { deep: false }],
  [{ edits: '[{"old":"a"}]' }, { edits: [{ old: "a" }] }],
  [{ labels: '{"a":1}' }, { labels: { a: 1 } }],
])("takes %j for %j", (given, meant) => {
  expect(withOwnTypes(given, types)).toEqual(meant);
});

it.each([
  [{ limit: 3, deep: true, edits: [], labels: {} }],
  [{ limit: "three" }],
  [{ limit: "" }],
  [{ limit: "true" }],
  [{ deep: "1" }],
  [{ edits: '{"old":"a"}' }],
  [{ edits: "[draft].md" }],
  [{ labels: "[]" }],
  [{ labels: "null" }],
  [{ name: "3", title: "3", offset: "3", either: "3", both: "3", any: "3", unknown: "3" }],
])("leaves %j alone", (given) => {
  expect(withOwnTypes(given, types)).toBe(given);
});
