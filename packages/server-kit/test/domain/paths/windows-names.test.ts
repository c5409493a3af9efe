import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findWindowsProblem } from "../../../src/domain/paths/windows-names.ts";

const REFUSED: { readonly [reason: string]: readonly string[] } = {
  "servers without a share": [
    "\\\\server",
    "//server/",
    "\\\\?\\C:\\a",
    "\\\\.\\PhysicalDrive0",
    "//?/GLOBALROOT/x",
    "\\/.\\nul",
  ],
  "has no drive letter": ["\\a", "/a/b", "\\"],
  "a drive letter must": ["C:", "C:a", "c:..\\a", "Z:a\\b"],
  "alternate data stream": [
    "a.txt:stream",
    "C:\\a.txt::$DATA",
    "a\\b:c\\d",
    "C:\\C:\\a",
    ".git::$INDEX_ALLOCATION\\config",
  ],
  "control character": ["a?", "C:\\a*b", "a<b", 'a"b', "a|b", "a\u0001", "C:\\a\nb"],
  "dot or a space at the end": ["a.", "C:\\a \\b", "...", ".git.", "C:\\.git \\config", "a. ."],
  "reserved for a device": [
    "CON",
    "nul",
    "C:\\Aux",
    "prn.txt",
    "a\\COM1",
    "LPT9.tar.gz",
    "com¹",
    "LPT³.x",
    "CONIN$",
    "conout$.txt",
    "NUL .txt",
    "COM0",
  ],
  "8.3 form": ["PROGRA~1", "C:\\git~1\\config", "ABCDEF~1.TXT", "a~12.c", "GI7EB4~1"],
};

const ACCEPTED = [
  "a",
  "C:\\a\\b.txt",
  "c:/a/b",
  "\\\\server\\share",
  "//server.example/share$/a b",
  "C:\\",
  ".",
  "..\\a",
  ".git",
  ".hidden",
  "console.txt",
  "nullable",
  "COM10",
  "a.con",
  "~",
  "~$report.docx",
  "backup~old.txt",
  "a-long-name~1.txt",
  "file~1.json5",
  "a b.txt",
];

describe("findWindowsProblem", () => {
  it.each(Object.entries(REFUSED).flatMap(([reason, paths]) => paths.map((path) => [path, reason] as const)))(
    "refuses %j: %s",
    (path, reason) => {
      expect(findWindowsProblem(path)).toContain(reason);
    },
  );

  it.each(ACCEPTED)("takes %j", (path) => {
    expect(findWindowsProblem(path)).toBeUndefined();
  });

  it("lets no colon through but that of a drive in front", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "C", ":", "\\", "/", ".", " ") });
    const property = fc.property(letters, (path) => {
      fc.pre(findWindowsProblem(path) === undefined);
      expect(path.replace(/^[aC]:[\\/]/, "")).not.toContain(":");
    });
    expect(() => fc.assert(property)).not.toThrow();
  });
});
