import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readMany } from "../../../src/domain/reading/many.ts";
import { readText } from "../../../src/domain/reading/read-text.ts";
import { createScratch, never } from "./scratch.ts";

const BUDGET = 40_000;
const { root, guard, write } = createScratch();

describe("readMany", () => {
  it("keeps to the budget, and says what did not fit and how to get it", async () => {
    const line = `${"x".repeat(127)}\n`;
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const name of names) write(name, line.repeat(70));
    const { files, ...rest } = await readMany(guard, names, never, BUDGET);
    expect(rest).toEqual({ failed: 0, omitted: 1, truncated: true });
    expect(JSON.stringify(files).length).toBeLessThanOrEqual(BUDGET);
    expect(files.map((file) => file.truncated ?? false)).toEqual([false, false, false, false, true]);
    const more = await readText(guard, { path: "e", cursor: files[4]?.next_cursor }, { signal: never });
    expect((files[4]?.text ?? "") + more.text).toBe(line.repeat(70));
  });

  it("leaves room for no more failures than fit", async () => {
    const paths = Array.from({ length: 100 }, (_, index) => `${index}${`/${"n".repeat(200)}`.repeat(15)}`);
    const { files, failed, omitted, truncated } = await readMany(guard, paths, never, BUDGET);
    expect(JSON.stringify(files).length).toBeLessThanOrEqual(BUDGET);
    expect({ failed, omitted, truncated }).toEqual({
      failed: files.length,
      omitted: 100 - files.length,
      truncated: true,
    });
    expect(files.length).toBeGreaterThan(5);
  });

  it("shows only the beginning of what is too long to be a path", async () => {
    write("one", "1\n");
    const { files } = await readMany(guard, ["a".repeat(1_000_000), "one"], never, BUDGET);
    expect(files.map(({ path, text, error }) => [path, text ?? error?.code])).toEqual([
      [`${"a".repeat(200)}…`, "invalid_input"],
      [join(root, "one"), "1\n"],
    ]);
    expect(JSON.stringify(files).length).toBeLessThan(2000);
  });

  it("stops when it is told to", async () => {
    await expect(readMany(guard, ["one"], AbortSignal.abort(new Error("enough")), BUDGET)).rejects.toThrow(
      "enough",
    );
  });
});
