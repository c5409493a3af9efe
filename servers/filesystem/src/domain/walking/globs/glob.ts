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
 * A glob from a caller: `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of directories. Without a slash it matches the
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

function parseAll(globs: readonly string[], start = "", widen: Widen = (glob) => [glob]): GlobTest {
  const base = `${start.replaceAll(sep, "/")}/`.normalize();
  const tests: GlobTest[] = [];
  let characters = 0;
  for (const given of globs) {
    // Before all else: on long text, normalizing and the expressions for widening take quadratic time.
    if (given.length > LONGEST) throw refuse(given, "it is too long");
    for (const glob of widen(given.normalize())) {
      const patterns = toPatterns(glob.startsWith(base) ? glob.slice(base.length - 1) : glob);
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

/** Expands the first pair of braces that contains a comma. */
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
      if (depth === 0) return cuts.length > 1 ? joinChoices(glob, [...cuts, index]) : undefined;
    }
  }
  return undefined;
}

function joinChoices(glob: string, cuts: readonly number[]): string[] {
  const [before, after] = [glob.slice(0, cuts[0]), glob.slice((cuts.at(-1) ?? 0) + 1)];
  return cuts.slice(1).map((cut, index) => before + glob.slice((cuts[index] ?? 0) + 1, cut) + after);
}
