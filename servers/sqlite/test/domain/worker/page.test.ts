import { describe, expect, it } from "vitest";
import type { Row } from "../../../src/domain/worker/connection.ts";
import { type RowSource, takePage } from "../../../src/domain/worker/page.ts";

function sourceOf(rows: Row[]): RowSource {
  return { iterator: rows[Symbol.iterator](), pending: undefined, columns: [{ name: "a", type: null }] };
}

const LIMITS = { limit: 100, maxBytes: 10_000, maxCellBytes: 1000 };

describe("takePage", () => {
  it("begins the next page with the row that did not fit", () => {
    const source = sourceOf([[1n], [2n], [3n], [4n], [5n]]);
    const pages = [1, 2, 3].map(() => takePage(source, { ...LIMITS, limit: 2 }));
    expect(pages.map(({ rows }) => rows)).toEqual([[[1], [2]], [[3], [4]], [[5]]]);
    expect(pages.map(({ truncated }) => truncated)).toEqual([true, true, false]);
  });

  it("is not cut where it ends with its last row", () => {
    expect(takePage(sourceOf([[1n], [2n]]), { ...LIMITS, limit: 2 })).toMatchObject({ truncated: false });
  });

  it("returns at least one row, however small the page", () => {
    const source = sourceOf([["a".repeat(500)], ["b".repeat(500)]]);
    const page = takePage(source, { ...LIMITS, maxBytes: 10 });
    expect(page).toMatchObject({ truncated: true, rows: [[{ bytes: 500, truncated: true }]] });
    expect(takePage(source, { ...LIMITS, maxBytes: 10 }).rows).toHaveLength(1);
  });

  it("reads no further than it must", () => {
    let taken = 0;
    const iterator = {
      next: () => {
        taken += 1;
        return { done: false as const, value: ["x".repeat(900)] };
      },
    };
    takePage(
      { iterator, pending: undefined, columns: [{ name: "a", type: null }] },
      { ...LIMITS, maxCellBytes: 10_000 },
    );
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
