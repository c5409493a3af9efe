import { appendFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diffFiles, type DiffRequest, type FileDiff } from "../../../src/domain/reading/diff-files.ts";
import { COMPARED_BYTES } from "../../../src/domain/reading/limits.ts";
import { createScratch, never } from "./scratch.ts";

const { root, guard, write } = createScratch();

const compare = (
  before: string,
  after: string,
  more: Partial<DiffRequest> = {},
  limit?: number,
): Promise<FileDiff> => diffFiles(guard, { old_path: before, new_path: after, ...more }, never, limit);

describe("diffFiles", () => {
  it("compares text by lines", async () => {
    const [a, b] = [write("a", "one\ntwo\n"), write("b", "one\n2\n")];
    expect(await compare(a, b)).toEqual({
      old_path: a,
      new_path: b,
      identical: false,
      compared: "lines",
      diff: `--- ${a}\n+++ ${b}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n`,
      added_lines: 1,
      removed_lines: 1,
      minimal: true,
      truncated: false,
    });
    expect(await compare(a, a)).toMatchObject({ identical: true, diff: "", compared: "lines" });
  });

  it("finds the same lines in another encoding, and says that the files differ", async () => {
    const [a, b] = [write("a", "é\n"), write("b", Buffer.from("\uFEFFé\n", "utf16le"))];
    expect(await compare(a, b)).toMatchObject({ identical: false, compared: "lines", diff: "" });
  });

  it("compares what is not text by bytes", async () => {
    const [a, b] = [write("a", "\0one"), write("b", "\0two")];
    expect(await compare(a, b)).toMatchObject({ identical: false, compared: "bytes", diff: "" });
    expect(await compare(a, write("c", "\0one"))).toMatchObject({ identical: true, compared: "bytes" });
    for (const other of ["text", "\0on", "\0one more"]) {
      expect(await compare(a, write("c", other))).toMatchObject({ identical: false, compared: "bytes" });
    }
  });

  it("compares what is too large by bytes, to the last one", async () => {
    const [a, b] = [write("a", "x"), write("b", "x")];
    for (const path of [a, b]) truncateSync(path, COMPARED_BYTES);
    for (const path of [a, b]) appendFileSync(path, "same");
    expect(await compare(a, b)).toMatchObject({ identical: true, compared: "bytes" });
    appendFileSync(a, "1");
    appendFileSync(b, "2");
    expect(await compare(a, b)).toMatchObject({ identical: false, compared: "bytes" });
  });

  it("cuts a long diff behind a line, and goes on exactly there", async () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`);
    const [a, b] = [write("a", ""), write("b", [...lines, "x".repeat(300)].join(""))];
    const whole = (await compare(a, b)).diff;
    const pages = [await compare(a, b, {}, 200)];
    while (pages.at(-1)?.next_cursor !== undefined) {
      expect(pages.length).toBeLessThan(50);
      pages.push(await compare(a, b, { cursor: pages.at(-1)?.next_cursor }, 200));
    }
    expect(pages.map(({ diff }) => diff).join("")).toBe(whole);
    expect(pages[0]?.diff.endsWith("\n")).toBe(true);
    expect(pages.every(({ diff }) => diff.length <= 200)).toBe(true);
    expect(pages.map(({ truncated }) => truncated)).toEqual(
      pages.map((_, index) => index < pages.length - 1),
    );
  });

  it("does not go on in a diff that has changed", async () => {
    const [a, b] = [write("a", ""), write("b", "1\n2\n3\n".repeat(50))];
    const { next_cursor: cursor } = await compare(a, b, {}, 100);
    await expect(compare(a, b, { cursor, context: 0 }, 100)).rejects.toMatchObject({
      code: "invalid_input",
    });
    appendFileSync(b, "4\n");
    await expect(compare(a, b, { cursor }, 100)).rejects.toMatchObject({ code: "conflict" });
  });

  it("says which of the two is missing", async () => {
    const a = write("a", "");
    await expect(compare(a, "gone")).rejects.toMatchObject({
      code: "not_found",
      message: `"${join(root, "gone")}" does not exist`,
    });
    await expect(compare("lost", a)).rejects.toMatchObject({
      code: "not_found",
      message: `"${join(root, "lost")}" does not exist`,
    });
  });
});
