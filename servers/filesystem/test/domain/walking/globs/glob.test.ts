import { sep } from "node:path";

import * as fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";

import {
  parseExcludes,
  parseGlob,
  parseIncludes,
  toGlob,
} from "../../../../src/domain/walking/globs/glob.ts";

/** On Windows a backslash separates names. */
const ESCAPED: readonly (readonly [string, string, boolean])[] =
  sep === "/"
    ? [
        [String.raw`\*`, "*", true],
        [String.raw`\*`, "a", false],
      ]
    : [];

const fits = (glob: string, path: string): boolean =>
  parseGlob(glob)(
    path.replace(/\/$/, ""),
    path.replace(/\/$/, "").split("/").at(-1) ?? "",
    path.endsWith("/"),
  );

const NAMES = ["a", "b", "ab", "abc", "a.b", ".a", "a-b"];
const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 })
  .map((names) => names.join("/"));
const part = fc
  .array(fc.constantFrom("a", "b", "ab", ".", "*", "?", "[ab]", "[a-c]", "{a,b}", "{ab,a.b}"), {
    minLength: 1,
    maxLength: 3,
  })
  .map((pieces) => pieces.join("").replaceAll(/\*{2,}/g, "*"))
  .filter((text) => !/^\.{1,2}$/.test(text));
const glob = fc
  .array(fc.oneof({ weight: 3, arbitrary: part }, fc.constant("**")), { minLength: 2, maxLength: 4 })
  .map((parts) => parts.join("/"))
  // At the end, and behind brackets, it has rules of its own.
  .filter((text) => !text.endsWith("**") && !/\][*?]/.test(text))
  // More of them stand for more patterns than are allowed.
  .filter((text) => text.split("{").length - 1 <= 6);

