import { describe, expect, it } from "vitest";
import { readTextFile } from "../../src/tools/read-text-file.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, errorOf, textOf } from "./tool-client.ts";

const scratch = createScratch();
const { root, write } = scratch;
const call = await connectTool(readTextFile, scratch);

describe("read_text_file", () => {
  it("gives the text fenced, after a line that says what it is", async () => {
    const path = write("a.txt", "one\ntwo\n");
    const result = await call({ path, head: 1 });
    const { etag } = result.structuredContent as { etag: string };
    expect(result.structuredContent).toEqual({
      untrusted: ["text"],
      path,
      text: "one\n",
      etag,
      encoding: "utf-8",
      size: 8,
      start_line: 1,
      end_line: 1,
      total_lines: 2,
      truncated: false,
      next_line: 2,
    });
    const [header, open, ...rest] = textOf(result).split("\n");
    expect(header).toBe(`"${path}": line 1 of 2, etag ${etag}`);
    expect(open).toMatch(/^<untrusted-\w+>$/);
    expect(rest.slice(0, -1)).toEqual(["one"]);
    expect(rest.at(-1)).toBe(open?.replace("<", "</"));
  });

  it("says how a cut result goes on: by line, by cursor inside a line, and backwards", async () => {
    write("lines", `${"x".repeat(1023)}\n`.repeat(200));
    const lines = await call({ path: "lines" });
    expect(textOf(lines)).toMatch(/^".*": lines 1-38, etag \S+\n/);
    expect(textOf(lines)).toMatch(/\nTruncated\. Continue with start_line: 39\.$/);
    write("line", "x".repeat(200_000));
    const line = await call({ path: "line" });
    const { next_cursor: cursor } = line.structuredContent as { next_cursor: string };
    expect(textOf(line).endsWith(`\nTruncated. The rest of the line: cursor: "${cursor}".`)).toBe(true);
    const rest = await call({ path: "line", cursor });
    expect((rest.structuredContent as { text: string }).text).toHaveLength(39_000);
    expect(textOf(await call({ path: "lines", tail: 150 }))).toMatch(
      /\nTruncated\. What comes before: cursor: "[\w.~-]+"\.$/,
    );
  });

  it("shows hidden characters, and says how many", async () => {
    write("hidden", "pay\u202Elive\n");
    const result = await call({ path: "hidden" });
    expect(textOf(result)).toContain("1 hidden character shown as \\u{…}.");
    expect(textOf(result)).toContain("pay\\u{202E}live");
    expect(result.structuredContent).toMatchObject({ text: "pay\\u{202E}live\n" });
  });

  it("has few words for an empty file", async () => {
    const path = write("empty", "");
    expect(textOf(await call({ path }))).toMatch(new RegExp(`^"${path}": empty, etag \\S+$`));
  });

  it("tells a failure with its code and a hint", async () => {
    write("index.ts", "");
    const result = await call({ path: "index.st" });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(`"${root}/index.st" does not exist\nDid you mean "${root}/index.ts"?`);
    expect(errorOf(result)).toMatchObject({ code: "not_found", retryable: false });
  });

  it("refuses arguments that it does not know or that are of no use", async () => {
    for (const args of [{}, { path: "a", lines: 3 }, { path: "a", head: 0 }]) {
      const result = await call(args);
      expect([result.isError, errorOf(result)]).toMatchObject([true, { code: "invalid_input" }]);
    }
  });
});
