import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineFraming } from "../../src/transport/framing.ts";

const UNREADABLE = Symbol("unreadable");

/** What arrives when the bytes come in these pieces. */
function read(pieces: readonly Buffer[], limit?: number): unknown[] {
  const heard: unknown[] = [];
  const framing = new LineFraming(
    { message: (value) => heard.push(value), unreadable: () => heard.push(UNREADABLE) },
    limit,
  );
  for (const piece of pieces) framing.push(piece);
  framing.end();
  return heard;
}

/** Cuts bytes at these places, wherever they fall. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

const text = fc.string({ unit: "binary" });
const json = fc.jsonValue({ stringUnit: "grapheme" }).map((value) => JSON.stringify(value));
const line = fc.oneof(
  json,
  text.map((value) => JSON.stringify(value)),
  fc.constant('"é€😀\u2028"'),
);
const ending = fc.constantFrom("\n", "\r\n", "\n\n", "\r\n\n\r\n");
const places = fc.array(fc.nat(), { maxLength: 30 });
const terminated = fc.tuple(line, ending).map((pair) => pair.join(""));

describe("lines cut into pieces anywhere", () => {
  it("give the same values in the same order", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, ending)), places, (lines, at) => {
        const bytes = Buffer.from(lines.flat().join(""));
        expect(read(cut(bytes, at))).toEqual(lines.map(([value]) => JSON.parse(value) as unknown));
      }),
      { numRuns: 500 },
    );
  });

  it("give the same values byte by byte", () => {
    fc.assert(
      fc.property(fc.array(terminated, { maxLength: 5 }), (lines) => {
        const bytes = Buffer.from(lines.join(""));
        const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
        expect(read(pieces)).toEqual(read([bytes]));
      }),
    );
  });

  it("need no newline at the very end", () => {
    fc.assert(
      fc.property(line, line, places, (first, last, at) => {
        const bytes = Buffer.from(`${first}\n${last}`);
        expect(read(cut(bytes, at))).toEqual([JSON.parse(first), JSON.parse(last)]);
      }),
    );
  });
});

describe("a line that is not UTF-8", () => {
  const notUtf8 = fc.constantFrom(
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from([0x22, 0xc3, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
    Buffer.from([0x22, 0xf0, 0x9f, 0x98]),
  );

  it("is the only one that is lost", () => {
    fc.assert(
      fc.property(fc.array(line), notUtf8, fc.array(line), places, (before, bad, after, at) => {
        const toBytes = (lines: string[]): Buffer => Buffer.from(lines.map((item) => `${item}\n`).join(""));
        const bytes = Buffer.concat([toBytes(before), bad, Buffer.from("\n"), toBytes(after)]);
        const values = (lines: string[]): unknown[] => lines.map((item) => JSON.parse(item) as unknown);
        expect(read(cut(bytes, at))).toEqual([...values(before), UNREADABLE, ...values(after)]);
      }),
    );
  });

  it("is told from one that holds the replacement character", () => {
    expect(read([Buffer.from('"\uFFFD"\n')])).toEqual(["\uFFFD"]);
  });
});

describe("the limit", () => {
  const LIMIT = 40;
  const sized = fc
    .tuple(fc.constantFrom("a", "é", "€", "😀"), fc.nat({ max: 60 }))
    .map(([letter, length]) => JSON.stringify(letter.repeat(length)));

  it("skips exactly the lines with more bytes than it allows, however they come", () => {
    fc.assert(
      fc.property(fc.array(sized, { minLength: 1 }), places, (lines, at) => {
        const bytes = Buffer.from(lines.map((item) => `${item}\n`).join(""));
        const expected = lines.map((item) =>
          Buffer.byteLength(item) > LIMIT ? UNREADABLE : (JSON.parse(item) as unknown),
        );
        expect(read(cut(bytes, at), LIMIT)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});
