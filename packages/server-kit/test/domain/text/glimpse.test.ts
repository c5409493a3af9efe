import { expect, it } from "vitest";

import { truncate } from "../../../src/domain/text/glimpse.ts";

it.each([
  ["all of it", 9, "all of it"],
  ["the beginning", 3, "the…"],
  ["a😀 here", 2, "a…"],
  ["a😀 here", 3, "a😀…"],
  ["", 0, ""],
])("shows of %j within %s characters %j", (text, longest, shown) => {
  expect(truncate(text, longest)).toBe(shown);
});
