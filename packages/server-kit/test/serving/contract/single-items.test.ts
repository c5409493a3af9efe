import { expect, it } from "vitest";

import { findLists, withItems, withLists } from "../../../src/serving/contract/single-items.ts";

const lists = findLists({
  type: "object",
  properties: {
    names: { type: "array", items: { type: "string" } },
    numbers: { type: "array", items: { type: "number" } },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    one: { type: "string" },
  },
});

it("takes one string for a list of it, where only a list of strings is wanted", () => {
  expect(withLists({ names: "a", numbers: "1", either: "b", one: "c" }, lists)).toEqual({
    names: ["a"],
    numbers: "1",
    either: "b",
    one: "c",
  });
});

it.each([{ names: ["a"] }, { names: "" }, { names: '["a"]' }, { names: 1 }, {}])(
  "leaves %j alone",
  (given) => {
    expect(withLists(given, lists)).toBe(given);
  },
);

const edits = {
  type: "array",
  items: {
    type: "object",
    properties: { old: {}, new: {}, all: {}, path: {} },
    required: ["old", "new"],
  },
};
const withEdits = findLists({ type: "object", properties: { path: {}, edits }, required: ["edits"] });
const aliases = { "edits[].old": ["before"] };

it("takes one object, or its fields beside the other arguments, for a list of it", () => {
  const item = { old: "a", new: "b" };
  expect(withItems({ path: "f", edits: item }, withEdits)).toEqual({ path: "f", edits: [item] });
  expect(withItems({ path: "f", ...item, all: true }, withEdits)).toEqual({
    path: "f",
    edits: [{ ...item, all: true }],
  });
  expect(withItems({ before: "a", new: "b", other: 1 }, withEdits, aliases)).toEqual({
    edits: [{ before: "a", new: "b" }],
    other: 1,
  });
});

it.each([{ path: "f", old: "a" }, { edits: [], old: "a", new: "b" }, { edits: "x", old: "a", new: "b" }, {}])(
  "takes nothing of %j for an item",
  (given) => {
    expect(withItems(given, withEdits, aliases)).toBe(given);
  },
);

it("takes no field for an item's where the list may be left out, or the tool has one of that name", () => {
  const optional = findLists({ type: "object", properties: { edits } });
  const named = findLists({ type: "object", properties: { old: {}, edits }, required: ["edits"] });
  for (const found of [optional, named]) {
    const given = { old: "a", new: "b" };
    expect(withItems(given, found)).toBe(given);
  }
});

it("takes a string for an object with that as its only required field", () => {
  const items = { type: "object", properties: { query: {}, params: {} }, required: ["query"] };
  const found = findLists({ type: "object", properties: { statements: { type: "array", items } } });
  expect(withItems({ statements: ["a", { query: "b" }] }, found)).toEqual({
    statements: [{ query: "a" }, { query: "b" }],
  });
  expect(withItems({ queries: ["a"] }, found, { statements: ["queries"] })).toEqual({
    queries: [{ query: "a" }],
  });
  const given = { edits: ["a"] };
  expect(withItems(given, withEdits)).toBe(given);
});
