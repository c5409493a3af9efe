import * as fc from "fast-check";
import { type Encoding, findEncoding } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import { readFromMemory } from "../../../src/domain/reading/byte-reader.ts";
import {
  skipLines,
  takeBackwards,
  takeForwards,
  type TextPiece,
  type TextPlace,
} from "../../../src/domain/reading/text-pieces.ts";

const encodings = fc.constantFrom(
  ...["utf-8", "utf-16le", "utf-16be", "latin1"].map((name) => findEncoding(name) as Encoding),
);
const toBytes = (text: string, name: string): Buffer => {
  if (name === "utf-8") return Buffer.from(text);
  if (name === "latin1") return Buffer.from(text, "latin1");
  const bytes = Buffer.from(text, "utf16le");
  return name === "utf-16be" ? bytes.swap16() : bytes;
};

/** Many short lines, some long ones, characters of all lengths, and those whose bytes look like newlines. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom("\n", "\n", "\r\n", "\r", "a", "é", "€", "😀", "ഊ", "਀", "\u0A0A"),
      fc.string({ maxLength: 12 }),
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(""));
const latinTexts = texts.map((text) => text.replaceAll(/[^\0-\xFF]/gu, "?"));

const naiveLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** Pieces of at most so many bytes, one after the other. */
function takeAll(bytes: Buffer, encoding: Encoding, first: TextPlace, limit: number): TextPiece[] {
  const text = { encoding, start: 0, end: bytes.length };
  const pieces: TextPiece[] = [];
  for (let place: TextPlace | undefined = first; place !== undefined; place = pieces.at(-1)?.next) {
    const reading = "from" in place ? takeForwards(text, place, limit) : takeBackwards(text, place, limit);
    pieces.push(readFromMemory(reading, bytes));
    if (pieces.length > bytes.length + 1) throw new Error("It does not come forward");
  }
  return pieces;
}

const cases = encodings.chain((encoding) =>
  fc.record({
    encoding: fc.constant(encoding),
    text: encoding.name === "latin1" ? latinTexts : texts,
    count: fc.integer({ min: 1, max: 70 }),
    limit: fc.integer({ min: 4, max: 64 }),
  }),
);

describe("lines of a text", () => {
  it("are the same in pieces, from the front", () => {
    fc.assert(
      fc.property(cases, ({ encoding, text, count, limit }) => {
        const pieces = takeAll(
          toBytes(text, encoding.name),
          encoding,
          { from: 0, line: 1, left: count },
          limit,
        );
        const whole = pieces.map(({ bytes }) => encoding.decode(bytes)).join("");
        expect(whole).toBe(naiveLines(text).slice(0, count).join(""));
        expect(pieces.every(({ bytes }) => bytes.length <= limit)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("are the same in pieces, from the end", () => {
    fc.assert(
      fc.property(cases, ({ encoding, text, count, limit }) => {
        const bytes = toBytes(text, encoding.name);
        const pieces = takeAll(bytes, encoding, { until: bytes.length, left: count }, limit).toReversed();
        const whole = pieces.map((piece) => encoding.decode(piece.bytes)).join("");
        expect(whole).toBe(naiveLines(text).slice(-count).join(""));
        expect(pieces.every((piece) => piece.bytes.length <= limit)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("are counted from the front like those of a text that was split", () => {
    fc.assert(
      fc.property(cases, ({ encoding, text, count }) => {
        const bytes = toBytes(text, encoding.name);
        const lines = naiveLines(text);
        const found = readFromMemory(skipLines({ encoding, start: 0, end: bytes.length }, count), bytes);
        expect(found.lines).toBe(Math.min(count, lines.length));
        const rest = encoding.decode(bytes.subarray(found.position));
        expect(rest).toBe(lines.slice(count).join(""));
      }),
      { numRuns: 2000 },
    );
  });
});
