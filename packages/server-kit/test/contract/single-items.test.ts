import { expect, it } from "vitest";

import { findLists, withLists } from "../../src/contract/single-items.ts";

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
