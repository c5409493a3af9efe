import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineText } from "../../../src/domain/content/line-text.ts";

const mixed = fc
  .array(fc.constantFrom("a", "b", "\n", "\r\n", "\r", "ü"), { maxLength: 40 })
  .map((parts) => parts.join(""));

describe("a text with any line ends", () => {
  it("is looked at with \\n alone", () => {
    expect(new LineText("a\r\nb\nc\r").plain).toBe("a\nb\nc\r");
  });

  it("counts lines from 1", () => {
    const text = new LineText("a\r\nb\nc");
    expect([0, 1, 2, 4].map((offset) => text.lineAt(offset))).toEqual([1, 1, 2, 3]);
  });

  it("stays as it is where nothing is replaced", () => {
    fc.assert(
      fc.property(mixed, fc.nat(), fc.nat(), (text, a, b) => {
        const lines = new LineText(text);
        const [start = 0, end = 0] = [a, b]
          .map((n) => n % (lines.plain.length + 1))
          .toSorted((x, y) => x - y);
        const replaced = lines.replace([{ start, end, text: "X" }]);
        const at = replaced.indexOf("X");
        // Before and after: the very same characters, which the plain view of the text says, too.
        expect(text.startsWith(replaced.slice(0, at))).toBe(true);
        expect(text.endsWith(replaced.slice(at + 1))).toBe(true);
        const plain = lines.plain.slice(0, start) + lines.plain.slice(end);
        expect(new LineText(replaced.slice(0, at)).plain + new LineText(replaced.slice(at + 1)).plain).toBe(
          plain,
        );
      }),
    );
  });

  it.each([
    [
      "the line that is replaced",
      "a\r\nb\r\nc\n",
      { start: 0, end: 2, text: "x\ny\n" },
      "x\r\ny\r\nb\r\nc\n",
    ],
    [
      "the line that is replaced, against the others",
      "a\r\nb\r\nc\nd",
      { start: 4, end: 6, text: "x\ny\n" },
      "a\r\nb\r\nx\ny\nd",
    ],
    ["most others, inside a line", "a\r\nb\r\nc\n", { start: 0, end: 1, text: "x\ny" }, "x\r\ny\r\nb\r\nc\n"],
    ["most others, though written differently", "a\nb\n", { start: 0, end: 1, text: "x\r\ny" }, "x\ny\nb\n"],
    ["what is given, where there is no other", "a", { start: 0, end: 1, text: "x\r\ny" }, "x\r\ny"],
  ])("ends new lines like %s", (_, text, replacement, expected) => {
    expect(new LineText(text).replace([replacement])).toBe(expected);
  });
});
