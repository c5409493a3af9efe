import { openLine } from "@suite/core/testing";
import { expect, it } from "vitest";

import {
  findNonStringTypes,
  findOmittable,
  withOwnTypes,
  withoutNulls,
} from "../../../src/serving/contract/normalize-arguments.ts";
import type { ToolDefinition } from "../../../src/serving/contract/tool.ts";
import { callOn, LAST_LEGACY, serverOf, textOf, toolThat } from "./sample.ts";

const schema = {
  type: "object",
  properties: {
    limit: { type: "integer" },
    ratio: { type: "number" },
    deep: { type: "boolean" },
    edits: { type: "array", items: { type: "object" } },
    labels: { type: "object" },
    group: { type: ["array", "object"] },
    name: { type: "string" },
    offset: { type: "string" },
    sort: { enum: ["up", "down"] },
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
    both: { type: ["string", "integer"] },
    any: {},
    path: { type: "string" },
    parent: { type: ["string", "null"] },
    state: { anyOf: [{ type: "string" }, { type: "null" }] },
    choice: { enum: ["a", null] },
  },
  required: ["path"],
};
const aliases = { limit: ["max_results", "offset"], name: ["title"] };
const types = findNonStringTypes(schema, aliases);
const omittable = findOmittable(schema, aliases);

it.each([
  [{ limit: "3" }, { limit: 3 }],
  [
    { max_results: "3", name: "a" },
    { max_results: 3, name: "a" },
  ],
  [{ ratio: " -0.5" }, { ratio: -0.5 }],
  [{ deep: "false" }, { deep: false }],
  [{ deep: "True" }, { deep: true }],
  [{ edits: '[{"old":"a"}]' }, { edits: [{ old: "a" }] }],
  [{ labels: '{"a":1}' }, { labels: { a: 1 } }],
  [{ group: "[1]" }, { group: [1] }],
  [{ group: '{"a":1}' }, { group: { a: 1 } }],
])("takes %j for %j", (given, meant) => {
  expect(withOwnTypes(given, types)).toEqual(meant);
});

it.each([
  [{ limit: 3, deep: true, edits: [], labels: {} }],
  [{ limit: "three" }],
  [{ limit: "" }],
  [{ limit: "true" }],
  [{ limit: "True" }],
  [{ deep: "1" }],
  [{ group: "1" }],
  [{ edits: '{"old":"a"}' }],
  [{ edits: "[draft].md" }],
  [{ labels: "[]" }],
  [{ labels: "null" }],
  [{ name: "3", title: "3", offset: "3", either: "3", both: "3", any: "3", unknown: "3" }],
])("leaves %j alone", (given) => {
  expect(withOwnTypes(given, types)).toBe(given);
});

it("null for an optional argument is none", () => {
  const nulls = { limit: null, max_results: null, name: null, sort: null, either: null, both: null };
  expect(withoutNulls({ path: "a", ...nulls }, omittable)).toEqual({ path: "a" });
});

it.each([
  ["a required argument", { path: null }],
  ["an unknown argument", { unknown: null }],
  ["an argument that takes null", { parent: null, state: null, choice: null, any: null }],
  ["data", { labels: { a: null }, edits: [null] }],
])("null stays in %s", (_, given) => {
  expect(withoutNulls(given, omittable)).toBe(given);
});

it("takes the items of lists like arguments", async () => {
  const item = {
    type: "object",
    properties: { query: { type: "string" }, keep_all: { type: "boolean" }, params: { type: "array" } },
    required: ["query"],
    additionalProperties: false,
  };
  const tool = {
    ...toolThat(() => ({ said: "" })),
    input: { type: "object", properties: { steps: { type: "array", items: item } }, required: ["steps"] },
    run: ({ steps }: { readonly steps: unknown }) => ({ said: JSON.stringify(steps) }),
  } as unknown as ToolDefinition;
  const line = await openLine(serverOf([tool]), { revision: LAST_LEGACY });
  const steps = [
    { query: "a", keepAll: "True", params: "[1]" },
    { query: "b", keep_all: null },
  ];
  const own = [{ query: "a", params: [1], keep_all: true }, { query: "b" }];
  expect(JSON.parse(textOf(await callOn(line, { steps })) ?? "")).toEqual(own);
});
