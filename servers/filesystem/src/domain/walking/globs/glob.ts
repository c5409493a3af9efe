import { sep } from "node:path";
import { Fault } from "@suite/server-kit/domain";
import { parseName } from "./name-pattern.ts";
import { parsePathPattern } from "./path-pattern.ts";

/** Whether an entry fits: by its path below the start, "/" between the names. */
export type GlobTest = (path: string, name: string, isDirectory: boolean) => boolean;

const LONGEST = 1000;
/** Of all patterns together, braces taken apart: each of them is tried on each entry. */
const MOST_CHARACTERS = 20_000;
/** For paths from the start on, as in ./a or /a. */
const ANCHORED = /^\.?\//;
const INCOMPLETE = "a [ has no ], or nothing follows a \\";
const EXTENDED = /[@!+?*]\(/;

/**
 * A glob from a caller: `*`, `?`, `[…]`, `{a,b}`, and `**` for any number of directories. Without a slash it is for the
 * name, wherever that is; with one at the end, for directories only. Files that start with a dot are like others.
 * No pattern takes long on any path: it may come from a model that was talked into it.
 *
 * One that begins with the path of the `start` means what is below that: results name files so.
 */
export const parseGlob = (glob: string, start?: string): GlobTest => parseAll([glob], start);

/** Whether any of them fits. Undefined where there are none. */
export const parseGlobs = (globs: readonly string[], start?: string): GlobTest | undefined =>
  globs.length === 0 ? undefined : parseAll(globs, start);

/** What is left out of a walk. `dir/**` means the directory as well: there is nothing left to see in it. */
export function parseExcludes(globs: readonly string[], start?: string): GlobTest | undefined {
  const both = globs.flatMap((glob) => [glob, glob.replace(/(?<=.)\/\*\*$/, "")]);
  return parseGlobs([...new Set(both)], start);
}

function parseAll(globs: readonly string[], start = ""): GlobTest {
  const base = `${start.replaceAll(sep, "/")}/`;
  const tests: GlobTest[] = [];
  let characters = 0;
  for (const glob of globs) {
    const patterns = toPatterns(glob.startsWith(base) ? glob.slice(base.length - 1) : glob);
    for (const pattern of patterns) characters += pattern.length;
    if (characters > MOST_CHARACTERS) throw refuse(glob, "all globs together stand for too much");
    tests.push(...patterns.map((pattern) => parsePlain(pattern, glob)));
  }
  return anyOf(tests);
}

function toPatterns(glob: string): readonly string[] {
  if (glob.length > LONGEST) throw refuse(glob, "it is too long");
  if (EXTENDED.test(glob)) throw refuse(glob, "groups like @(a|b) are not known here; use {a,b}");
  if (glob.startsWith("!")) throw refuse(glob, "it is negated; use excludePatterns");
  const patterns = expandBraces(glob);
  if (!patterns) throw refuse(glob, "its braces stand for too many patterns");
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
  if (plain === "") throw refuse(glob, "it names nothing");
  // `**/*.ts` asks no more than `*.ts`, which is asked of the name alone.
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

/** Fewer than a pattern could ask for: each pair of braces multiplies. */
const MOST_PATTERNS = 100;

/** `*.{ts,md}` as the patterns that it stands for. Undefined where they are too many. */
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

/** The first pair with a comma in it, taken apart. */
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
