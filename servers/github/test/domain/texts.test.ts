import { describe, expect, it } from "vitest";

import { toRemoteFile, toUrlPath } from "../../src/domain/contents.ts";
import { isDiffOf, splitDiff } from "../../src/domain/diff.ts";
import { applyEdits } from "../../src/domain/edit-text.ts";
import { countErrors, pickLines } from "../../src/domain/answers/log-lines.ts";
import { project, renderItem } from "../../src/domain/answers/projection.ts";

const edit = (old_text: string, new_text: string) => ({ old_text, new_text });

describe("edits", () => {
  it("replace what is there once, one after the other", () => {
    expect(applyEdits("a b c", [edit("b", "B"), edit("B c", "x")], "f")).toBe("a x");
    expect(applyEdits("a\r\nb\r\n", [edit("a\nb", "c\nd")], "f")).toBe("c\r\nd\r\n");
    expect(applyEdits("price: $&", [edit("$&", "$1")], "f")).toBe("price: $1");
    expect(applyEdits("a\u200Bb", [edit("a\\u{200B}b", "a\\u{200B}c")], "f")).toBe("a\u200Bc");
    expect(applyEdits("a\r\nb\r\n", [edit("a", "c\nd")], "f")).toBe("c\r\nd\r\nb\r\n");
  });

  it.each([
    ["is not there", "abc", edit("xyz", "c"), /not in f$/],
    [
      "is nearly there",
      "# A\nVersion 1.2.3\n",
      edit("Version 1.2.2", "c"),
      /not in f\. Nearest[^]*2: Version 1\.2\.3/,
    ],
    ["was replaced already", "a c", edit("b", "c"), /not in f$/],
    ["is there twice", "a a", edit("a", "c"), /more than once/],
    ["overlaps itself", "aaa", edit("aa", "c"), /more than once/],
    ["is empty", "a", edit("", "c"), /empty/],
    ["changes nothing", "a", edit("a", "a"), /changes nothing/],
  ])("are refused where the old text %s", (_, text, given, words) => {
    expect(() => applyEdits(text, [given], "f")).toThrow(words);
  });

  it("say of an old text that an earlier edit replaced it, and not that the file lacks it", () => {
    const overlapping = [edit("one\ntwo", "1\n2"), edit("two\nthree", "2\nthree")];
    expect(() => applyEdits("one\r\ntwo\r\nthree\r\n", overlapping, "f")).toThrow(
      expect.objectContaining({
        message: "edits[1].old_text is not in f after the edits before it",
        hint: expect.stringContaining("an earlier edit of this call replaced it") as string,
      }),
    );
    const shown = [edit("b c", "B C"), edit("a\\u{200B}b", "A")];
    expect(() => applyEdits("a\u200Bb c", shown, "f")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("an earlier edit") as string }),
    );
    const swapped = [edit("x = 1", "y = 2"), edit("y = 2", "x = 1")];
    expect(() => applyEdits("x = 1\ny = 2\n", swapped, "f")).toThrow(
      /in f after the edits before it more than once/,
    );
  });
});

it("edits of long texts take no longer where a file repeats itself", { timeout: 20_000 }, () => {
  // The platform's own search takes more than half a minute for these.
  const half = "ab".repeat(100_000);
  const text = "ab".repeat(500_000);
  expect(() => applyEdits(text, [edit(`${half}c${half}`, half)], "f")).toThrow(/not in f/);
});

describe("paths", () => {
  it("are names, each for itself", () => {
    expect(toUrlPath("a b/ü?#%/c")).toBe("a%20b/%C3%BC%3F%23%25/c");
    expect(toUrlPath("/a//b/")).toBe("a/b");
    for (const bad of ["../x", "a/../b", ".", "a/\0"]) expect(() => toUrlPath(bad)).toThrow(/not a path/);
  });
});

