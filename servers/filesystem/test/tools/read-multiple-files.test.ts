import { describe, expect, it } from "vitest";
import { readMultipleFiles } from "../../src/tools/read-multiple-files.ts";
import { createScratch } from "../domain/reading/scratch.ts";
import { connectTool, errorOf, textOf } from "./tool-client.ts";

const scratch = createScratch();
const { root, write } = scratch;
const call = await connectTool(readMultipleFiles, scratch);

describe("read_multiple_files", () => {
  it("gives each file under its name, and each failure in its place", async () => {
    write("one.txt", "1\n");
    write("empty", "");
    write("long", `${"x".repeat(99)}\n`.repeat(1000));
    const result = await call({ paths: ["one.txt", "gone", "empty", "long"] });
    expect(result.isError).not.toBe(true);
    expect(result.structuredContent).toMatchObject({
      failed: 1,
      truncated: true,
      files: [
        { path: `${root}/one.txt`, text: "1\n" },
        { path: "gone", error: { code: "not_found" } },
        { path: `${root}/empty`, text: "" },
        { path: `${root}/long`, truncated: true },
      ],
    });
    const text = textOf(result);
    expect(text).toMatch(/^"\S+one\.txt": etag \S+\n<untrusted-\w+>\n1\n/);
    expect(text).toContain(`\n"gone": not_found: "${root}/gone" does not exist. `);
    expect(text).toMatch(/\n"\S+empty": empty, etag \S+\n/);
    expect(text).toMatch(
      /long": etag \S+, truncated, cursor: "[\w.~-]+"\n[^]*\nTruncated\. Continue a file with read_text_file/,
    );
  });

  it("says which tool takes an encoding", async () => {
    write("latin1", Buffer.from("caf\xe9\n", "latin1"));
    expect(textOf(await call({ paths: ["latin1"] }))).toMatch(
      /Pass encoding "latin1"[^]*\nencoding is an argument of read_text_file\./,
    );
  });

  it("takes one path at least and a hundred at most", async () => {
    for (const paths of [[], Array.from({ length: 101 }, () => "one.txt")]) {
      expect(errorOf(await call({ paths }))).toMatchObject({ code: "invalid_input" });
    }
    const most = await call({ paths: Array.from({ length: 100 }, () => "one.txt") });
    expect(most.structuredContent).toMatchObject({ failed: 0, truncated: false });
  });
});
