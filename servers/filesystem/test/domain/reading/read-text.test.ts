import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TEXT_BYTES, HASHED_BYTES } from "../../../src/domain/reading/limits.ts";
import { readText, type FilePage, type TextRequest } from "../../../src/domain/reading/read-text.ts";
import { createScratch, never } from "./scratch.ts";

const { root, outside, guard, write } = createScratch();

const read = async (
  path: string,
  request: Omit<TextRequest, "path"> = {},
  limit?: number,
): Promise<FilePage> => readText(guard, { path, ...request }, { signal: never }, limit);

/** All pages from one on, each asked for with the cursor of the one before. */
async function readOn(path: string, request: Omit<TextRequest, "path">, limit: number): Promise<FilePage[]> {
  const pages = [await read(path, request, limit)];
  for (let cursor = pages[0]?.next_cursor; cursor !== undefined; cursor = pages.at(-1)?.next_cursor) {
    expect(pages.length).toBeLessThan(1000);
    pages.push(await read(path, { cursor, encoding: request.encoding }, limit));
  }
  return pages;
}

const joined = (pages: readonly FilePage[]): string => pages.map(({ text }) => text).join("");

describe("readText", () => {
  it("gives a small file whole, at once, and as it is", () => {
    const path = write("small.txt", "one\r\ntwo\rthree\nfour");
    const page = readText(guard, { path }, { signal: never });
    expect(page).toEqual({
      path,
      text: "one\r\ntwo\rthree\nfour",
      etag: expect.stringMatching(/^[\w-]{16}$/),
      encoding: "utf-8",
      size: 19,
      start_line: 1,
      end_line: 3,
      total_lines: 3,
      truncated: false,
    });
  });

  it("takes relative paths and file URIs", async () => {
    write("sub/a b.txt", "here\n");
    expect((await read("sub/a b.txt")).text).toBe("here\n");
    expect((await read(`file://${root}/sub/a%20b.txt`)).text).toBe("here\n");
  });

  it("has no lines in an empty file, from either end", async () => {
    const path = write("empty", "");
    const empty = { text: "", start_line: 1, end_line: 0, total_lines: 0, truncated: false };
    expect(await read(path)).toMatchObject(empty);
    expect(await read(path, { tail: 3 })).toMatchObject(empty);
    expect(await read(path, { start_line: 1, end_line: 9 })).toMatchObject(empty);
  });

  it.each([
    ["a\nb\n", 2],
    ["a\nb", 2],
    ["\n", 1],
    ["\n\n", 2],
    ["a", 1],
    ["a\r\nb\r\n", 2],
    ["a\rb", 1],
  ])("counts the lines of %j", async (text, lines) => {
    expect(await read(write("counted", text))).toMatchObject({ text, end_line: lines, total_lines: lines });
  });

  it("gives the head, and where it goes on", async () => {
    const path = write("lines", "1\n2\n3\n4\n5\n");
    expect(await read(path, { head: 2 })).toMatchObject({
      text: "1\n2\n",
      start_line: 1,
      end_line: 2,
      total_lines: 5,
      truncated: false,
      next_line: 3,
    });
    const whole = await read(path, { head: 5 });
    expect(whole).toMatchObject({ text: "1\n2\n3\n4\n5\n", end_line: 5 });
    expect(whole).not.toHaveProperty("next_line");
  });

  it("gives the tail with its line numbers", async () => {
    const path = write("lines", "1\n2\n3\n4\n5");
    expect(await read(path, { tail: 2 })).toMatchObject({
      text: "4\n5",
      start_line: 4,
      end_line: 5,
      total_lines: 5,
      truncated: false,
    });
    expect(await read(path, { tail: 99 })).toMatchObject({
      text: "1\n2\n3\n4\n5",
      start_line: 1,
      truncated: false,
    });
  });

  it("gives a range, and no more than there is", async () => {
    const path = write("lines", "1\n2\n3\n4\n5\n");
    expect(await read(path, { start_line: 2, end_line: 3 })).toMatchObject({ text: "2\n3\n", next_line: 4 });
    expect(await read(path, { start_line: 4 })).toMatchObject({ text: "4\n5\n", total_lines: 5 });
    expect(await read(path, { end_line: 1 })).toMatchObject({ text: "1\n" });
    expect(await read(path, { start_line: 5, end_line: 99 })).toMatchObject({ text: "5\n", end_line: 5 });
  });

  it("says how many lines there are when asked for one past the end", async () => {
    for (const [text, count] of [
      ["1\n2\n", "2 lines"],
      ["1\n2", "2 lines"],
      ["1", "1 line"],
      ["", "0 lines"],
    ] as const) {
      const path = write("short", text);
      await expect(read(path, { start_line: 3 })).rejects.toMatchObject({
        code: "invalid_input",
        message: `start_line 3 is past the end of "${path}", which has ${count}`,
      });
    }
  });

  it("refuses ways that contradict one another", async () => {
    const path = write("lines", "1\n");
    await expect(read(path, { head: 1, tail: 1 })).rejects.toMatchObject({
      code: "invalid_input",
      message: "head and tail cannot be used together",
    });
    await expect(read(path, { head: 1, end_line: 1 })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(read(path, { tail: 1, cursor: "x" })).rejects.toMatchObject({ code: "invalid_input" });
    await expect(read(path, { start_line: 3, end_line: 2 })).rejects.toMatchObject({
      message: "end_line 2 is before start_line 3",
    });
  });
});

describe("the limit", () => {
  it("does not cut what fits exactly", async () => {
    const path = write("exact", "x".repeat(TEXT_BYTES));
    expect(await read(path)).toMatchObject({ truncated: false, total_lines: 1 });
    expect((await read(path)).text).toHaveLength(TEXT_BYTES);
    expect(await read(path, { tail: 1 })).toMatchObject({ truncated: false });
  });

  it("cuts at a line's end, and says which line is next", async () => {
    const line = `${"x".repeat(63)}\n`;
    // As JSON a newline takes two characters.
    const fitting = Math.floor(TEXT_BYTES / 65);
    const path = write("longer", line.repeat(fitting + 1));
    const page = await read(path);
    expect(page).toMatchObject({
      truncated: true,
      end_line: fitting,
      next_line: fitting + 1,
    });
    const rest = await read(path, { start_line: page.next_line });
    expect(rest).toMatchObject({ text: line, truncated: false, start_line: fitting + 1 });
    expect(await read(path, { cursor: page.next_cursor })).toEqual(rest);
  });

  it("keeps the end when a tail is cut, and goes on before it", async () => {
    const path = write("tail", "11\n22\n33\n44\n");
    const pages = await readOn(path, { tail: 3 }, 6);
    expect(pages.map(({ text, start_line, end_line }) => [text, start_line, end_line])).toEqual([
      ["33\n44\n", 3, 4],
      ["22\n", 2, 2],
    ]);
    expect(pages.map(({ truncated, total_lines }) => [truncated, total_lines])).toEqual([
      [true, 4],
      [false, 4],
    ]);
  });

  it("cuts inside a line that alone is too long, and nothing of it is out of reach", async () => {
    const long = "äöü€😀".repeat(20);
    const path = write("long", `first\n${long}\nlast\n`);
    const pages = await readOn(path, {}, 32);
    expect(joined(pages)).toBe(`first\n${long}\nlast\n`);
    expect(pages.every(({ text }) => Buffer.byteLength(text) <= 32)).toBe(true);
    expect(pages[0]).toMatchObject({ text: "first\n", next_line: 2, truncated: true });
    expect(pages[1]).toMatchObject({ start_line: 2, end_line: 2, total_lines: 3 });
    expect(pages[1]).not.toHaveProperty("next_line");
    expect(pages.at(-1)).toMatchObject({ end_line: 3, total_lines: 3, truncated: false });
    const backwards = await readOn(path, { tail: 2 }, 32);
    expect(joined(backwards.toReversed())).toBe(`${long}\nlast\n`);
  });

  it("keeps to the range over several pages", async () => {
    const path = write("range", "1\n2\n3\n4\n5\n6\n");
    const pages = await readOn(path, { start_line: 2, end_line: 5 }, 4);
    expect(pages.map(({ text }) => text)).toEqual(["2\n3\n", "4\n5\n"]);
  });

  it("refuses a cursor of another call, and one of another state of the file", async () => {
    const path = write("moving", "1\n2\n3\n");
    const { next_cursor: cursor } = await read(path, {}, 4);
    expect(cursor).toBeTypeOf("string");
    await expect(read(write("other", "1\n2\n3\n"), { cursor })).rejects.toMatchObject({
      code: "invalid_input",
    });
    await expect(read(path, { cursor, encoding: "latin1" })).rejects.toMatchObject({ code: "invalid_input" });
    appendFileSync(path, "4\n");
    await expect(read(path, { cursor })).rejects.toMatchObject({
      code: "conflict",
      hint: "Read it again without cursor, or continue by line with start_line: 3.",
    });
  });
});

describe("encodings", () => {
  const utf16be = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

  it("leaves out a mark, and says that there is one", async () => {
    const path = write("bom", "\uFEFFa\uFEFFb\n");
    const page = { text: "a\uFEFFb\n", encoding: "utf-8", bom: true, size: 9, hidden_characters: 1 };
    expect(await read(path)).toMatchObject(page);
    expect(await read(path, { tail: 1 })).toMatchObject(page);
    expect(await read(path, { encoding: "utf-8" })).toMatchObject(page);
  });

  it("reads UTF-16 of both kinds by its mark", async () => {
    const text = "één\r\n😀\nഀ਀ਊ\n";
    const little = write("little", Buffer.from(`\uFEFF${text}`, "utf16le"));
    const big = write("big", utf16be(`\uFEFF${text}`));
    for (const [path, encoding] of [
      [little, "utf-16le"],
      [big, "utf-16be"],
    ] as const) {
      expect(await read(path)).toMatchObject({ text, encoding, bom: true, total_lines: 3 });
      expect(await read(path, { start_line: 2, end_line: 2 })).toMatchObject({ text: "😀\n" });
      expect(await read(path, { tail: 1 })).toMatchObject({ text: "ഀ਀ਊ\n", start_line: 3 });
      expect(joined(await readOn(path, {}, 4))).toBe(text);
      expect(joined((await readOn(path, { tail: 3 }, 5)).toReversed())).toBe(text);
    }
  });

  it("reads UTF-16 without a mark when told, and hints at it when not", async () => {
    const path = write("unmarked", utf16be("hello\nworld\n"));
    expect(await read(path, { encoding: "utf-16be", head: 1 })).toMatchObject({ text: "hello\n" });
    await expect(read(path)).rejects.toMatchObject({
      code: "unsupported",
      hint: 'It looks like UTF-16: pass encoding "utf-16be".',
    });
  });

  it("replaces nothing in text that is not valid", async () => {
    const path = write("latin", Buffer.from("caf\xE9\nok\n", "latin1"));
    await expect(read(path)).rejects.toMatchObject({
      code: "unsupported",
      message: `"${path}" is not valid utf-8`,
      hint: expect.stringContaining('encoding "latin1"') as unknown,
    });
    expect(await read(path, { encoding: "latin1" })).toMatchObject({
      text: "café\nok\n",
      encoding: "latin1",
    });
    expect(await read(path, { start_line: 2 })).toMatchObject({ text: "ok\n" });
    for (const broken of [Buffer.from([0xff, 0xfe, 0x41]), Buffer.from([0xff, 0xfe, 0x00, 0xd8])]) {
      await expect(read(write("half", broken))).rejects.toMatchObject({ code: "unsupported" });
      await expect(read(write("half", broken), { tail: 1 })).rejects.toMatchObject({ code: "unsupported" });
    }
  });

  it("reads no half characters from a UTF-16 file with a byte too many", async () => {
    const path = write(
      "odd",
      Buffer.concat([Buffer.from(`\uFEFF${"ab\n".repeat(20)}`, "utf16le"), Buffer.from("x")]),
    );
    for (const span of [{ head: 1 }, { tail: 1 }, { start_line: 3 }]) {
      await expect(read(path, span, 16)).rejects.toMatchObject({
        message: `"${path}" is not valid utf-16le`,
      });
    }
  });

  it("names what a binary file is", async () => {
    const png = write("picture.txt", Buffer.from("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "latin1"));
    await expect(read(png)).rejects.toMatchObject({
      code: "unsupported",
      message: `"${png}" is not text but image/png (16 bytes)`,
      hint: "Use read_media_file, which gives the bytes.",
    });
    await expect(read(png, { tail: 1 })).rejects.toMatchObject({ code: "unsupported" });
    const early = write("early", "\0header\nplain\n");
    await expect(read(early, { tail: 1 })).rejects.toMatchObject({ code: "unsupported" });
    const late = write("late", `${"x\n".repeat(10_000)}\0\n`);
    expect((await read(late, { head: 1 })).text).toBe("x\n");
    await expect(read(late)).rejects.toMatchObject({ code: "unsupported" });
  });

  it("counts what nobody sees", async () => {
    expect(await read(write("hidden", "a\u202Eb\u200Bc\n"))).toMatchObject({ hidden_characters: 2 });
    expect(await read(write("plain", "abc\n"))).not.toHaveProperty("hidden_characters");
  });
});

describe("what is no file", () => {
  it("is told apart, and never waited for", async () => {
    const fifo = join(root, "fifo");
    execFileSync("mkfifo", [fifo]);
    await expect(read(fifo)).rejects.toMatchObject({ code: "unsupported" });
    await expect(read(root)).rejects.toMatchObject({
      code: "invalid_input",
      message: `"${root}" is a directory, not a file`,
    });
  });

  it("is refused outside, there or not, by path or by link", async () => {
    writeFileSync(join(outside, "secret"), "secret");
    symlinkSync(join(outside, "secret"), join(root, "to-secret"));
    symlinkSync(join(outside, "nothing"), join(root, "to-nothing"));
    for (const path of [join(outside, "secret"), "to-secret", "to-nothing", "../outside/secret"]) {
      await expect(read(path)).rejects.toMatchObject({ code: "permission_denied" });
    }
  });

  it("is not there: which part, and what was meant", async () => {
    write("src/index.ts", "");
    await expect(read("src/indx.ts")).rejects.toMatchObject({
      code: "not_found",
      message: `"${root}/src/indx.ts" does not exist`,
      hint: `Did you mean "${root}/src/index.ts"?`,
    });
    await expect(read("scr/index.ts")).rejects.toMatchObject({
      message: `"${root}/scr/index.ts" does not exist: there is no "scr" in "${root}"`,
      hint: `Did you mean "${root}/src/index.ts"?`,
    });
    mkdirSync(join(root, "lengthy"));
    write(`lengthy/${"ab".repeat(100)}`, "");
    await expect(read(`lengthy/${"ab".repeat(99)}`)).rejects.toMatchObject({
      hint: `See what is there: list_directory "${root}/lengthy".`,
    });
    mkdirSync(join(root, "bare"));
    await expect(read("bare/thing")).rejects.toMatchObject({
      hint: `See what is there: list_directory "${root}/bare".`,
    });
  });
});

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

  it("stop when they are told to", async () => {
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(readText(guard, { path, start_line: 100_000 }, { signal: aborted })).rejects.toThrow(
      "enough",
    );
  });
});

describe("an encoding by its name", () => {
  it("may be any that the Web has", async () => {
    const path = write("sjis", Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x0a, 0x41]));
    expect(await read(path, { encoding: "Shift_JIS" })).toMatchObject({
      text: "テスト\nA",
      encoding: "shift_jis",
      end_line: 2,
    });
    // Cut between two characters, though inside a line.
    expect((await read(path, { encoding: "shift_jis" }, 3)).text).toBe("テ");
    await expect(read(path, { encoding: "ebcdic" })).rejects.toMatchObject({ code: "invalid_input" });
  });
});
