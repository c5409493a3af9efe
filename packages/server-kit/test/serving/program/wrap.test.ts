import { expect, it } from "vitest";

import { toEntry, wrap } from "../../../src/serving/program/wrap.ts";

it("breaks between words only", () => {
  expect(wrap("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrap("extraordinary is it", 5)).toEqual(["extraordinary", "is it"]);
  expect(wrap("", 5)).toEqual([""]);
});

it("puts a term beside its text, or above it if it is too long", () => {
  expect(toEntry("--a", "text", 10)).toEqual(["  --a     text"]);
  expect(toEntry("--abcdef", "text", 10)).toEqual(["  --abcdef", "          text"]);
});
