import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";

import { readPattern } from "../../../src/domain/searching/pattern-reader.ts";

const toBoundedSource = (pattern: string): string | undefined => {
  const part = readPattern(pattern);
  return part?.isBounded === true ? part.source : undefined;
};

const character = fc.constantFrom(
  ...Array.from("abAB01 _-é\t😀"),
  "\\.",
  "\\*",
  "\\-",
  "\\/",
  "/",
  "-",
  ",",
  "\\\\",
);
const member = fc.constantFrom(
  ...Array.from("abAB0_é"),
  "a-c",
  "0-9",
  "\\d",
  "\\w",
  "\\s",
  "\\]",
  "\\-",
  "^",
  ".",
  "$",
  "\\t",
);
const set = fc.oneof(
  fc.constantFrom(".", "\\d", "\\D", "\\w", "\\W", "\\s", "\\S"),
  fc
    .tuple(fc.constantFrom("", "^"), fc.array(member, { minLength: 1, maxLength: 3 }))
    .map(([not, members]) => `[${not}a${members.join("")}]`),
);
const sign = fc.constantFrom("", "", "", "?", "??", "{2}", "{0,2}", "{1,3}?", "*", "+", "{2,}");
const { pattern } = fc.letrec<{ pattern: string; sequence: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(fc.oneof(character, set), sign).map((parts) => parts.join("")),
    fc.constantFrom("^", "$", "\\b"),
    fc
      .tuple(fc.constantFrom("(", "(?:"), tie("pattern"), fc.constantFrom(")", ")", ")?"))
      .map((parts) => parts.join("")),
  ),
  sequence: fc.array(tie("atom"), { maxLength: 4 }).map((atoms) => atoms.join("")),
  pattern: fc.array(tie("sequence"), { minLength: 1, maxLength: 2 }).map((choices) => choices.join("|")),
}));
const line = fc.string({
  unit: fc.constantFrom(...Array.from("abcABC01 _-.*/,\\\t\u000Bé😀]^$\u2028")),
  maxLength: 12,
});

describe("readPattern", () => {
  it("means what RE2 means, wherever it takes a pattern on", () => {
    let taken = 0;
    fc.assert(
      fc.property(pattern, line, fc.boolean(), (source, text, isFolding) => {
        const bounded = toBoundedSource(source);
        fc.pre(bounded !== undefined);
        taken += 1;
        const found = new RegExp(bounded, isFolding ? "sui" : "su").exec(text)?.index ?? -1;
        const matcher = RE2JS.compile(source, isFolding ? RE2JS.CASE_INSENSITIVE : 0).matcher(text);
        expect([source, text, found]).toEqual([source, text, matcher.find() ? matcher.start() : -1]);
      }),
      { numRuns: 1000 },
    );
    expect(taken).toBeGreaterThan(500);
  });

  it.each(["TODO|FIXME", "(foo|bar)\\d+", "\\berror\\b", "a?b{1,3}[^x]", "x.y", "^import", "\\}", "a/b"])(
    "takes %s",
    (source) => {
      const bounded = toBoundedSource(source);
      expect(() => new RegExp(bounded ?? "(", "su")).not.toThrow();
    },
  );

  it.each([
    ["repetition before the end", ".*x", "\\w+\\s", "a*$", "(a+)b", "(?:x|a+)b"],
    ["groups that repeat", "(a|b)*", "(ab)+", "(a?){9}", "(a){2}"],
    ["too many ways", "(a|a)".repeat(12), "a?".repeat(12), "a{0,60}b{0,60}c{0,60}", "a{99}"],
    [
      "what the engines read differently",
      "\\pL",
      "\\x41",
      "(?i)a",
      "[[:alpha:]]",
      "\\Qa\\E",
      "a{",
      "a{,2}",
      "\\1",
      "\\z",
      "\\B",
    ],
    ["what is no pattern", "(", ")", "[a", "*", "a**", "\\"],
  ])("leaves alone: %s", (_why, ...sources) => {
    expect(sources.filter((source) => toBoundedSource(source) !== undefined)).toEqual([]);
  });

  it("knows what must be in every match", () => {
    const piece = fc.constantFrom(
      "ab",
      "ba",
      "aab",
      "a",
      "b?",
      "a+",
      "(ab)?",
      "(ab|ba)",
      "(ab|a)+",
      "(?:ba){2}",
      ".",
      "|",
      "\\b",
    );
    const simple = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(""));
    const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
    let clues = 0;
    fc.assert(
      fc.property(simple, letters, (source, text) => {
        const known = readPattern(source)?.clues ?? [];
        clues += known.length;
        const isTold = known.every((clue) => clue.some((literal) => text.includes(literal)));
        expect([source, text, isTold || !RE2JS.compile(source).test(text)]).toEqual([source, text, true]);
      }),
      { numRuns: 2000 },
    );
    expect(clues).toBeGreaterThan(500);
  });

  it.each([
    ["TODO|FIXME", [["TODO", "FIXME"]]],
    ["import .* from", [["import "], [" from"]]],
    ["(foo|barbar)+ =\\s*function", [["function"], ["foo", "barbar"], [" ="]]],
    ["\\bfoo\\b\\d+", [["foo"]]],
    ["(?:ab|cd)x?", [["ab", "cd"]]],
    ["(ab)?cd", [["cd"]]],
    ["a.b.c", []],
    ["(ab|c)", []],
    ["\\w+", []],
    ["(?i)foo", undefined],
  ])("of %s: %s", (source, clues) => {
    expect(readPattern(source)?.clues).toEqual(clues);
  });
});
