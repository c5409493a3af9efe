import { rmSync } from "node:fs";
import { dirname, join, sep } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  type ContentPage,
  type ContentRequest,
  findContent,
} from "../../../src/domain/searching/find-content.ts";
import { createScratch } from "../reading/scratch.ts";
import { countOpen } from "../walking/walks.ts";

const { root, guard, write } = createScratch();
const signal = new AbortController().signal;
const find = (request: ContentRequest): Promise<ContentPage> => findContent(guard, request, { signal });
const places = ({ files }: ContentPage): string[] =>
  files.flatMap(({ path, matches = [] }) =>
    matches.map(({ line, column }) => `${path.replaceAll(sep, "/")}:${line}:${column}`),
  );

describe("findContent", () => {
  it("searches the one file that it is given, ignored or not", async () => {
    write("one/.gitignore", "*\n");
    write("one/file", "x\nneedle\n");
    expect(places(await find({ path: "one/file", pattern: "needle" }))).toEqual(["one/file:2:1"]);
    expect(places(await find({ path: "one", pattern: "needle" }))).toEqual([]);
    expect(places(await find({ path: "one", pattern: "needle", respect_gitignore: false }))).toEqual([
      "one/file:2:1",
    ]);
  });

  it.each([
    ["^b", ["r:2:1"]],
    ["o$", ["r:1:3", "r:3:3"]],
    ["^$", ["r:4:1"]],
    ["(?i)FOO|BAR", ["r:1:1", "r:2:1", "r:3:1"]],
    ["f.*o", ["r:1:1", "r:3:1"]],
    ["o\\s+b", []],
    ["[^z]*", ["r:1:1", "r:2:1", "r:3:1", "r:4:1", "r:5:1"]],
    ["\\Afoo\\z", ["r:1:1", "r:3:1"]],
    ["(?-m)foo$", ["r:1:1", "r:3:1"]],
    ["😀(.)😀", ["r:5:2"]],
    ["\\w+é", ["r:5:8"]],
  ])("fits %s to single lines, whatever ends them", async (pattern, expected) => {
    write("expressions/r", "foo\nbar\r\nfoo\n\né😀x😀 aé");
    const page = await find({ path: "expressions", pattern, regex: true });
    expect(places(page)).toEqual(expected.map((place) => `expressions/${place}`));
  });

  it("folds case when asked", async () => {
    write("folded/f", "Needle\nneedle\nNEEDLE\n");
    const request = { path: "folded", pattern: "nEEdle", ignore_case: true };
    expect(places(await find(request))).toHaveLength(3);
    expect(places(await find({ ...request, pattern: "nee.*e", regex: true }))).toHaveLength(3);
    expect(places(await find({ ...request, ignore_case: false }))).toEqual([]);
    write("folded/kelvin", "ta\u017F\u212A12\n");
    expect(places(await find({ ...request, pattern: "TASK\\d+2", regex: true }))).toEqual([
      "folded/kelvin:1:1",
    ]);
  });

  it("gives the lines around a match, also across the windows that a large file is read in", async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`);
    write("large/file", lines.join("\n"));
    for (const line of [1, 2, 5957, 5958, 5959, 5960, 5961, 29_999, 30_000]) {
      const { files } = await find({ path: "large", pattern: `^line ${line}$`, regex: true, context: 2 });
      const before = lines.slice(Math.max(0, line - 3), line - 1);
      const after = lines.slice(line, line + 2);
      expect(files[0]?.matches).toEqual([
        {
          line,
          column: 1,
          text: `line ${line}`,
          ...(before.length > 0 && { before }),
          ...(after.length > 0 && { after }),
        },
      ]);
    }
  });

  it("counts binary files and looks no further into them", async () => {
    write("binary/a", "needle\u0000needle");
    write("binary/b", `${"x\n".repeat(100_000)}needle\n${"x\n".repeat(100_000)}\u0000\nneedle`);
    write("binary/c", "needle");
    const page = await find({ path: "binary", pattern: "needle" });
    expect([places(page), page.binary_files, page.files_searched]).toEqual([
      ["binary/b:100001:1", "binary/c:1:1"],
      2,
      3,
    ]);
  });

  it("names files in other encodings if the pattern cannot be found in them", async () => {
    write("encodings/utf-8", "caf\u00E9\n");
    write("encodings/utf-16", Buffer.from("\uFEFFcaf\u00E9\n", "utf16le"));
    write("encodings/latin-1", Buffer.from("caf\u00E9\n", "latin1"));
    write("encodings/large", Buffer.from(`${"plain\n".repeat(50_000)}caf\u00E9\ncaf\u00E9\n`, "latin1"));
    const page = await find({ path: "encodings", pattern: "f\u00E9" });
    expect(places(page)).toEqual(["encodings/utf-16:1:3", "encodings/utf-8:1:3"]);
    const reason = "it is not UTF-8, so only ASCII is found in it";
    expect(page.skipped).toEqual([
      { path: join("encodings", "large"), reason },
      { path: join("encodings", "latin-1"), reason },
    ]);
    expect(await find({ path: "encodings", pattern: "plai" })).not.toHaveProperty("skipped");
  });

  it("cuts long lines around the match, between characters", async () => {
    write("long/file", `${"é😀".repeat(1000)}needle${"😀".repeat(1000)}`);
    const [file] = (await find({ path: "long", pattern: "needle" })).files;
    const match = file?.matches?.[0];
    expect(match?.column).toBe(3001);
    expect(match?.text).toMatch(/^…(é?😀)+needle(😀)+…$/u);
    expect(match?.text.length).toBeLessThan(410);
  });

  it("finds what lies at any place of a line that is read in pieces, and where", async () => {
    const KiB = 1024;
    for (const piece of [240 * KiB, 256 * KiB]) {
      for (let at = piece - 6; at <= piece; at += 1) {
        write("pieces/file", `before\n${"a".repeat(at)}needle${"b".repeat(400 * KiB)}\nafter`);
        for (const how of [{}, { ignore_case: true }, { regex: true }])
          expect(places(await find({ path: "pieces", pattern: "needle", ...how }))).toEqual([
            `pieces/file:2:${at + 1}`,
          ]);
      }
    }
    write("pieces/file", `before\n${"é".repeat(500 * KiB)}needle${"b".repeat(300 * KiB)}\nafter`);
    const page = await find({ path: "pieces", pattern: "(needle)+", regex: true, context: 1 });
    expect(places(page)).toEqual([`pieces/file:2:${500 * KiB + 1}`]);
    expect(page.files[0]?.matches?.[0]).toMatchObject({ text: expect.stringMatching(/^…é+needleb+…$/) });
  });

  it.each(["^a+b?", "a$", "^a|needle", "(a|needle)$", "needle|^é"])(
    "does not take the ends of pieces for those of a line: %s",
    async (pattern) => {
      const line = `x${"a".repeat(600 * 1024)}x`;
      write("ends/file", `${line}\n${line}needle\n`);
      const expected = new RegExp(pattern);
      const wanted = [line, `${line}needle`].flatMap((text, index) => {
        const place = text.search(expected);
        return place < 0 ? [] : [`ends/file:${index + 1}:${place + 1}`];
      });
      expect(places(await find({ path: "ends", pattern, regex: true }))).toEqual(wanted);
    },
  );

  it("refuses patterns that cannot be, and says what is there when the path is not", async () => {
    const refusal = (request: Partial<ContentRequest>): Promise<ContentPage> =>
      find({ path: ".", pattern: "x", ...request });
    await expect(refusal({ pattern: "a\nb" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(refusal({ pattern: "(", regex: true })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(refusal({ pattern: "a{1000}b{1000}c{1000}", regex: true })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("too large"),
    });
    await expect(refusal({ pattern: "(?=x)", regex: true })).rejects.toMatchObject({
      hint: expect.stringContaining("look-around") as string,
    });
    await expect(refusal({ path: "plan" })).rejects.toMatchObject({ code: "not_found" });
    await expect(refusal({ path: dirname(dirname(root)) })).rejects.toMatchObject({
      code: "permission_denied",
    });
  });

  it("ends when it is cancelled, also inside one large file", async () => {
    write("cancelled/file", "x".repeat(99).concat("\n").repeat(500_000));
    const before = countOpen();
    const controller = new AbortController();
    setImmediate(() => controller.abort(new Error("enough")));
    const searching = findContent(
      guard,
      { path: "cancelled", pattern: "(a|b|c)*y{9}z", regex: true },
      { signal: controller.signal },
    );
    await expect(searching).rejects.toThrow("enough");
    await expect.poll(countOpen).toBeLessThanOrEqual(before);
    rmSync(join(root, "cancelled"), { recursive: true });
  });

  it("takes no longer for an expression that was made to take long", async () => {
    write("evil/file", `${"a".repeat(30_000)}\n`);
    const started = process.cpuUsage();
    for (const pattern of [
      "(a+)+$x",
      "(a|aa)+b",
      "(.*)*c",
      "a*a*a*a*a*d",
      "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)e",
    ]) {
      expect(places(await find({ path: "evil", pattern, regex: true }))).toEqual([]);
    }
    expect(process.cpuUsage(started).user).toBeLessThan(10_000_000);
  });
});

describe("other modes", () => {
  it("say which files match, or how often, however many matches there are", async () => {
    write("modes/a", "needle\n".repeat(250));
    write("modes/b", "x\nneedle needle\n");
    write("modes/c", "nothing");
    const request = { path: "modes", pattern: "needle" };
    const [a, b] = [join("modes", "a"), join("modes", "b")];
    expect(await find({ ...request, mode: "count" })).toMatchObject({
      files: [
        { path: a, count: 250 },
        { path: b, count: 1 },
      ],
      matches: 251,
      truncated: false,
    });
    expect((await find({ ...request, mode: "files" })).files).toEqual([{ path: a }, { path: b }]);
  });

  it("count all pages on the first", async () => {
    write("modes/d", "needle\n");
    const request = { path: "modes", pattern: "needle", limit: 1 };
    const first = await find({ ...request, mode: "files" });
    expect(first).toMatchObject({ files: [{ path: join("modes", "a") }], total_files: 3 });
    const { next_cursor: cursor } = first;
    const second = await find({ ...request, mode: "files", cursor });
    expect(second.files).toEqual([{ path: join("modes", "b") }]);
    expect(second).not.toHaveProperty("total_files");
    const counted = await find({ ...request, mode: "count" });
    expect(counted).toMatchObject({ matches: 250, total_matches: 252, total_files: 3 });
    expect(counted).not.toHaveProperty("is_lower_bound");
  });

  it.each(["a\\nb", "a\nb", "(a|\\r)"])(
    "and a line break in a pattern (%j) is no silent nothing",
    async (pattern) => {
      const asked = find({ path: ".", pattern, regex: true });
      await expect(asked).rejects.toMatchObject({ code: "invalid_input" });
    },
  );

  it("but what only excludes line breaks is fine", async () => {
    write("negated/a", "needle\n");
    expect(places(await find({ path: "negated", pattern: "n[^\\n]+e", regex: true }))).toEqual([
      "negated/a:1:1",
    ]);
  });
});

describe("pages of matches", () => {
  async function all(request: ContentRequest): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await find({ ...request, cursor });
      expect(page.matches).toBeLessThanOrEqual(request.limit ?? 100);
      found.push(...places(page));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return found;
  }

  it("follow each other exactly, also in the middle of a file", async () => {
    const file = fc
      .array(fc.constantFrom("x", "y", "needle"), { maxLength: 12 })
      .map((lines) => lines.join("\n"));
    const files = fc.dictionary(fc.constantFrom("a", "b", "b.c", "d/a", "d/b", "d/e/f"), file);
    await fc.assert(
      fc.asyncProperty(files, fc.integer({ min: 1, max: 5 }), async (given, limit) => {
        rmSync(join(root, "paged"), { recursive: true, force: true });
        write("paged/");
        for (const [path, content] of Object.entries(given)) write(`paged/${path}`, content);
        const request = { path: "paged", pattern: "needle" };
        expect(await all({ ...request, limit })).toEqual(await all(request));
      }),
      { numRuns: 40 },
    );
  });

  it("end early when their lines are long", async () => {
    for (let index = 0; index < 20; index += 1)
      write(`wide/${index}`, `needle${"x".repeat(390)}\n`.repeat(40));
    const page = await find({ path: "wide", pattern: "needle", limit: 10_000 });
    expect(page.truncated).toBe(true);
    expect(page.matches).toBeLessThan(400);
    expect(await all({ path: "wide", pattern: "needle", limit: 10_000 })).toHaveLength(800);
  });

  it("tell of a line once, however long it is", async () => {
    write("endless/file", `${"needle ".repeat(200_000)}\nneedle\n`);
    expect(await all({ path: "endless", pattern: "needle", limit: 1 })).toEqual([
      "endless/file:1:1",
      "endless/file:2:1",
    ]);
  });

  it("belong to one search", async () => {
    write("bound/file", "needle\nneedle\n");
    const { next_cursor: cursor } = await find({ path: "bound", pattern: "needle", limit: 1 });
    await expect(find({ path: "bound", pattern: "other", cursor })).rejects.toMatchObject({
      code: "invalid_input",
    });
    expect(places(await find({ path: "bound", pattern: "needle", cursor, limit: 9 }))).toEqual([
      "bound/file:2:1",
    ]);
  });
});
