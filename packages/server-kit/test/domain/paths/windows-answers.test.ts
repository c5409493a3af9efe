import { readFileSync } from "node:fs";
import { win32 } from "node:path";

import * as fc from "fast-check";
import { expect, it } from "vitest";

import { parsePath } from "../../../src/domain/paths/lexical.ts";
import { isWithin } from "../../../src/domain/paths/roots.ts";

/** Where Windows' Node says that a path leads, asked by scripts/windows/answers.mjs. */
const ANSWERS = JSON.parse(readFileSync(new URL("windows-answers.json", import.meta.url), "utf8")) as Record<
  string,
  string
>;
const ROOT = String.raw`C:\o\root`;
const isInside = (path: string): boolean => isWithin(path, ROOT, true);

/** What the rules make of a path, on any system: nothing where they refuse it. */
function locate(text: string): string | undefined {
  try {
    const { isAbsolute, path } = parsePath(text, "win32");
    const whole = isAbsolute ? path : win32.resolve(ROOT, path);
    return isInside(whole) ? whole : undefined;
  } catch {
    return undefined;
  }
}

/** A drive without a folder, a folder without a drive, a device, a stream, or a dot or space at an end. */
const ODD = /^C:(?![\\/])|^\\|::|(?:[^.\\/]\.| )$/;

it("what the rules accept is where Windows goes, and inside", () => {
  const accepted = Object.entries(ANSWERS).filter(([text]) => locate(text) !== undefined);
  expect(accepted.length).toBeGreaterThan(50);
  for (const [text, answer] of accepted) expect(locate(text)?.toLowerCase(), text).toBe(answer.toLowerCase());
});

it("all that leads inside is accepted, unless another spelling of it is required", () => {
  const plain = Object.entries(ANSWERS).filter(([text, answer]) => isInside(answer) && !ODD.test(text));
  expect(plain.length).toBeGreaterThan(50);
  for (const [text] of plain) expect(locate(text), text).toBeDefined();
});

it("no joint of pieces leads outside that the rules accept", () => {
  const names = [
    "..",
    ".",
    "dir",
    "o",
    "ROOT",
    "root-evil",
    "C:",
    "c:",
    "\\\\?\\",
    "\\\\server\\share",
    "NUL",
    "a:b",
  ];
  const piece = fc.constantFrom(...names, "\\", "/");
  const property = fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
    const found = locate(pieces.join(""));
    fc.pre(found !== undefined);
    expect(win32.relative(ROOT, found)).not.toMatch(/^\.\.(?:\\|$)|:/);
    expect(found.slice(2)).not.toMatch(/[:?*]|[. ](?:\\|$)/);
  });
  expect(() => fc.assert(property)).not.toThrow();
});

it.each([
  [String.raw`c:\O\Root\a`, true],
  [String.raw`C:\o\root`, true],
  [String.raw`C:\o\root-evil`, false],
  [String.raw`C:\o`, false],
  // One letter to JavaScript, two to Windows: lengths must not shift.
  ["C:\\o\\root\\\u0130", true],
  ["C:\\\u0130\\root", false],
])("%s is in the root: %s", (path, answer) => {
  expect(isInside(path)).toBe(answer);
  expect(isWithin(ROOT, path, true)).toBe(path.length <= ROOT.length && (answer || path === "C:\\o"));
});
