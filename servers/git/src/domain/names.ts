import { isUtf8 } from "node:buffer";
import platformPath, { type PlatformPath } from "node:path";

import { Fault, fromPathText, quotePath, toPathText } from "@suite/server-kit/domain";

import type { GitCallOptions, RepositoryCall } from "./git/repository-call.ts";
import type { Repository } from "./repository/repository.ts";
import { joinBytes } from "./repository/small-file.ts";

/** What `-z` output consists of: each record ends with a NUL. */
export function splitRecords(output: Buffer): readonly Buffer[] {
  const records: Buffer[] = [];
  for (let start = 0; start < output.length;) {
    const end = output.indexOf(0, start);
    const stop = end < 0 ? output.length : end;
    records.push(output.subarray(start, stop));
    start = stop + 1;
  }
  return records;
}

/** The files that git names, each with a NUL after it. */
export async function readNames(
  call: RepositoryCall,
  args: readonly string[],
  options: GitCallOptions = {},
): Promise<readonly string[]> {
  const { stdout } = await call.run(args, options);
  return splitRecords(stdout).map(toFileName);
}

/** A name as results show it, and as it can be given back. What is not UTF-8 is quoted as git does it. */
export function toFileName(bytes: Buffer): string {
  if (isUtf8(bytes)) {
    const text = bytes.toString();
    if (!text.startsWith('"')) return toPathText(text);
  }
  return quoteName(bytes);
}