describe("parseGlob", () => {
  it.each(["caf\u00E9*", "*\u00E9.md", "docs/caf[\u00E9\u00E8]*"])(
    "matches %s in both Unicode forms",
    (composed) => {
      for (const given of [composed, composed.normalize("NFD")]) {
        for (const form of ["NFC", "NFD"])
          expect(fits(given, "docs/caf\u00E9.md".normalize(form))).toBe(true);
        expect(fits(given, "docs/cafe.md")).toBe(false);
      }
    },
  );

  it.each(["10\u2126.txt", "\uF900*"])("matches %s, which has only one normal form", (given) => {
    expect(fits(given, given.replace("*", ".txt"))).toBe(true);
    expect(fits(given, given.replace("*", ".txt").normalize())).toBe(true);
  });

  it.each(["\u0301\u0316".repeat(100_000), `${"*".repeat(150_000)}/`, `${"/".repeat(200_000)}a`])(
    "refuses a long glob at once (%#)",
    { timeout: 20_000 },
    (long) => {
      for (const parse of [parseIncludes, parseExcludes])
        expect(() => parse([long])).toThrow("it is too long");
    },
  );

  it.each([
    ["log{1..3}.txt", ["log1.txt", "log3.txt"], ["log4.txt", "log{1..3}.txt"]],
    ["{08..11}", ["08", "09", "10", "11"], ["8", "011"]],
    ["{1..-1}", ["1", "0", "-1"], ["-2"]],
    ["{-05..5..5}", ["-05", "000", "005"], ["-5", "1"]],
    ["{c..a}/{x,y}", ["a/x", "c/y"], ["d/x"]],
    ["{1..}{a..1}", ["{1..}{a..1}"], ["1a"]],
  ])("expands ranges as a shell does: %s", (range, fitting, others) => {
    for (const one of fitting) expect(fits(range, one), one).toBe(true);
    for (const one of others) expect(fits(range, one), one).toBe(false);
  });

  it("refuses a range that is too long", () => {
    for (const range of ["{1..101}", "{0..999999999}"])
      expect(() => parseGlob(range)).toThrow("too many patterns");
    expect(fits("{1..100}", "100")).toBe(true);
    expect(fits("{0..999999999..99999999}", "99999999")).toBe(true);
  });

  it("reads globs with slashes as picomatch does", () => {
    fc.assert(
      fc.property(glob, path, (pattern, given) => {
        expect([pattern, given, fits(pattern, given)]).toEqual([
          pattern,
          given,
          picomatch(pattern, { dot: true, noextglob: true })(given),
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<readonly [string, string, boolean]>([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["**/*.ts", "a.ts", true],
    ["./*.ts", "a.ts", true],
    ["./*.ts", "src/a.ts", false],
    ["/a.ts", "src/a.ts", false],
    ["src/**", "src", false],
    ["src/**", "src/a/b", true],
    ["**", "a/b", true],
    ["src/", "src/", true],
    ["src/", "lib/src/", true],
    ["src/", "src", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["*", ".hidden", true],
    ...ESCAPED,
    ["{a,b{c,d}}.ts", "bd.ts", true],
    ["{a}", "{a}", true],
    ["?", "😀", true],
    ["[[:digit:]]x", "7x", true],
    ["[]-]", "]", true],
    ["a*b*c*d", "a-b-b-c-c-d", true],
  ])("%s and %s: %s", (pattern, given, expected) => {
    expect(fits(pattern, given)).toBe(expected);
  });

  it.each([
    "@(a|b)",
    "!a",
    "[a",
    ...(sep === "/" ? ["a\\"] : []),
    "",
    "/",
    "a".repeat(1001),
    "{a,b}".repeat(9),
  ])("refuses %s", (pattern) => {
    expect(() => parseGlob(pattern)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });

  it("says how to leave out what a negated glob would", () => {
    expect(() => parseExcludes(["!a"])).toThrow('exclude takes what to leave out, without "!"');
  });

  it("takes no longer for a pattern that was made to take long", () => {
    const name = "a".repeat(250);
    const started = process.cpuUsage();
    expect(fits(`${"*a".repeat(100)}*b`, name)).toBe(false);
    expect(fits(`${"**/a/".repeat(40)}b`, Array.from({ length: 100 }, () => "a").join("/"))).toBe(false);
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
  });
});

describe("globs together", () => {
  // Each is fine alone; all of them would be tried on each entry for seconds.
  it.each([
    ["very many", Array.from({ length: 3000 }, (_, index) => `*.some-ending-${index}`)],
    ["many with many choices", Array.from({ length: 50 }, () => `{${"a,".repeat(90)}a}${"*a".repeat(100)}b`)],
    ["many with braces that never end", Array.from({ length: 50 }, () => `{a,b}${"{".repeat(900)}`)],
  ])("are refused where they are %s", (_, globs) => {
    const refusal = expect.objectContaining({
      code: "invalid_input",
      message: expect.stringContaining("together"),
    });
    expect(() => parseExcludes(globs)).toThrow(refusal);
    expect(parseExcludes(globs.slice(0, 1))).toBeTypeOf("function");
  });
});

it.each([
  ["src", "src/a.ts", true],
  ["src", "lib/src/deep/a.ts", true],
  ["src", "srcs/a.ts", false],
  ["src/", "src/a.ts", true],
  ["./src", "lib/src/a.ts", false],
  ["src/lib", "src/lib/deep/a.ts", true],
  ["**/test/", "src/test/a.ts", true],
  ["src/*/", "src/lib/a.ts", true],
  ["src/*/", "src/a.ts", false],
  ["{src,lib}", "lib/a.ts", true],
  ["a.ts", "lib/a.ts", true],
  ["*", "a.ts", true],
  ["/start/src", "src/a.ts", true],
])("parseIncludes takes a directory for all that is in it: %s and %s: %s", (pattern, given, expected) => {
  const name = given.split("/").at(-1) ?? "";
  expect(parseIncludes([pattern], "/start")?.(given, name, false)).toBe(expected);
});

describe("parseExcludes", () => {
  it("leaves out the directory of which all is left out", () => {
    const test = parseExcludes(["node_modules/**", "*.log"]);
    expect(test?.("node_modules", "node_modules", true)).toBe(true);
    expect(test?.("a/b.log", "b.log", false)).toBe(true);
    expect(test?.("src", "src", true)).toBe(false);
    expect(parseExcludes([])).toBeUndefined();
  });
});

it("on Windows, both slashes separate names", () => {
  expect(toGlob(String.raw`src\**/*.{ts,md}`, "\\")).toBe("src/**/*.{ts,md}");
  expect(toGlob(String.raw`a\*b`, "/")).toBe(String.raw`a\*b`);
});
