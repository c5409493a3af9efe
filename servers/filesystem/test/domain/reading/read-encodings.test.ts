import { describe, expect, it } from "vitest";
import { createReader, joined } from "./reader.ts";

const { write, read, readOn } = createReader();

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

  it.each([
    ["shift_jis", { tail: 1 }, "\x83\x65\x83\x58\x83\x67a", "start_line"],
    ["iso-2022-jp", {}, "\x1B$B%F%9%H\x1B(Ba", "read_media_file"],
  ])("that is %s has no line cut where it would become other text", async (encoding, span, word, hint) => {
    const path = write(encoding, Buffer.from(word.repeat(20), "latin1"));
    const how = { encoding, ...span };
    await expect(read(path, how, 50)).rejects.toMatchObject({
      hint: expect.stringContaining(hint) as unknown,
    });
    expect((await read(path, how)).text).toBe("テストa".repeat(20));
  });
});