/** As git quotes a name, whatever it is. */
export function quoteName(bytes: Buffer): string {
  const quoted = Array.from(bytes, (byte) => {
    const character = String.fromCodePoint(byte);
    if (character === '"' || character === "\\") return `\\${character}`;
    return byte >= 0x20 && byte < 0x7f ? character : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${quoted.join("")}"`;
}

const QUOTED = /^"(.*)"$/s;
const LETTERS: { readonly [letter: string]: string } = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

/** The bytes of a name that is shown in this way. */
export function fromFileName(text: string): Buffer {
  const quoted = QUOTED.exec(text)?.[1];
  if (quoted === undefined) return Buffer.from(fromPathText(text));
  const latin = Buffer.from(quoted).toString("latin1");
  const plain = latin.replaceAll(/\\([0-7]{3}|.)/gs, (_, escaped: string) =>
    escaped.length === 3
      ? String.fromCodePoint(Number.parseInt(escaped, 8) & 0xff)
      : (LETTERS[escaped] ?? escaped),
  );
  return Buffer.from(plain, "latin1");
}

/** Where a file is on the disk. */
export const toPlace = ({ root }: Pick<Repository, "root">, name: string): Buffer =>
  joinBytes(root, fromFileName(name));

/** A backslash that begins no escape of `toPathText`. */
const BACKSLASH = /\\(?!u\{[0-9a-f]{1,6}\})/gi;

/** A path in the repository, relative to its root, with slashes. "" is the root. What leads out is refused. */
export function toRepositoryPath(
  { root }: Pick<Repository, "root">,
  given: string,
  paths: PlatformPath = platformPath,
): string {
  if (given.startsWith('"')) return requireInside(given, given, paths);
  const inner = paths.isAbsolute(given) ? paths.relative(root, given) : given;
  const normal = paths.normalize(inner === "" ? "." : inner);
  const path = (paths.sep === "/" ? normal : normal.replaceAll(BACKSLASH, "/")).replace(/\/$/, "");
  return requireInside(path === "." ? "" : path, given, paths);
}

function requireInside(path: string, given: string, paths: PlatformPath): string {
  const name = fromFileName(path).toString("latin1");
  if (name === "" && path !== "") throw refusePath(given, "nothing is between its quotes");
  if (name.includes("\0")) throw refusePath(given, "it holds a NUL character");
  const parts = name.replaceAll(paths.sep, "/").split("/");
  if (parts.includes("..") || paths.isAbsolute(name))
    throw refusePath(given, "it leads out of the repository");
  if (parts.some((part) => part.toLowerCase() === ".git")) throw refusePath(given, "it leads into .git");
  return path;
}

const refusePath = (given: string, why: string): Fault =>
  new Fault("invalid_input", `The path ${quotePath(given)} cannot be used: ${why}`, {
    hint: "Give a path relative to the root of the repository.",
  });

const toKey = (name: string): string => fromFileName(name).toString("latin1");

const lengthsOf = (keys: Iterable<string>): readonly number[] => [
  ...new Set(Array.from(keys, (key) => key.length)),
];

/** The name and the directories that it is in, as far as they are this long: it may be in thousands. */
function placesOf(name: string, lengths: readonly number[]): readonly string[] {
  const key = toKey(name);
  const isPlace = (length: number): boolean => length === 0 || length === key.length || key[length] === "/";
  return lengths.filter(isPlace).map((length) => key.slice(0, length));
}

/** Whether a name is one of these paths or below one. There may be many of both, so they are looked up. */
export function atOrBelow(paths: readonly string[]): (name: string) => boolean {
  const wanted = new Set(paths.map(toKey));
  const lengths = lengthsOf(wanted);
  return (name) => placesOf(name, lengths).some((place) => wanted.has(place));
}

/** The paths that no name is at or below. */
export function listUnmatched(paths: readonly string[], names: readonly string[]): readonly string[] {
  const left = new Map(paths.map((path) => [toKey(path), path]));
  const lengths = lengthsOf(left.keys());
  for (const name of names) {
    if (left.size === 0) break;
    for (const place of placesOf(name, lengths)) left.delete(place);
  }
  return [...left.values()];
}

/**
 * A path as an argument that means itself and what is below it, whatever it is called. Bytes that are not UTF-8 cannot be
 * written in an argument: any byte is taken in their place.
 */
export function toPathspec(path: string): string {
  if (path === "") return ":(top)";
  const bytes = fromFileName(path);
  if (isUtf8(bytes)) return `:(top,literal)${bytes.toString()}`;
  const pattern = Array.from(bytes, (byte) => {
    if (byte > 0x7f) return "?";
    const character = String.fromCodePoint(byte);
    return /[*?[\]\\]/.test(character) ? `\\${character}` : character;
  });
  return `:(top,glob)${pattern.join("")}`;
}

export const isPattern = (path: string): boolean => /[*?[]/.test(path) && !path.startsWith('"');

/** For reading, where a pattern such as src/**\/*.ts finds more than it says. */
export const toReadPathspec = (path: string): string =>
  isPattern(path) ? `:(top,glob)${fromPathText(path)}` : toPathspec(path);

/** File names on standard input: any name works, and none is taken for a pattern or an option. */
export const FROM_INPUT: readonly string[] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/** For `FROM_INPUT`, with literal pathspecs: every name there is. */
export const toPathInput = (paths: readonly string[]): Buffer =>
  Buffer.concat(paths.flatMap((path) => [path === "" ? Buffer.from(".") : fromFileName(path), Buffer.of(0)]));

const LONGEST_REVISION = 500;
/** However git may be told of them: some file systems take capitals or a long s for the same, and Windows drops a dot at the end. */
const PRIVATE_REFS = /(?:^|\/)suite\.?\/undo\.?\//iu;
/** Git takes what follows "-g" for an id, as in v1-2-g0a1b2c3, whatever comes before it. */
const DESCRIBED = /-g[0-9a-f]{4,64}(?=$|[~:^])/i;

export const endsLikeId = (name: Buffer): boolean => DESCRIBED.test(name.toString("latin1"));

/** A revision that cannot be taken for an option, whatever it says. What it means is asked of git: see revisions.ts. */
export function parseRevision(given: string): string {
  const problem = findRevisionProblem(given);
  if (problem === undefined) return given;
  throw refuseRevision(given, problem);
}

export const refuseRevision = (given: string, why: string): Fault =>
  new Fault("invalid_input", `${quotePath(given)} is not a revision: ${why}`, {
    hint: "Give a branch, a tag, a commit id, or an expression such as HEAD~2.",
  });

function findRevisionProblem(given: string): string | undefined {
  if (given === "") return "it is empty";
  if (given.length > LONGEST_REVISION) return "it is too long";
  if (given.startsWith("-")) return "it starts with a dash";
  // What follows would be a second revision, that nobody has looked at.
  if (/^[^:]*\.\./.test(given)) return "it is a range";
  // Both lead to what is kept for git_undo, which is not for everybody to see.
  if (/^\^*:\//.test(given)) return "messages are searched with grep of git_log";
  if (PRIVATE_REFS.test(given)) return "it is kept for git_undo";
  const [, rest = ""] = /^\^*[^~:^]*(.*)$/s.exec(given) ?? [];
  if (DESCRIBED.test(rest)) return "git would take its end for an id";
  // oxlint-disable-next-line no-control-regex -- that is what it is for
  return /[\x00-\x1f\x7f]/.test(given) ? "it holds a control character" : undefined;
}
