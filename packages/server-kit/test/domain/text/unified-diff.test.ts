import { applyPatch, diffArrays } from "diff";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffTexts, type DiffOptions } from "../../../src/domain/text/unified-diff.ts";

const names = { oldName: "old", newName: "new" };
const diff = (before: string, after: string, options: Partial<DiffOptions> = {}): string =>
  diffTexts(before, after, { ...names, ...options }).text;

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index + 1}\n`);

describe("diffTexts", () => {
  it("says nothing of equal texts", () => {
    expect(diffTexts("a\n", "a\n", names)).toEqual({
      text: "",
      addedLines: 0,
      removedLines: 0,
      isMinimal: true,
    });
  });

  it("shows a change far down with its lines' numbers and three lines around", () => {
    const before = numbered(1000);
    const after = before.with(499, "five hundred\n");
    expect(diff(before.join(""), after.join(""))).toBe(
      "--- old\n+++ new\n@@ -497,7 +497,7 @@\n 497\n 498\n 499\n-500\n+five hundred\n 501\n 502\n 503\n",
    );
  });

  it("has each name on one line, whatever is in it", () => {
    const text = diff("a\n", "b\n", { oldName: "old\n+forged", newName: "new\r\n@@" });
    expect(text).toBe("--- old\\n+forged\n+++ new\\r\\n@@\n@@ -1,1 +1,1 @@\n-a\n+b\n");
  });

  it("shows as much around it as is asked for", () => {
    expect(diff("a\nb\nc\n", "a\nx\nc\n", { context: 0 })).toBe(
      "--- old\n+++ new\n@@ -2,1 +2,1 @@\n-b\n+x\n",
    );
    expect(diff("a\nb\nc\n", "a\nc\n", { context: 0 })).toBe("--- old\n+++ new\n@@ -2,1 +1,0 @@\n-b\n");
  });

  it("shows a missing newline at the end", () => {
    expect(diff("a\nb\n", "a\nb")).toBe(
      "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
    );
    expect(diff("", "a")).toBe("--- old\n+++ new\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n");
  });

  it("counts what was added and removed", () => {
    expect(diffTexts("a\nb\nc\n", "a\nx\ny\nc\n", names)).toMatchObject({
      addedLines: 2,
      removedLines: 1,
    });
  });

  it("tells too many changes as one, which is still right", () => {
    const before = numbered(50).join("");
    const after = numbered(50)
      .map((line, index) => (index % 3 === 1 ? `new ${line}` : line))
      .join("");
    const coarse = diffTexts(before, after, { ...names, mostEdits: 5 });
    expect(coarse).toMatchObject({ isMinimal: false });
    expect(coarse.text.match(/^@@/gm)).toHaveLength(1);
    expect(applyPatch(before, coarse.text)).toBe(after);
    expect(diffTexts(before, after, names).isMinimal).toBe(true);
  });

  it("is as short as another program finds it, and quick where all ways are long", () => {
    const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\n"), { maxLength: 60 });
    const edits = (before: readonly string[], after: readonly string[]): number => {
      const parts = diffArrays([...before], [...after]);
      return parts.reduce((sum, { added, removed, value }) => sum + (added || removed ? value.length : 0), 0);
    };
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { addedLines, removedLines } = diffTexts(before.join(""), after.join(""), names);
        expect(addedLines + removedLines).toBe(edits(before, after));
      }),
    );
    const many = "x\n".repeat(100_000);
    const { text, isMinimal } = diffTexts(`a\n${many}b\n`, `c\n${many}${many}d\n`, names);
    expect(isMinimal).toBe(false);
    expect(text.match(/^@@/gm)).toHaveLength(1);
  });

  it("makes the new text from the old one", () => {
    const texts = fc
      .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "d\r\n", "e"), { maxLength: 40 })
      .map((lines) => lines.join(""));
    const options = fc.record({
      context: fc.integer({ min: 0, max: 4 }),
      mostEdits: fc.constantFrom(2, 1000),
    });
    fc.assert(
      fc.property(texts, texts, options, (before, after, given) => {
        fc.pre(before !== after);
        const patch = diff(before, after, given);
        expect(applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
      }),
      { numRuns: 500 },
    );
  });
});
