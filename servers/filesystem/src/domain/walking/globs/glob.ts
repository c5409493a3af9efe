import { sep } from "node:path";
import { Fault } from "@suite/server-kit/domain";
import { parseName } from "./name-pattern.ts";
import { parsePathPattern } from "./path-pattern.ts";

/** Whether an entry matches. `path` is relative to the start, with "/". */
export type GlobTest = (path: string, name: string, isDirectory: boolean) => boolean;

const LONGEST = 1000;
/** Limit for all patterns together after brace expansion: each is tested on each entry. */
const MOST_CHARACTERS = 20_000;
/** Anchored at the start, as in ./a or /a. */
const ANCHORED = /^\.?\//;
const INCOMPLETE = "a [ has no ], or nothing follows a \\";
const EXTENDED = /[@!+?*]\(/;

/**
 * A glob from a caller: `*`, `?`, `[…]`, `{a,b}`, `{1..3}`, and `**` for any number of directories. Without a slash it matches the
 * name at any depth; with one at the end, directories only. Names that start with a dot are not special.
 * No pattern is slow on any path: it may come from a manipulated model.
 *
 * A glob that begins with the absolute path of `start`, as in results, is relative to it. An accented letter matches both
 * composed (NFC) and decomposed (NFD): they look the same, and systems write names in either form.
 */
export const parseGlob = (glob: string, start?: string): GlobTest => parseAll([glob], start);

/** Gives all globs that one stands for. */
type Widen = (glob: string) => readonly string[];

/** For files to search. A directory stands for everything below it. */
export const parseIncludes = (globs: readonly string[], start?: string): GlobTest | undefined =>
  globs.length === 0
    ? undefined
    : parseAll(globs, start, (glob) => (ENDS_WITH_WILDCARD.test(glob) ? [glob] : [glob, toGlobBelow(glob)]));

/** Such a name is hardly a directory's, and testing more globs takes time. */
const ENDS_WITH_WILDCARD = /[*?[][^/]*$/;

function toGlobBelow(glob: string): string {
  const directory = glob.replace(/\/+$/, "");
  return `${directory.includes("/") ? "" : "**/"}${directory}/**`;
}

/** For entries to leave out. `dir/**` also excludes the directory itself, which would be empty. */
export const parseExcludes = (globs: readonly string[], start?: string): GlobTest | undefined =>
  globs.length === 0
    ? undefined
    : parseAll(globs, start, (glob) => [...new Set([glob, glob.replace(/(?<=.)\/\*\*$/, "")])]);

/** On Windows a backslash separates names, as callers write it there; `[[]` matches a bracket. */
export const toGlob = (given: string, separator: string = sep): string =>
  separator === "\\" ? given.replaceAll("\\", "/") : given;

/** Paths of Windows may be spelled in another case than the directory that they name. */
const beginsWith = (glob: string, base: string): boolean =>
  glob.startsWith(base) || (sep === "\\" && glob.slice(0, base.length).toLowerCase() === base.toLowerCase());

function parseAll(globs: readonly string[], start = "", widen: Widen = (glob) => [glob]): GlobTest {
  const base = `${start.replaceAll(sep, "/")}/`.normalize();
  const tests: GlobTest[] = [];
  let characters = 0;
  for (const given of globs) {
    // Before all else: on long text, normalizing and the expressions for widening take quadratic time.
    if (given.length > LONGEST) throw refuse(given, "it is too long");
    for (const glob of widen(toGlob(given).normalize())) {
      const patterns = toPatterns(beginsWith(glob, base) ? glob.slice(base.length - 1) : glob);
      for (const pattern of patterns) characters += pattern.length;
      if (characters > MOST_CHARACTERS)
        throw refuse(given, "all globs together expand to too many characters");
      tests.push(...patterns.map((pattern) => parsePlain(pattern, given)));
    }
  }
  const test = anyOf(tests);
  if (globs.every((glob) => /^[\0-\x7F]*$/.test(glob))) return test;
  return (path, name, isDirectory) => test(path.normalize(), name.normalize(), isDirectory);
}

function toPatterns(glob: string): readonly string[] {
  if (EXTENDED.test(glob)) throw refuse(glob, "groups like @(a|b) are not supported; use {a,b}");
  if (glob.startsWith("!")) throw refuse(glob, 'it is negated; exclude takes what to leave out, without "!"');
  const patterns = expandBraces(glob);
  if (!patterns) throw refuse(glob, "its braces expand to too many patterns");
  return patterns;
}

const anyOf = (tests: readonly GlobTest[]): GlobTest => {
  const [only] = tests;
  if (only && tests.length === 1) return only;
  return (path, name, isDirectory) => tests.some((test) => test(path, name, isDirectory));
};

function parsePlain(pattern: string, glob: string): GlobTest {
  const isForDirectories = pattern.endsWith("/");
  const plain = pattern.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
  if (plain === "") throw refuse(glob, "it contains no name");
  // `**/*.ts` is the same as `*.ts`, which tests only the name.
  const name = plain.replace(/^(?:\*\*\/)+/, "");
  if (name.includes("/") || ANCHORED.test(pattern)) {
    const test = parsePathPattern(plain);
    if (!test) throw refuse(glob, INCOMPLETE);
    return (path, _name, isDirectory) => (isDirectory || !isForDirectories) && test(path.split("/"));
  }
  const test = parseName(name)?.test;
  if (!test) throw refuse(glob, INCOMPLETE);
  return (_path, given, isDirectory) => (isDirectory || !isForDirectories) && test(given);
}

const refuse = (glob: string, why: string): Fault =>
  new Fault("invalid_input", `The glob ${JSON.stringify(glob.slice(0, 100))} cannot be used: ${why}`, {
    hint: "For example: *.ts, src/**/*.{ts,tsx}, **/test/",
  });

/** A limit, because each pair of braces multiplies the number of patterns. */
const MOST_PATTERNS = 100;

/** Expands `*.{ts,md}` to `*.ts` and `*.md`. undefined if there are too many. */
function expandBraces(glob: string): string[] | undefined {
  const done: string[] = [];
  const open = [glob];
  while (done.length + open.length <= MOST_PATTERNS) {
    const next = open.pop();
    if (next === undefined) return done;
    const choices = expandFirst(next);
    if (choices) open.push(...choices);
    else done.push(next);
  }
  return undefined;
}

/** Expands the first pair of braces that contains a comma or a range. */
function expandFirst(glob: string): string[] | undefined {
  for (let start = 0; start < glob.length; start += 1) {
    if (glob[start] === "\\") start += 1;
    else if (glob[start] === "{") {
      const choices = readChoices(glob, start);
      if (choices) return choices;
    }
  }
  return undefined;
}

function readChoices(glob: string, start: number): string[] | undefined {
  const cuts = [start];
  let depth = 0;
  for (let index = start; index < glob.length; index += 1) {
    const character = glob[index];
    if (character === "\\") index += 1;
    else if (character === "{") depth += 1;
    else if (character === "," && depth === 1) cuts.push(index);
    else if (character === "}") {
      depth -= 1;
      if (depth > 0) continue;
      const choices =
        cuts.length > 1 ? cutAt(glob, [...cuts, index]) : expandRange(glob.slice(start + 1, index));
      return choices?.map((choice) => glob.slice(0, start) + choice + glob.slice(index + 1));
    }
  }
  return undefined;
}

const cutAt = (glob: string, cuts: readonly number[]): string[] =>
  cuts.slice(1).map((cut, index) => glob.slice((cuts[index] ?? 0) + 1, cut));

/** As in a shell: `8..10`, `08..10` with leading zeros, `a..e`, and with a step `0..10..5`. */
const RANGE = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))(?:\.\.-?(\d{1,9}))?$/;

/** undefined if it is not a range. Ends one after the limit: that many are refused. */
function expandRange(text: string): string[] | undefined {
  const [first, last, step] = readRange(text) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const isNumber = /\d/.test(first);
  const [from, to] = [first, last].map((end) => (isNumber ? Number(end) : end.charCodeAt(0))) as [
    number,
    number,
  ];
  const width = [first, last].some((end) => /^-?0\d/.test(end)) ? Math.max(first.length, last.length) : 0;
  const by = Math.max(1, Number(step ?? 1)) * Math.sign(to - from || 1);
  const count = Math.min(Math.floor((to - from) / by), MOST_PATTERNS) + 1;
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * by;
    if (!isNumber) return String.fromCharCode(value);
    return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
  });
}

const readRange = (text: string): (string | undefined)[] | undefined => {
  const found = RANGE.exec(text)?.slice(1);
  return found && [found[0] ?? found[2] ?? found[4], found[1] ?? found[3] ?? found[5], found[6]];
};
