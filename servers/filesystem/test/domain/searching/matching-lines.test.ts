import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";

import { createExpressionMatcher, createLiteralMatcher } from "../../../src/domain/searching/line-matcher.ts";
import { findMatchingLines } from "../../../src/domain/searching/matching-lines.ts";

const windowOf = (text: string): Parameters<typeof findMatchingLines>[0] => {
  const bytes = Buffer.from(text);
  return { bytes, start: 0, end: bytes.length, line: 1, column: 0, isCut: false, isLast: true };
};

/** As one would say it: split into lines, and try each. */
function naively(text: string, find: (line: string) => boolean): number[] {
  const lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  return text === "" ? [] : lines.flatMap((line, index) => (find(line) ? [index + 1] : []));
}

const text = fc.string({
  unit: fc.constantFrom(...Array.from("aAabB é"), "\n", "\n", "\r\n", "\r", "\u2028"),
  maxLength: 30,
});
const piece = fc.constantFrom(
  "a",
  "b",
  ".",
  "^",
  "$",
  "\\s",
  "[^b]",
  "\\n",
  "|",
  "é",
  "\\b",
  "\\A",
  "\\z",
  "(?-m)",
  "(a|b)",
);
const sign = fc.constantFrom("", "", "*", "+", "?", "{2}");
const pattern = fc
  .array(fc.tuple(piece, sign), { minLength: 1, maxLength: 4 })
  .map((pieces) =>
    pieces.map(([each, often]) => (/^[\^$|]|\\[bAz]|\(\?/.test(each) ? each : each + often)).join(""),
  );

describe("findMatchingLines", () => {
  it("finds the lines that an expression fits by themselves, whichever engine looks", async () => {
    await fc.assert(
      fc.asyncProperty(pattern, text, fc.boolean(), async (source, content, isExact) => {
        const expression = RE2JS.compile(source, isExact ? 0 : RE2JS.CASE_INSENSITIVE);
        const found = [
          ...findMatchingLines(windowOf(content), await createExpressionMatcher(source, isExact), 0),
        ];
        expect([source, content, found.map(({ line }) => line)]).toEqual([
          source,
          content,
          naively(content, (line) => expression.test(line)),
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  it("finds the lines that hold a text", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("a", "aa", "ab", "é", " "),
        text,
        fc.boolean(),
        (wanted, content, isExact) => {
          const found = [...findMatchingLines(windowOf(content), createLiteralMatcher(wanted, isExact), 0)];
          expect(found.map(({ line }) => line)).toEqual(
            naively(content, (line) => (isExact ? line : line.toLowerCase()).includes(wanted)),
          );
        },
      ),
    );
  });
});