describe("logs and diffs", () => {
  it("are taken apart without losing anything", () => {
    const diff = "diff --git a/x b/x\n+diff --git inside\ndiff --git a/y b/y\n-z\n";
    expect(splitDiff(diff)).toHaveLength(2);
    expect(splitDiff(diff).join("")).toBe(diff);
    const within = ["\r", "\u2028", "\u2029"].map((end) => `+z${end}diff --git a/y b/y\n`).join("");
    expect(splitDiff(`diff --git a/x b/x\n${within}`)).toHaveLength(1);
    expect(pickLines("a\nb\nc\n", { tail: 2 })).toEqual({ lines: ["b", "c"], total: 3, isEnd: false });
    expect(pickLines("a\n##[error]b\nc\n##[error]d\n", { tail: 1 })).toEqual({
      lines: ["##[error]d"],
      total: 4,
      isEnd: false,
      errors: ["1: a", "2: ##[error]b"],
      errorsTotal: 1,
    });
    const long = `${"x\n".repeat(50)}cause\n##[error]exit code 1\n${"clean-up\n".repeat(50)}`;
    const { errors: near = [] } = pickLines(long, { tail: 10 });
    expect([near.length, near.at(-2), countErrors(near)]).toEqual([11, "51: cause", 1]);
    expect(pickLines(long, { tail: 10, context: 0 }).errors).toEqual(["52: ##[error]exit code 1"]);
    const { errors, errorsTotal } = pickLines("##[error]x\n".repeat(100), { tail: 10 });
    expect([errorsTotal, errors?.[0], errors?.at(-1)]).toEqual([90, "1: ##[error]x", "20: ##[error]x"]);
    expect(pickLines("a\nB\nc\nd\nb", { grep: "b", context: 0 })).toEqual({
      lines: ["2: B", "5: b"],
      total: 5,
      isEnd: false,
      matches: 2,
    });
  });
});

describe("a file of a diff", () => {
  // As git writes them, with core.quotePath and without.
  it.each([
    ["a b.txt", "diff --git a/a b.txt b/a b.txt"],
    ["café.txt", "diff --git a/café.txt b/café.txt"],
    ["café.txt", String.raw`diff --git "a/caf\303\251.txt" "b/caf\303\251.txt"`],
    [
      "日本/😀",
      String.raw`diff --git "a/\346\227\245\346\234\254/\360\237\230\200" "b/\346\227\245\346\234\254/\360\237\230\200"`,
    ],
    ['q"\\\t\n\x01', String.raw`diff --git "a/q\"\\\t\n\001" "b/q\"\\\t\n\001"`],
  ])("is found by its path: %j", (path, line) => {
    const file = `${line}\nindex 1..2 100644\n`;
    expect(isDiffOf(file, path)).toBe(true);
    expect(isDiffOf(file, `${path}x`)).toBe(false);
  });

  it("is found by its path before and after", () => {
    const file = String.raw`diff --git a/cafe.txt "b/caf\303\251.txt"`;
    expect(["cafe.txt", "café.txt", "caf"].map((path) => isDiffOf(file, path))).toEqual([true, true, false]);
  });
});

it.each([
  ["of the same content", "hello", undefined],
  ["of other content", "target", "target"],
])("a file with a sha that is not its content's own is a link only to a blob %s", async (_, blob, linkTo) => {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const data = { path: "a", sha: "0".repeat(64), size: 5, encoding: "base64", content: encode("hello") };
  const file = await toRemoteFile(data, () => Promise.resolve({ content: encode(blob) }));
  expect([file.bytes.toString(), file.linkTo]).toEqual(["hello", linkTo]);
});

describe("fields", () => {
  it("are taken by their paths, and nothing empty", () => {
    const data = { a: { b: 1 }, list: [{ n: "x" }, { n: "y" }], none: null, empty: [], text: "" };
    expect(
      project(data, ["b=a.b", "names=list[].n", "none", "empty", "text", "no.such", "constructor"]),
    ).toEqual({ b: 1, names: ["x", "y"] });
    expect(project({ repository_url: "https://x/repos/o/r" }, ["repository=repository_url"])).toEqual({
      repository: "o/r",
    });
    expect(renderItem({ n: 1, list: ["a", "b"], body: "two\nlines" })).toBe(
      "n: 1 · list: a, b\nbody:\ntwo\nlines",
    );
  });
});
