import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  conceal,
  countHidden,
  reveal,
  toVisibleLine,
  revealAll,
  shownSize,
} from "../../../src/domain/text/reveal.ts";

const ZWNJ = "\u200C";
const ZWJ = "\u200D";

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Never visible, wherever they stand; as the tables of Unicode write them. */
const ALWAYS_HIDDEN = [
  "0..8 B..C E..1F 7F..9F AD 61C 115F..1160 17B4..17B5 180E 200B 200E..200F 202A..202E 2060..206F 3164 FEFF FFA0",
  "FFF9..FFFB 1BCA0..1BCA3 1D173..1D17A E0000..E007F E0100..E01EF D800 DBFF..DC00 DFFF",
]
  .flatMap((line) => line.split(" "))
  .flatMap((entry) => {
    const [first = Number.NaN, last = first] = entry.split("..").map((code) => Number.parseInt(code, 16));
    return range(first, last);
  });

const hidden = fc.constantFrom(...ALWAYS_HIDDEN).map((codePoint) => String.fromCodePoint(codePoint));
const joining = fc.constantFrom(ZWNJ, ZWJ, "\u034F", "\uFE00", "\uFE0E", "\uFE0F", "\u180B", "\u180F");
const visible = fc.constantFrom(
  "a",
  "é",
  "e\u0301",
  "я",
  "α",
  "م",
  "ی",
  "\u064E",
  "क",
  "\u094D",
  "ක",
  "你",
  "한",
  "ᠠ",
  "1",
  "#",
  "❤",
  "👩",
  "🚀",
  "🏽",
  "∩",
  " ",
  "\n",
  "\t",
  "\r",
  "\\",
  "{",
  "}",
  "u",
);
const texts = fc
  .array(
    fc.oneof(
      hidden,
      joining,
      visible,
      fc.nat(0xffff).map((code) => String.fromCharCode(code)),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("reveal", () => {
  it("shows them between letters as well", () => {
    const among = ALWAYS_HIDDEN.map((codePoint) => reveal(`a${String.fromCodePoint(codePoint)}م`));
    expect(among).toEqual(ALWAYS_HIDDEN.map((codePoint) => `a\\u{${codePoint.toString(16).toUpperCase()}}م`));
  });

  it("shows exactly these of all single characters, and those that need a neighbour", () => {
    const alone = range(0, 0x10ffff).filter(
      (codePoint) => reveal(String.fromCodePoint(codePoint)) !== String.fromCodePoint(codePoint),
    );
    const needy = [0x34f, ...range(0x180b, 0x180d), 0x180f, 0x200c, 0x200d, ...range(0xfe00, 0xfe0f)];
    // Not given to any character yet, but to be ignored by who does not know them.
    const reserved = [...range(0xfff0, 0xfff8), ...range(0xe0080, 0xe00ff), ...range(0xe01f0, 0xe0fff)];
    const halves = range(0xd800, 0xdfff);
    expect(alone).toEqual(
      [...new Set([...ALWAYS_HIDDEN, ...needy, ...reserved, ...halves])].toSorted((a, b) => a - b),
    );
  });

  it.each([
    ["plain text", "Hello,\tworld\r\nline — “two” … é ñ ß"],
    ["Persian", `می${ZWNJ}خواهم`],
    ["Sinhala", `ක්${ZWJ}ය`],
    ["Malayalam at the end of a word", `അവന്${ZWJ} വന്നു`],
    ["Mongolian", "ᠠ\u180B"],
    ["a family", `👩${ZWJ}👩${ZWJ}👧`],
    ["an astronaut with a skin tone", `👩🏽${ZWJ}🚀`],
    ["a burning heart", `❤\uFE0F${ZWJ}🔥`],
    ["a keycap", "1\uFE0F\u20E3"],
    ["a text symbol", "☎\uFE0E"],
    ["a mathematical variant", "∩\uFE00"],
    ["Hebrew with marks kept apart", "\u05B4\u034F\u05B0"],
    ["a flag", "🇩🇪"],
    ["rare letters", "𝔘𠀀𝄞"],
  ])("leaves %s alone", (_name, text) => {
    expect(reveal(text)).toBe(text);
    expect(countHidden(text)).toBe(0);
  });

  it.each([
    ["a joiner inside a Latin word", `ig${ZWJ}nore`, "ig\\u{200D}nore"],
    ["a non-joiner inside a Cyrillic word", `да${ZWNJ}да`, "да\\u{200C}да"],
    ["a joiner at the beginning", `${ZWJ}م`, "\\u{200D}م"],
    ["a joiner at the end", `م${ZWNJ}`, "م\\u{200C}"],
    ["joiners that write in Morse", `م${ZWJ}${ZWNJ}م`, "م\\u{200D}\\u{200C}م"],
    ["a joiner after a letter that is shown", `\u3164${ZWJ}م`, "\\u{3164}\\u{200D}م"],
    ["a joiner before a letter that is shown", `م${ZWJ}\u3164`, "م\\u{200D}\\u{3164}"],
    ["a joiner between an emoji and a word", `👩${ZWJ}a`, "👩\\u{200D}a"],
    ["bytes behind an emoji", "😀\uFE0F\uFE01\u{E0102}", "😀\uFE0F\\u{FE01}\\u{E0102}"],
    ["a selector behind a Latin letter", "a\uFE01b\uFE0F", "a\\u{FE01}b\\u{FE0F}"],
    ["a selector that no writing has", "∩\uFE05", "∩\\u{FE05}"],
    ["a selector behind a selector", "❤\uFE0F\uFE0F", "❤\uFE0F\\u{FE0F}"],
    ["a word in tags", "hi\u{E0068}\u{E0069}", "hi\\u{E0068}\\u{E0069}"],
    ["a reordered name", "gpj.\u202Eexe", "gpj.\\u{202E}exe"],
    ["halves in the wrong order", "\uDE00\uD83D", "\\u{DE00}\\u{D83D}"],
    ["a half before a pair", "\uD83D😀", "\\u{D83D}😀"],
  ])("shows %s", (_name, text, expected) => {
    expect(reveal(text)).toBe(expected);
    expect(conceal(expected)).toBe(text);
  });

  it("leaves nothing hidden", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const revealed = reveal(text);
        expect(countHidden(revealed)).toBe(0);
        expect(reveal(revealed)).toBe(revealed);
        expect(revealed).not.toMatch(/[\p{Bidi_Control}\u200B\u2060\uFEFF\p{Surrogate}\u{E0000}-\u{E0FFF}]/u);
      }),
      { numRuns: 500 },
    );
  });

  it("counts what it shows", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const escapes = (shownText: string): number => shownText.match(/\\u\{[0-9A-F]+\}/g)?.length ?? 0;
        expect(countHidden(text)).toBe(escapes(reveal(text)) - escapes(text));
      }),
      { numRuns: 500 },
    );
  });

  it("is quick with long texts", () => {
    const long = `${"Привет 😀 ".repeat(200_000)}\u202E`;
    const start = process.cpuUsage();
    expect(reveal(long).endsWith("\\u{202E}")).toBe(true);
    expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
  });
});

