import { closeSync, fstatSync, readFileSync } from "node:fs";
import type { WalkedDirectory } from "@suite/server-kit/domain";
import { attempt } from "../../attempt.ts";
import { closing } from "../../closing.ts";
import { type NamePattern, parseName } from "../globs/name-pattern.ts";
import { parsePathPattern, type PathTest } from "../globs/path-pattern.ts";

const BYTE_ORDER_MARK = /^\u00EF\u00BB\u00BF/;
/** `*.log`, but not `*.tar.gz`: a simple extension, which can be looked up. */
const EXTENSION = /^\.[^.]+$/;

type Places = Map<string, number>;

/**
 * The rules of one file. The last match decides, so rules are numbered. Most are for one name or one extension, and are
 * looked up; the others are tested backwards from the last one, down to the number already found.
 */
export class RuleList {
  readonly #rules: readonly Rule[];
  readonly #names: Places = new Map();
  readonly #directoryNames: Places = new Map();
  readonly #extensions: Places = new Map();
  readonly #others: readonly number[];
  /** Whether any rule tests more than the name. */
  readonly hasPaths: boolean;
  /** Length of the rules, as a measure of the time they may take. */
  readonly weight: number;

  /** `bytes`: one character per byte, because git compares bytes, and `?` matches one byte. */
  constructor(bytes: string) {
    this.#rules = bytes
      .replace(BYTE_ORDER_MARK, "")
      .split("\n")
      .flatMap((line) => parseRule(line) ?? []);
    this.#others = this.#rules
      .flatMap((rule, index) => (this.#register(rule, index) ? [] : [index]))
      .toReversed();
    this.weight = bytes.length;
    this.hasPaths = this.#rules.some(({ path }) => path !== undefined);
  }

  get isEmpty(): boolean {
    return this.#rules.length === 0;
  }

  /** true: ignored; false: explicitly not; undefined: no rule matches. `path` is relative to the file's directory; both as bytes. */
  judge(name: string, path: string, isDirectory: boolean): boolean | undefined {
    let found = this.#names.get(name) ?? -1;
    if (isDirectory) found = Math.max(found, this.#directoryNames.get(name) ?? -1);
    if (this.#extensions.size > 0) found = Math.max(found, this.#findExtension(name));
    let names: readonly string[] | undefined;
    for (const index of this.#others) {
      if (index < found) break;
      const rule = this.#rules[index] as Rule;
      if (rule.isForDirectories && !isDirectory) continue;
      if (rule.name ? rule.name.test(name) : rule.path?.((names ??= path.split("/"))) === true) {
        found = index;
        break;
      }
    }
    return found < 0 ? undefined : !(this.#rules[found] as Rule).isNegated;
  }

  #register({ name, isForDirectories }: Rule, index: number): boolean {
    if (name?.literal !== undefined) {
      (isForDirectories ? this.#directoryNames : this.#names).set(name.literal, index);
      return true;
    }
    if (name?.suffix === undefined || isForDirectories || !EXTENSION.test(name.suffix)) return false;
    this.#extensions.set(name.suffix, index);
    return true;
  }

  #findExtension(name: string): number {
    const dot = name.lastIndexOf(".");
    return dot < 0 ? -1 : (this.#extensions.get(name.slice(dot)) ?? -1);
  }
}

/** One line of a .gitignore. */
interface Rule {
  /** `!`: cancels earlier rules. */
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  /** Exactly one of the two: tests the name at any depth, or the path relative to the file's directory. */
  readonly name?: NamePattern;
  readonly path?: PathTest;
}

/** In bytes. No path is longer, and longer lines could be slow to parse. */
const LONGEST_LINE = 4096;

/** undefined for empty lines, comments, patterns that git never matches, and overlong lines. */
function parseRule(line: string): Rule | undefined {
  if (line.startsWith("#") || line.length > LONGEST_LINE) return undefined;
  const isNegated = line.startsWith("!");
  const text = trimEnd(line.replace(/\r$/, "")).slice(isNegated ? 1 : 0);
  const isForDirectories = text.endsWith("/");
  const pattern = isForDirectories ? text.slice(0, -1) : text;
  if (pattern === "") return undefined;
  const facts = { isNegated, isForDirectories };
  if (!pattern.includes("/")) {
    const name = parseName(pattern);
    return name && { ...facts, name };
  }
  const path = parsePathPattern(pattern.replace(/^\//, ""));
  return path && { ...facts, path };
}

/** Trailing spaces count only after a backslash. Not with a RegExp, which takes quadratic time on many spaces. */
function trimEnd(line: string): string {
  let end = 0;
  for (let index = 0; index < line.length; index += 1) {
    if (line[index] === "\\") index += 1;
    else if (line[index] === " ") continue;
    end = index + 1;
  }
  return line.slice(0, end);
}

export const RULES_FILE = ".gitignore";
export const REPOSITORY = ".git";

/** A larger file is ignored: each rule costs time for each entry. */
const LARGEST = 64 * 1024;

/** Does not follow links, like git: a repository must not choose which file is read. */
export function readRules(directory: WalkedDirectory, name: string = RULES_FILE): RuleList | undefined {
  let fd: number | undefined;
  try {
    fd = directory.openFile(name);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > LARGEST) return undefined;
    const list = new RuleList(readFileSync(fd, "latin1"));
    return list.isEmpty ? undefined : list;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** `.git/info/exclude`: rules of this clone only. All .gitignore files take precedence. */
export const readOwnRules = (top: WalkedDirectory): RuleList | undefined =>
  attempt(() =>
    closing(top.enter(REPOSITORY), (repository) =>
      closing(repository.enter("info"), (info) => readRules(info, "exclude")),
    ),
  );
