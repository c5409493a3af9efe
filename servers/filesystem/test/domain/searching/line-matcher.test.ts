import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createLiteralMatcher } from "../../../src/domain/searching/line-matcher.ts";

const text = fc.string({
  unit: fc.constantFrom(...Array.from("aaabez_"), "é", "😀", "$", "("),
  maxLength: 60,
});
const needle = fc.string({
  unit: fc.constantFrom(...Array.from("aabez_"), "é", "😀", "$", "("),
  minLength: 1,
  maxLength: 4,
});

describe("createLiteralMatcher", () => {
  it("finds in bytes, in texts and in lines what is there", () => {
    fc.assert(
      fc.property(text, needle, (given, wanted) => {
        const matcher = createLiteralMatcher(wanted, true);
        const at = given.indexOf(wanted);
        expect(matcher.mayMatchBytes?.(Buffer.from(given))).toBe(at >= 0);
        expect(matcher.mayMatch(given)).toBe(at >= 0);
        expect(matcher.skipTo?.(given, 0)).toBe(at);
        expect(matcher.find(given, 0)).toBe(at);
      }),
      { numRuns: 1000 },
    );
  });

  it("takes letters for the same whatever their case, and every character for itself", () => {
    const matcher = createLiteralMatcher("Straße-(É).*", false);
    expect(matcher.find("x STRAßE-(é).* y", 0)).toBe(2);
    expect(matcher.mayMatch("strasse-(é).*")).toBe(false);
    expect(matcher.skipTo?.("straße-(é).* straße-(é).*", 1)).toBe(13);
  });

  it("finds ASCII in any case, and only that", () => {
    const unit = fc.constantFrom("a", "A", "s", "S", "k", "_", "@", "`", "\u017F", "\u212A", "é");
    const ascii = fc.string({
      unit: fc.constantFrom("a", "A", "s", "K", "_", "@"),
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), ascii, (given, wanted) => {
        const matcher = createLiteralMatcher(wanted, false);
        const lower = given.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
        const at = lower.indexOf(wanted.toLowerCase());
        expect([given, wanted, matcher.find(given, 0)]).toEqual([given, wanted, at]);
        expect(matcher.mayMatch(given)).toBe(at >= 0);
      }),
      { numRuns: 1000 },
    );
  });
});
