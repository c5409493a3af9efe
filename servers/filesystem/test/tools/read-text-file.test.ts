import { describe, expect, it } from "vitest";
import { readTextFile } from "../../src/tools/read-text-file.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, textOf } from "./tool-client.ts";

const scratch = createScratch();
const { write } = scratch;
const call = await connectTool(readTextFile, scratch);

describe("read_text_file", () => {
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

  it("has few words for an empty file", async () => {
    const path = write("empty", "");
    const [, rest] = textOf(await call({ path })).split(`"${path}": `);
    expect(rest).toMatch(/^empty, etag \S+$/);
  });
});
