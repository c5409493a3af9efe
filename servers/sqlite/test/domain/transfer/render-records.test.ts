import { describe, expect, it } from "vitest";
import { guessDialect } from "../../../src/domain/transfer/csv-parser.ts";
import { createRenderer } from "../../../src/domain/transfer/render-records.ts";

const VALUES = [
  null,
  "",
  "plain",
  " padded ",
  'a "quote", and\nmore',
  "'a';b",
  "12",
  "x'00'",
  12n,
  2n ** 63n - 1n,
  1.5,
  2,
  Number.NEGATIVE_INFINITY,
  Buffer.from([0, 255]),
];

describe("records", () => {
  it("as CSV tell what is text from what is not", () => {
    const renderer = createRenderer("csv", ["a", "1", 'b"c']);
    expect(renderer.head()).toBe('a,"1","b""c"\r\n');
    expect(renderer.row(VALUES)).toBe(
      `,"",plain," padded ","a ""quote"", and\nmore","'a';b","12","x'00'",12,9223372036854775807,1.5,2.0,-9e999,X'00ff'\r\n`,
    );
  });

  it.each(["'x'", "a;b", "a|b", "a\tb"])("as CSV are seen to be so, with %j in them", (text) => {
    const renderer = createRenderer("csv", [text]);
    const file = renderer.head() + renderer.row([text]);
    expect(guessDialect(file, {})).toEqual({ delimiter: ",", quote: '"', decimal: "." });
  });

  it("as JSON lines keep what JSON has no place for", () => {
    const names = VALUES.map((_, at) => String(at));
    const renderer = createRenderer("jsonl", names);
    expect(renderer.head()).toBe("");
    expect(JSON.parse(renderer.row(VALUES))).toEqual({
      0: null,
      1: "",
      2: "plain",
      3: " padded ",
      4: 'a "quote", and\nmore',
      5: "'a';b",
      6: "12",
      7: "x'00'",
      8: 12,
      9: { $int: "9223372036854775807" },
      10: 1.5,
      11: 2,
      12: { $real: "-Infinity" },
      13: { $blob: "AP8=" },
    });
  });

  it("as JSON lines keep the sign of zero, which JSON.stringify drops", () => {
    const line = createRenderer("jsonl", ["a"], ["REAL"]).row([-0]);
    expect(JSON.stringify(JSON.parse(line))).toBe('{"a":{"$real":"-0.0"}}');
  });

  it("say that a number is real where the column would not know", () => {
    expect(createRenderer("jsonl", ["a", "b", "c"], ["NONE", "REAL", "NONE"]).row([1, 1, 1n])).toBe(
      '{"a":{"$real":1.0},"b":1.0,"c":1}\n',
    );
  });

  it("keep names that mean something to JavaScript", () => {
    expect(createRenderer("jsonl", ["__proto__", 'q"'], []).row([1n, 2n])).toBe('{"__proto__":1,"q\\"":2}\n');
  });
});