describe("conceal", () => {
  it("takes back what reveal did", () => {
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!/\\u\{[0-9A-F]+\}/.test(text));
        expect(conceal(reveal(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    "\\u{41}",
    "\\u{202e}",
    "\\u{0202E}",
    "\\u{}",
    "\\u{110000}",
    "\\u{FFFFFF}",
    "\\u202E",
    "u{202E}",
    "\\u{A}",
  ])("leaves %s alone", (text) => {
    expect(conceal(text)).toBe(text);
  });

  it("knows what needs a neighbour, too", () => {
    expect(conceal("\\u{200D}\\u{FE0F}\\u{0}")).toBe(`${ZWJ}\uFE0F\0`);
  });
});

it("puts a name on one line", () => {
  expect(toVisibleLine("a\tb\r\nc\u202E")).toBe("a\\tb\\r\\nc\\u{202E}");
});

it("what is shown counts as it is shown", () => {
  const values = [
    "",
    "plain ~!",
    'a "quote"',
    "a\\b",
    "a\nb",
    "é",
    "a\bb",
    "a\fb",
    "\u001b[0m",
    'quotes "\\u',
  ];
  for (const value of [...values, values, { "k\u200Be": ["a\u202Eb", 1, null] }])
    expect(shownSize(value)).toBe(JSON.stringify(revealAll(value)).length);
  expect(shownSize("\u200B")).toBe('"\\\\u{200B}"'.length);
  expect(shownSize("</untrusted>")).toBe('"<\\/untrusted>"'.length);
});
