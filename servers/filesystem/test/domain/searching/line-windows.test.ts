import { closeSync, openSync } from "node:fs";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type LineWindow, LineWindows } from "../../../src/domain/searching/line-windows.ts";
import { createScratch } from "../reading/scratch.ts";

const { write } = createScratch();

interface Seen extends Omit<LineWindow, "bytes"> {
  readonly text: string;
}

function read(windows: LineWindows, content: string | Buffer): Seen[] {
  const fd = openSync(write("file", content), "r");
  const seen: Seen[] = [];
  try {
    for (let window: LineWindow | undefined = windows.first(fd); window; window = windows.next(window)) {
      const { bytes, ...places } = window;
      seen.push({ ...places, text: bytes.toString("latin1") });
    }
    return seen;
  } finally {
    closeSync(fd);
  }
}

const own = ({ text, start, end }: Seen): string => text.slice(start, end);
const countLines = (text: string): number => text.split("\n").length - 1;

/** Some lines of ordinary length, some that no window has room for. */
const content = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.nat(200) }, fc.nat(150_000)), { maxLength: 1500 })
  .map((lengths) => lengths.map((length, index) => `${index % 10}`.repeat(length)).join("\n"));

describe("LineWindows", () => {
  it("covers a file once, in whole lines, and keeps count of them", () => {
    fc.assert(
      fc.property(fc.nat(3), fc.array(content, { minLength: 1, maxLength: 2 }), (context, contents) => {
        const windows = new LineWindows(context);
        for (const text of contents) {
          const seen = read(windows, text);
          expect(seen.map(own).join("") === text).toBe(true);
          let before = "";
          for (const window of seen) {
            expect(window.line).toBe(countLines(before) + 1);
            expect(window.isLast || own(window).endsWith("\n")).toBe(true);
            before += own(window);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it("keeps the lines around those that are new", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`);
    const seen = read(new LineWindows(2), lines.join("\n"));
    expect(seen.length).toBeGreaterThan(2);
    for (const { text, start, end, line, isLast } of seen) {
      expect(text.slice(0, start)).toBe(line === 1 ? "" : `line ${line - 2}\nline ${line - 1}\n`);
      const next = line + countLines(text.slice(start, end));
      expect(isLast || text.slice(end).startsWith(`line ${next}\nline ${next + 1}\n`)).toBe(true);
    }
  });

  it("comes to an end, however long the lines are that it should keep", () => {
    for (const length of [64, 128, 192, 256, 300].map((size) => size * 1024)) {
      const lines = `${"x".repeat(length - 1)}\n`.repeat(8);
      const seen = read(new LineWindows(3), lines);
      expect(seen.map(own).join("") === lines).toBe(true);
    }
  });

  it.each(["le", "be"])("converts UTF-16%s of any length", (order) => {
    // Characters of one to four bytes, so that reads end everywhere in them.
    const line = (index: number): string => `${"x".repeat(index % 7)}é€😀`.repeat(index % 50);
    const lines = Array.from({ length: 5000 }, (_, index) => line(index));
    const text = [...lines, "😀€".repeat(200_000), "end"].join("\n");
    const wide = Buffer.from(`\uFEFF${text}`, "utf16le");
    const seen = read(new LineWindows(1), order === "le" ? wide : wide.swap16());
    expect(seen.length).toBeGreaterThan(2);
    expect(Buffer.from(seen.map(own).join(""), "latin1").toString() === text).toBe(true);
    expect(seen.at(-1)).toMatchObject({ line: 5001, isLast: true });
  });

  it("keeps its windows small from one file of UTF-16 to the next", () => {
    const wide = Buffer.from(`\uFEFF${"€\n".repeat(300_000)}`, "utf16le");
    const windows = new LineWindows(0);
    const sizes = Array.from({ length: 6 }, () => read(windows, wide)[0]?.text.length ?? 0);
    expect(Math.max(...sizes)).toBeLessThan(400_000);
  });

  it("cuts a line that is longer than all it has room for, between characters, and counts these", () => {
    const long = "é".repeat(300_000);
    const seen = read(new LineWindows(0), `x${long}\nend`);
    expect(seen.length).toBeGreaterThan(2);
    expect(Buffer.from(seen.map(own).join(""), "latin1").toString() === `x${long}\nend`).toBe(true);
    let column = 0;
    for (const window of seen) {
      const [before, piece] = [window.text.slice(0, window.start), own(window)].map((text) =>
        Buffer.from(text, "latin1").toString(),
      );
      expect([window.line, window.column, window.isCut]).toEqual([1, column, !window.isLast]);
      expect(`${before}${piece}`).not.toContain("\u{FFFD}");
      column += piece?.length ?? 0;
    }
  });
});
