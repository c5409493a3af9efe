import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/domain/worker/connection.ts";
import { type RowSource, takePage } from "../../../src/domain/worker/page.ts";

function sourceOf(rows: Row[]): RowSource {
  return { iterator: rows[Symbol.iterator](), columns: [{ name: "a", type: null }] };
}

const LIMITS = { limit: 100, maxBytes: 10_000, maxCellBytes: 1000 };

describe("takePage", () => {
  it("is cut where more rows follow", () => {
    const page = takePage(sourceOf([[1n], [2n], [3n]]), { ...LIMITS, limit: 2 });
    expect(page).toMatchObject({ truncated: true, rows: [[1], [2]] });
  });

  it("is not cut where it ends with its last row", () => {
    expect(takePage(sourceOf([[1n], [2n]]), { ...LIMITS, limit: 2 })).toMatchObject({ truncated: false });
  });

  it("returns at least one row, however small the page", () => {
    const source = sourceOf([["a".repeat(500)], ["b".repeat(500)]]);
    const page = takePage(source, { ...LIMITS, maxBytes: 10 });
    expect(page).toMatchObject({ truncated: true, rows: [[{ bytes: 500, truncated: true }]] });
  });

  it("reads no further than it must", () => {
    let taken = 0;
    const iterator = {
      next: () => {
        taken += 1;
        return { done: false as const, value: ["x".repeat(900)] };
      },
    };
    takePage({ iterator, columns: [{ name: "a", type: null }] }, { ...LIMITS, maxCellBytes: 10_000 });
    expect(taken).toBe(12);
  });

  it("marks columns whose text may not be what is stored", () => {
    const source = {
      ...sourceOf([
        ["fine", "a\uFFFD"],
        ["b", "c"],
      ]),
      columns: [
        { name: "a", type: null },
        { name: "b", type: null },
      ],
    };
    expect(takePage(source, LIMITS).columns).toEqual([
      { name: "a", type: null },
      { name: "b", type: null, inexact: true },
    ]);
  });
});
