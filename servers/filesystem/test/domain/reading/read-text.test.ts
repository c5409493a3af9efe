import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TEXT_BYTES } from "../../../src/domain/reading/limits.ts";
import { readText } from "../../../src/domain/reading/read-text.ts";
import { createReader, joined } from "./reader.ts";
import { never } from "./scratch.ts";

const { guard, write, read, readOn } = createReader();

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
