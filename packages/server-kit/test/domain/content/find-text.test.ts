import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findOverlapping, findSequence, findText } from "../../../src/domain/content/find-text.ts";

const letters = (least: number, most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom("a", "b"), { minLength: least, maxLength: most }).map((parts) => parts.join(""));

function findBySearching(whole: string, part: string): number[] {
  const found: number[] = [];
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + part.length)) found.push(at);
  return found;
}

describe("findSequence", () => {
  it("finds what the platform's own search finds", () => {
    fc.assert(
      fc.property(letters(0, 60), letters(1, 6), (whole, part) => {
        expect(findSequence(whole, part, Infinity)).toEqual(findBySearching(whole, part));
      }),
      { numRuns: 2000 },
    );
  });

  it("finds lists in lists, and nothing in too little", () => {
    expect(findSequence(["x", "y", "x", "y", "x"], ["x", "y"], 10)).toEqual([0, 2]);
    expect(findSequence("a", "aa", 10)).toEqual([]);
    expect(findSequence("a", "", 10)).toEqual([]);
  });

  it("stops at as many as were asked for", () => {
    expect(findSequence("aaaa", "a", 3)).toEqual([0, 1, 2]);
  });

  it("takes no longer where a text repeats itself", { timeout: 20_000 }, () => {
    // The platform's own search takes more than half a minute for these.
    const half = "ab".repeat(100_000);
    expect(findSequence("ab".repeat(500_000), `${half}c${half}`, 10)).toEqual([]);
  });
});

describe("findOverlapping", () => {
  it("finds an occurrence that begins within the first, and no later one", () => {
    const findIn = (text: string, wanted: string) => {
      const [first = { start: 0, end: 0 }] = findText(text, wanted, 1);
      return findOverlapping(text, first);
    };
    expect(findIn("xaaax", "aa")).toEqual({ start: 2, end: 4 });
    expect(findIn("xaaxaa", "aa")).toBeUndefined();
  });

  it("takes no longer where a text repeats itself", { timeout: 20_000 }, () => {
    const half = "ab".repeat(250_000);
    const wanted = `${half}c${half}`;
    expect(findOverlapping(wanted + half, { start: 0, end: wanted.length })).toBeUndefined();
  });
});
