import * as fc from "fast-check";
import { expect, it } from "vitest";

import { toGlimpse, truncateText } from "../../src/text/truncate.ts";

it.each<[string, number, string]>([
  ["hello", 3, "hel"],
  ["hello", 0, ""],
  ["hello", -1, ""],
  ["hello", 2.9, "he"],
  ["aé", 2, "a"],
  ["aéb", 3, "aé"],
  ["a€", 3, "a"],
  ["a😀", 4, "a"],
  ["a😀b", 5, "a😀"],
  ["\uD83D😀", 6, "\uD83D"],
])("cuts %j to %d bytes", (text, maxBytes, expected) => {
  expect(truncateText(text, maxBytes)).toEqual({
    text: expected,
    truncated: true,
    bytes: Buffer.byteLength(expected),
  });
});

it.each<[string, number]>([
  ["", 0],
  ["hello", 5],
  ["a😀", 5],
  ["a😀", Infinity],
])("leaves %j alone if there is room for %d bytes", (text, maxBytes) => {
  expect(truncateText(text, maxBytes)).toEqual({ text, truncated: false, bytes: Buffer.byteLength(text) });
});

it("gives as many whole characters as fit", () => {
  const characters = fc.constantFrom("a", "é", "€", "😀", "\0", "\uFFFF", "\uD83D", "\uDE00");
  const list = fc.array(characters, { maxLength: 30 });
  fc.assert(
    fc.property(list, fc.nat(100), (parts, maxBytes) => {
      const text = parts.join("");
      // Two halves that meet are one character.
      const whole = Array.from(text);
      let expected = "";
      while (whole.length > 0 && Buffer.byteLength(expected + whole[0]) <= maxBytes)
        expected += whole.shift();
      expect(truncateText(text, maxBytes)).toEqual({
        text: expected,
        truncated: expected !== text,
        bytes: Buffer.byteLength(expected),
      });
    }),
    { numRuns: 300 },
  );
});

it.each([
  ["all of it", 9, "all of it"],
  ["the beginning", 3, "the…"],
  ["a😀 here", 2, "a…"],
  ["a😀 here", 3, "a😀…"],
  ["", 0, ""],
])("shows of %j within %s characters %j", (text, longest, shown) => {
  expect(toGlimpse(text, longest)).toBe(shown);
});
