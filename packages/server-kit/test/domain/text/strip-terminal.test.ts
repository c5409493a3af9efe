import * as fc from "fast-check";
import { expect, it } from "vitest";

import { stripTerminal } from "../../../src/domain/text/strip-terminal.ts";

it.each([
  ["colours", "\x1B[1;31merror\x1B[0m: no", "error: no"],
  ["24-bit colours with colons", "\x1B[38:2::255:0:0mred\x1B[m", "red"],
  ["cursor and erasing", "\x1B[2J\x1B[?25l\x1B[10;1Hdone\x1B[K", "done"],
  ["intermediate characters", "\x1B[2 qbar\x1B[!p", "bar"],
  ["a title ended by a bell", "\x1B]0;my title\x07text", "text"],
  ["a link ended by a string terminator", "\x1B]8;;https://x.test\x1B\\link\x1B]8;;\x1B\\", "link"],
  ["device control", "a\x1BPq#0;2;0;0;0\n#1~~\x1B\\b", "ab"],
  ["application commands", "a\x1B_payload\x1B\\b\x1B^private\x1B\\c\x1BXsos\x1B\\d", "abcd"],
  ["character sets and single commands", "\x1B(B\x1B=\x1B7a\x1BMb\x1Bc", "ab"],
  ["8-bit forms", "\x9B31mred\x9B0m \x9D0;t\x07x\x9D0;t\x9Cy \x90q\x9Cz", "red xy z"],
  ["other 8-bit controls", "a\x84b\x8Dc", "abc"],
  ["one that is cut off", "text\x1B[38;5", "text"],
  ["a lone escape at the end", "text\x1B", "text"],
  ["escapes that would meet", "\x1B\x1B[0m[31mx", "[31mx"],
  ["an escape before a line end", "a\x1B\nb", "a\nb"],
])("removes %s", (_name, text, expected) => {
  expect(stripTerminal(text)).toBe(expected);
});

it.each([
  ["carriage returns", "10%\r20%\r\n"],
  ["tabs, bells and line ends", "a\tb\x07\n"],
  ["a next line", "a\x85b"],
  ["brackets", "[31m is a colour, ]0; a title"],
])("leaves %s alone", (_name, text) => {
  expect(stripTerminal(text)).toBe(text);
});

it("does not lose what follows a string that never ends", () => {
  expect(stripTerminal("\x1B]0;title\nline one\nline two")).toBe("0;title\nline one\nline two");
});

it("leaves no escape, and everything else if there is none", () => {
  const parts = fc.oneof(
    fc.constantFrom(
      "\x1B",
      "\x1B[",
      "\x1B]",
      "\x1BP",
      "\x9B",
      "\x9D",
      "\x90",
      "\x9C",
      "\x07",
      "\x1B\\",
      "m",
      "0;1",
      "\n",
    ),
    fc.nat(0xffff).map((code) => String.fromCharCode(code)),
  );
  fc.assert(
    fc.property(
      fc.array(parts).map((list) => list.join("")),
      (text) => {
        const stripped = stripTerminal(text);
        expect(stripped).not.toMatch(new RegExp(String.raw`[\x1B\x80-\x84\x86-\x9F]`));
        expect(stripTerminal(stripped)).toBe(stripped);
      },
    ),
    { numRuns: 300 },
  );
});

it.each(["\x1B]", "\x9D", "\x90a", "\x1B[0", "\x9B0;", "\x1B(", "\x1B"])(
  "is quick with 300,000 times %j",
  (part) => {
    const start = process.cpuUsage();
    expect(stripTerminal(part.repeat(300_000)).length).toBeLessThanOrEqual(300_000);
    expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
  },
);
