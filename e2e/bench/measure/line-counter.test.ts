import { describe, expect, it } from "vitest";
import { countLines } from "./line-counter.ts";

describe("countLines", () => {
  it.each([
    ["", 0],
    ["no end", 0],
    ["one\n", 1],
    ["one\ntwo\nthree", 2],
    ["\n\n\n", 3],
    ["ends of a line elsewhere: \r \u2028 Ċ\n", 1],
  ])("%j has %i line ends", (text, lines) => {
    expect(countLines(Buffer.from(text))).toBe(lines);
  });

  it("counts the same however the bytes were cut", () => {
    const bytes = Buffer.from("a\nbb\n\nccc\nd");
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(countLines(bytes.subarray(0, cut)) + countLines(bytes.subarray(cut))).toBe(4);
    }
  });
});
