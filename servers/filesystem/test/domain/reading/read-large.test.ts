import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TEXT_BYTES, HASHED_BYTES } from "../../../src/domain/reading/limits.ts";
import { readText } from "../../../src/domain/reading/read-text.ts";
import { createReader, joined } from "./reader.ts";

const { guard, write, read, readOn } = createReader();

describe("files too large to be read whole", () => {
  const lines = Array.from(
    { length: 200_000 },
    (_, index) => `line ${index + 1} ${"x".repeat(index % 40)}\n`,
  );
  const path = write("large", lines.join(""));

  it("are read from where the lines are", async () => {
    expect(lines.join("").length).toBeGreaterThan(HASHED_BYTES);
    const head = await read(path, { head: 10 });
    expect(head).toMatchObject({
      text: lines.slice(0, 10).join(""),
      end_line: 10,
      next_line: 11,
      truncated: false,
    });
    expect(head).not.toHaveProperty("total_lines");
    const tail = await read(path, { tail: 10 });
    expect(tail).toMatchObject({ text: lines.slice(-10).join(""), truncated: false });
    expect(tail).not.toHaveProperty("start_line");
    const middle = await read(path, { start_line: 150_000, end_line: 150_002 });
    expect(middle).toMatchObject({ text: lines.slice(149_999, 150_002).join(""), start_line: 150_000 });
    expect(await read(path, { start_line: 199_999 })).toMatchObject({ total_lines: 200_000 });
  });

  it("give the same lines as if they had been split", async () => {
    const spans = fc.record({
      first: fc.integer({ min: 1, max: lines.length }),
      count: fc.integer({ min: 1, max: 500 }),
    });
    await fc.assert(
      fc.asyncProperty(spans, async ({ first, count }) => {
        const last = first + count - 1;
        expect((await read(path, { head: count })).text).toBe(lines.slice(0, count).join(""));
        expect((await read(path, { tail: count })).text).toBe(lines.slice(-count).join(""));
        const range = await read(path, { start_line: first, end_line: last });
        expect(range.text).toBe(lines.slice(first - 1, last).join(""));
      }),
      { numRuns: 40 },
    );
  });

  it("say how many lines they have only to who goes past the end", async () => {
    await expect(read(path, { start_line: 200_001 })).rejects.toMatchObject({
      details: { total_lines: 200_000 },
    });
  });

  it("come whole by cursor, from either end", async () => {
    expect(joined(await readOn(path, {}, TEXT_BYTES))).toBe(lines.join(""));
    const back = await readOn(path, { tail: 100_000 }, TEXT_BYTES);
    expect(joined(back.toReversed())).toBe(lines.slice(-100_000).join(""));
  });

  it("have an etag of their own kind, which changes with them", async () => {
    const { etag } = await read(path, { head: 1 });
    expect(etag).toMatch(/^stat-/);
    expect((await read(path, { tail: 1 })).etag).toBe(etag);
    const other = write("large2", lines.join(""));
    expect((await read(other, { head: 1 })).etag).not.toBe(etag);
  });

  it("are not read on once they have changed", async () => {
    const changing = write("changing", lines.join(""));
    const { next_cursor: cursor } = await read(changing, {}, TEXT_BYTES);
    write("changing", `inserted\n${lines.join("")}`);
    await expect(read(changing, { cursor }, TEXT_BYTES)).rejects.toMatchObject({ code: "conflict" });
  });

  it("stop when they are told to", async () => {
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(readText(guard, { path, start_line: 100_000 }, { signal: aborted })).rejects.toThrow(
      "enough",
    );
  });
});
