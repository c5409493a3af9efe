import { win32 } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  atOrBelow,
  fromFileName,
  listUnmatched,
  parseRevision,
  toFileName,
  toPathspec,
  toReadPathspec,
  toRepositoryPath,
} from "../../src/domain/names.ts";

const repository = { root: "/repo" as never };

describe("a file name", () => {
  it("comes back from how it is shown, whatever its bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), (bytes) => {
        const name = Buffer.from(bytes);
        const shown = toFileName(name);
        expect(fromFileName(shown).equals(name)).toBe(true);
        // oxlint-disable-next-line no-control-regex -- nothing that a reader cannot see
        expect(shown).not.toMatch(/[\x00-\x1f\x7f]/);
      }),
    );
  });

  it.each([
    ["plain.txt", "plain.txt"],
    ["café.txt", "café.txt"],
    ['"quoted"', '"\\"quoted\\""'],
    ["two\nlines", "two\\u{A}lines"],
  ])("%j is shown as %s", (name, shown) => {
    expect(toFileName(Buffer.from(name))).toBe(shown);
  });
});

describe("a path", () => {
  it.each([
    ["src\\sub\\.\\x", "src/sub/x"],
    ["c:\\REPO\\src", "src"],
    ["a\\b\\u{200B}c", "a/b\\u{200B}c"],
    ['"caf\\351"', '"caf\\351"'],
  ])("%s is %j in a repository on Windows", (given, path) => {
    expect(toRepositoryPath({ root: "C:\\repo" as never }, given, win32)).toBe(path);
  });

  it.each(["a\\..\\..\\x", "a\\u{2F}..\\u{2F}..\\u{2F}b", "..\\u{5C}x", '"..\\\\x"', '".git\\\\x"', "D:\\x"])(
    "%j is refused on Windows",
    (given) => {
      expect(() => toRepositoryPath({ root: "C:\\repo" as never }, given, win32)).toThrow(/cannot be used/);
    },
  );

  it.each([
    ["a.txt", "a.txt"],
    ["./src//x/", "src/x"],
    ["/repo/src", "src"],
    [".", ""],
    ["/repo", ""],
  ])("%s is %j in the repository", (given, path) => {
    expect(toRepositoryPath(repository, given)).toBe(path);
  });

  it.each([
    "..",
    "../x",
    "src/../../x",
    "/etc",
    "/repository",
    ".git",
    "src/.GIT/x",
    '""',
    '"..\\057x"',
    "a\\u{2F}..\\u{2F}..\\u{2F}b",
    "a\0b",
    "a\\u{0}b",
    '"..\\000"',
  ])("%j is refused", (given) => {
    expect(() => toRepositoryPath(repository, given)).toThrow(/cannot be used/);
  });

  it("is no pattern and no option as an argument", () => {
    expect(toPathspec("-x")).toBe(":(top,literal)-x");
    expect(toPathspec(":(exclude)*")).toBe(":(top,literal):(exclude)*");
    expect(toPathspec('"caf\\351*"')).toBe(":(top,glob)caf?\\*");
  });

  it("is a pattern where something is read, and still one that was shown", () => {
    expect(toReadPathspec("src/*.ts")).toBe(":(top,glob)src/*.ts");
    expect(toReadPathspec("\\u{1B}[1m")).toBe(":(top,glob)\u001b[1m");
  });
});

describe("a revision", () => {
  it.each([
    "refs/suite/undo/1",
    "suite/undo/1",
    "REFS/Suite/UNDO/1",
    "refs/suite./undo/1",
    "refs/suite/undo./1",
    "\u017Fuite/undo/1",
  ])("cannot be what is kept for git_undo, as %s", (given) => {
    expect(() => parseRevision(given)).toThrow("kept for git_undo");
  });

  it.each(["", "-x", "--output=x", "a\nb", "x".repeat(501)])("cannot be %j", (given) => {
    expect(() => parseRevision(given)).toThrow(/is not a revision/);
  });
});

describe("many paths", () => {
  it.each([
    ["src/a.ts", "src", true],
    ["src/a.ts", "src/a.ts", true],
    ["src/a.ts", "", true],
    ["src/a.ts", "sr", false],
    ["src", "src/a.ts", false],
    ["caf\u00e9/a", '"caf\\303\\251"', true],
  ])("%j at or below %j: %j", (name, path, isBelow) => {
    expect(atOrBelow(["other", path])(name)).toBe(isBelow);
    expect(listUnmatched([path, "none"], ["other", name])).toEqual(isBelow ? ["none"] : [path, "none"]);
  });

  it("are found among many names", { timeout: 20_000 }, () => {
    const names = Array.from({ length: 50_000 }, (_, at) => `directory-${at % 100}/file-${at}.txt`);
    const paths = names.filter((_, at) => at % 16 === 0);
    expect(names.filter(atOrBelow(paths))).toEqual(paths);
    expect(listUnmatched(["none", ...paths], names)).toEqual(["none"]);
  });

  it("are found among names in thousands of directories", { timeout: 20_000 }, () => {
    const names = Array.from({ length: 4000 }, (_, at) => `${"a/".repeat(2000)}${at}`);
    const paths = ["a", ...names.slice(0, 1)];
    expect(names.filter(atOrBelow(paths))).toEqual(names);
    expect(listUnmatched([...paths, "b"], names)).toEqual(["b"]);
  });
});
