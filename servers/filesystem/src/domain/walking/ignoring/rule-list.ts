import { closeSync, fstatSync, readFileSync } from "node:fs";
import type { WalkedDirectory } from "@suite/server-kit/domain";
import { type NamePattern, parseName } from "../globs/name-pattern.ts";
import { parsePathPattern, type PathTest } from "../globs/path-pattern.ts";

const BYTE_ORDER_MARK = /^\u00EF\u00BB\u00BF/;
/** `*.log`, but not `*.tar.gz`: what follows the last dot of a name is looked up, not tried. */
const EXTENSION = /^\.[^.]+$/;

type Places = Map<string, number>;

/**
 * The rules of one file. The last that fits decides, so rules are numbered. Those for one name or one extension, which are
 * most, are looked up; the others are tried from the last one on, down to the number that is found already.
 */
export class RuleList {
  readonly #rules: readonly Rule[];
  readonly #names: Places = new Map();
  readonly #directoryNames: Places = new Map();
  readonly #extensions: Places = new Map();
  readonly #others: readonly number[];
  /** Whether any rule looks at more than the name. */
  readonly hasPaths: boolean;
  /** How long they are, which is how long they may take. */
  readonly weight: number;

  /** One character for each byte: so git compares them, and `?` is one byte of a name. */
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

  /** true: ignored; false: expressly not; undefined: these rules say nothing of it. `path` is below the file's directory; both as bytes. */
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
  /** `!`: what an earlier rule ignored is seen after all. */
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
  /** Exactly one of the two: for the name wherever it is, or for the path below the file's own directory. */
  readonly name?: NamePattern;
  readonly path?: PathTest;
}

/** In bytes. No path is longer, and what is made to be could take long to parse. */
const LONGEST_LINE = 4096;

/** Undefined for empty lines, comments, what git takes for a pattern that never fits, and what is too long. */
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

/** Spaces at the end count only behind a backslash. Step by step: on many spaces an expression takes their square in time. */
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

/** Nobody writes more by hand, and each rule costs time for each entry. A larger file counts as none. */
const LARGEST = 64 * 1024;

/** Git does not follow a link here either: a repository must not choose which file is read. */
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

/** `.git/info/exclude`: rules that stay with this copy of the repository. Every rule inside it overrules them. */
export function readOwnRules(top: WalkedDirectory): RuleList | undefined {
  return within(top, REPOSITORY, (repository) =>
    within(repository, "info", (info) => readRules(info, "exclude")),
  );
}

function within<T>(
  directory: WalkedDirectory,
  name: string,
  work: (child: WalkedDirectory) => T,
): T | undefined {
  let child: WalkedDirectory | undefined;
  try {
    child = directory.enter(name);
    return work(child);
  } catch {
    return undefined;
  } finally {
    child?.close();
  }
}
