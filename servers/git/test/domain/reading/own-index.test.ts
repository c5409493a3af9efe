import { expect, it } from "vitest";

import { isForeign } from "../../../src/domain/reading/own-index.ts";

const latin = (name: string): string => Buffer.from(name).toString("latin1");

it.each(["../x", "a/../x", "/etc/passwd", ".git/config", "a/.GIT", "a//b"])(
  "%j is not a file of the work tree on any system",
  (name) => {
    expect(isForeign(name, "linux")).toBe(true);
    expect(isForeign(name, "win32")).toBe(true);
  },
);

it.each([
  "..\\secret.txt",
  "a\\..\\..\\x",
  "\\x",
  "\\\\host\\share\\x",
  "C:/Users/x",
  "C:x",
  ".git\\config",
  ".git./config",
  ".git /config",
  ".git::$INDEX_ALLOCATION/config",
  "GIT~1/config",
  "gi7eb8~1/config",
  ".. /x",
  "a/.../x",
  "a.txt:stream",
  "a.",
  "NUL",
  "a/con.txt",
  "aux .c",
  "COM\u00B9.txt",
  "CONIN$",
])("%j is not one on Windows, and is one elsewhere", (name) => {
  expect(isForeign(latin(name), "win32")).toBe(true);
  expect(isForeign(latin(name), "linux")).toBe(false);
});

it.each([
  "a.txt",
  ".gitignore",
  "a/.github/b",
  "notes~1.txt",
  "console.ts",
  "com10",
  "a b.c",
  "café",
  "auxiliary/nul_",
])("%j is one everywhere", (name) => {
  for (const platform of ["linux", "win32"] as const) expect(isForeign(latin(name), platform)).toBe(false);
});
