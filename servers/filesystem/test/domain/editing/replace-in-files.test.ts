import { chmodSync, linkSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { asNobody, needs } from "@suite/server-kit/testing";
import { beforeEach, describe, expect, it } from "vitest";
import {
  replaceInFiles,
  type ReplaceInput,
  type ReplacedFiles,
} from "../../../src/domain/editing/replace-in-files.ts";
import type { Applied } from "../../../src/domain/writing/changes/apply-change.ts";
import { toLockName } from "../../../src/domain/reserved-names.ts";
import { createProcessMark } from "../../../src/domain/writing/changes/process-mark.ts";
import { Scratch } from "../writing/scratch.ts";

let scratch: Scratch;
beforeEach(() => void (scratch = new Scratch()));

const look = (input: Partial<ReplaceInput> = {}): Promise<ReplacedFiles & Applied> =>
  replaceInFiles(scratch.request(), { path: ".", pattern: "old", replacement: "new", ...input });

/** As one should: first look, then do it. */
async function replace(input: Partial<ReplaceInput> = {}): Promise<ReplacedFiles & Applied> {
  const { count } = await look(input);
  return look({ ...input, expected_count: count });
}

describe("replacing in many files", () => {
  it("says how many other names of the files keep the old content", async () => {
    for (const [name, ...others] of [["a", "b", "c"], ["d", "e"], ["f"]]) {
      const path = scratch.write(`${name}.txt`, "old");
      for (const other of others) linkSync(path, scratch.at(other));
    }
    linkSync(scratch.at("d.txt"), scratch.at("g.txt"));
    const seen = await look({ include: ["*.txt"] });
    const done = await replace({ include: ["*.txt"] });
    for (const result of [seen, done]) expect(result).toMatchObject({ other_names: 3, separated_names: 1 });
    const rest = await replace();
    expect(rest).not.toHaveProperty("other_names");
    expect(rest.separated_names).toBe(1);
  });

  needs(it, "file modes")("keeps line ends, byte order marks and modes", async () => {
    const path = scratch.write("a", "\uFEFFone\r\nold\r\nthree");
    chmodSync(path, 0o700);
    await replace({ pattern: "one\nold\n", replacement: "1\n2\n3\n" });
    expect(readFileSync(path, "utf8")).toBe("\uFEFF1\r\n2\r\n3\r\nthree");
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it("takes expressions with groups", async () => {
    scratch.write("a", "get(x); get(yy); got(z)");
    await replace({ pattern: String.raw`get\((?P<what>\w+)\)`, regex: true, replacement: "$$${what}:$1:$&" });
    expect(scratch.read("a")).toBe("$x:x:get(x); $yy:yy:get(yy); got(z)");
  });

  it("anchors expressions at lines, whatever these end with", async () => {
    scratch.write("a", "x\r\nx y\r\nx\n");
    await replace({ pattern: "^x$", regex: true, replacement: "z" });
    expect(scratch.read("a")).toBe("z\r\nx y\r\nz\n");
  });

  it.each([
    { pattern: "a\r\nB", ignore_case: true },
    { pattern: "A\r\nB", regex: true },
    { pattern: String.raw`A\r\nB`, regex: true },
    { pattern: String.raw`A[\r\n]+B`, regex: true },
  ])("takes \\r\\n for any line end: %j", async (input) => {
    scratch.write("a", "A\r\nB \\r\nA\nB");
    await replace({ ...input, replacement: "x" });
    expect(scratch.read("a")).toBe("x \\r\nx");
    await replace({ pattern: String.raw`\\r\n`, regex: true, replacement: "y" });
    expect(scratch.read("a")).toBe("x yx");
  });

  it.each([
    [String.raw`(?:\r\n?|\n)B`, "A\r\nB AB", "A| AB"],
    [String.raw`A\r\n{1,2}B`, "A\r\nB", "A\r\nB"],
    [String.raw`A\r\n{B`, "A\r\n{B", "|"],
    ["A\r\n?B", "A\r\nB", "A\r\nB"],
    [String.raw`A\Q\r\n\E`, String.raw`A\r\n`, "|"],
    ["A\\Q\r\nB\\E", "A\r\nB", "|"],
    [String.raw`[^]\r\n]B`, "\rB", "\rB"],
    [String.raw`[^[:alpha:]\r\n]B`, "\rB", "\rB"],
  ])("takes \\r\\n for a line end only where it stands for one: %j", async (pattern, before, after) => {
    scratch.write("a", before);
    await replace({ pattern, regex: true, replacement: "|" });
    expect(scratch.read("a")).toBe(after);
  });

  it("says once that an expression matched nothing but empty places, and only then", async () => {
    const pattern = { pattern: "[ \t]*$", regex: true, replacement: "" };
    scratch.write("a", "x");
    scratch.write("b", "x");
    expect(await look(pattern)).toMatchObject({
      count: 0,
      skipped: [
        { path: scratch.root, reason: "the pattern matches only empty places, which are not replaced" },
      ],
    });
    scratch.write("c", "x ");
    const { count, skipped } = await look(pattern);
    expect({ count, skipped }).toEqual({ count: 1, skipped: undefined });
  });

  it("takes dollars and dots as they are without regex, and case when told", async () => {
    scratch.write("a", "a.b A.B axb");
    await replace({ pattern: "a.b", ignore_case: true, replacement: "$1" });
    expect(scratch.read("a")).toBe("$1 $1 axb");
  });

  needs(it, "symbolic links")(
    "looks only where it is told to, and never at ignored, binary, protected or linked files",
    async () => {
      scratch.write(".gitignore", "ignored\n");
      for (const name of ["a.ts", "b.md", "skip/a.ts", "ignored", ".git/config"]) scratch.write(name, "old");
      scratch.write("binary.ts", Buffer.from("old\0"));
      scratch.write("../outside/x.ts", "old");
      symlinkSync(join(scratch.outside, "x.ts"), scratch.at("link.ts"));
      const { changed, counts, ignored } = await replace({ include: ["*.ts"], exclude: ["skip"] });
      expect([changed, counts, ignored]).toEqual([[scratch.at("a.ts")], [1], 1]);
      expect((await look({ include: ["skip"] })).changed).toEqual([scratch.at("skip/a.ts")]);
      const all = await look({ respect_gitignore: false });
      expect(all.changed.toSorted()).toEqual(
        ["b.md", "ignored", "skip/a.ts"].map((name) => scratch.at(name)),
      );
      expect(readFileSync(join(scratch.outside, "x.ts"), "utf8")).toBe("old");
      expect(scratch.read(".git/config")).toBe("old");
    },
  );

  needs(it, "file modes")(
    "names text in other encodings, and directories that are closed to it",
    async () => {
      scratch.write("latin1", Buffer.from("old caf\xE9", "latin1"));
      scratch.write("utf16", Buffer.from("\uFEFFold", "utf16le"));
      scratch.write("closed/a", "old");
      chmodSync(scratch.at("closed"), 0);
      scratch.openToAll();
      const { count, skipped } = await asNobody(() => look());
      chmodSync(scratch.at("closed"), 0o755);
      expect([count, skipped]).toEqual([
        0,
        [
          { path: scratch.at("latin1"), reason: "not UTF-8" },
          { path: scratch.at("utf16"), reason: "not UTF-8" },
          { path: scratch.at("closed"), reason: "permission denied" },
        ],
      ]);
    },
  );

  it("changes a large file, too", async () => {
    const rest = `${"x".repeat(1000)}\n`.repeat(1500);
    scratch.write("large", `old\n${rest}`);
    await replace();
    expect(scratch.read("large") === `new\n${rest}`).toBe(true);
  });

  it("finds nothing to do where the replacement is what is there", async () => {
    scratch.write("a", "old");
    expect(await look({ replacement: "old" })).toMatchObject({ count: 0, changed: [] });
  });

  it("refuses patterns and replacements that cannot be", async () => {
    scratch.write("a", "old");
    for (const input of [
      { pattern: "(", regex: true },
      { pattern: "(?=x)", regex: true },
      { pattern: `[${String.raw`\a`.repeat(1000)}`, regex: true },
      { pattern: "(o)", regex: true, replacement: "$2" },
      { pattern: "(o)", regex: true, replacement: "${no}" },
      { include: ["["] },
    ]) {
      await expect(look(input)).rejects.toMatchObject({ code: "invalid_input" });
    }
  });

  it("passes over empty matches", async () => {
    scratch.write("a", "xaax");
    await replace({ pattern: "a*", regex: true, replacement: "b" });
    expect(scratch.read("a")).toBe("xbx");
  });

  it("stops in the middle of a costly expression", async () => {
    scratch.write("a", "a".repeat(200_000));
    const costly = { path: ".", pattern: "a[^b]*b|a", regex: true, replacement: "c" };
    const request = { ...scratch.request(), signal: AbortSignal.timeout(200) };
    await expect(replaceInFiles(request, costly)).rejects.toBeDefined();
  });
});

describe("bounds", () => {
  it.each([
    ["of too many characters", { pattern: "ab".repeat(501), regex: true }, "invalid_input"],
    ["of too much plain text", { pattern: "ab".repeat(5001), ignore_case: true }, "invalid_input"],
    ["of too many copies", { pattern: "a{1000}b{1000}c{1000}", regex: true }, "invalid_input"],
    ["that finds too much", { pattern: "a" }, "too_large"],
    ["that finds too much, as an expression", { pattern: "[a]", regex: true }, "too_large"],
    ["too slow for the file", { pattern: "a{900}b", regex: true }, "too_large"],
  ])("refuse a pattern %s", async (_, search, code) => {
    scratch.write("file", "a".repeat(1_500_000));
    const input = { path: ".", replacement: "b", ...search };
    await expect(replaceInFiles(scratch.request(), input)).rejects.toMatchObject({ code });
  });

  it("refuse replacements that would not fit into memory", async () => {
    scratch.write("file", "a".repeat(10_000));
    for (const search of [{ pattern: "a" }, { pattern: "(a)", regex: true }]) {
      const input = { path: ".", replacement: "b".repeat(100_000), ...search };
      await expect(replaceInFiles(scratch.request(), input)).rejects.toMatchObject({ code: "too_large" });
    }
  });
});

describe("all or nothing", () => {
  needs(it, "symbolic links")("takes everything back when one of the files cannot be replaced", async () => {
    for (const name of ["a", "b", "c"]) scratch.write(`${name}/file`, "old");
    const before = scratch.tree();
    // A lock that somebody alive holds: the others are locked before it, and nothing else happens.
    symlinkSync(JSON.stringify(createProcessMark(process.ppid)), scratch.at("c", toLockName("file")));
    const request = { ...scratch.request(), signal: AbortSignal.timeout(300) };
    await expect(
      replaceInFiles(request, { path: ".", pattern: "old", replacement: "new", expected_count: 3 }),
    ).rejects.toMatchObject({ code: "timeout" });
    expect(scratch.tree()).toEqual(before);
    expect(scratch.leftovers()).toHaveLength(1);
    expect(scratch.entries()).toEqual([]);
  });
});
