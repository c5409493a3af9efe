import { lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { outermostRoot, type PathGuard, type SafePath, type WalkedDirectory } from "@suite/server-kit/domain";
import { closing } from "../../closing.ts";
import type { NamedEntry } from "../read-entries.ts";
import { readOwnRules, readRules, REPOSITORY, type RuleList, RULES_FILE } from "./rule-list.ts";

/** A list of rules, and the directory that they are relative to. */
interface Level {
  readonly list: RuleList;
  /** If that is above the start of the walk: the path from there to the start, as "src/lib/". */
  readonly above: string;
  /** If it is below: the length of its path. */
  readonly below: number;
}

/** In bytes of rules: with more, a walk checks the time after each entry. */
const HEAVY = 2048;
/** Limit for all levels: with nested directories that each have a large file of rules, one entry could take minutes. */
const HEAVIEST = 128 * 1024;

/** The rules that apply in a directory: its own and those of the directories above, up to the top of the repository. */
export class IgnoreRules {
  /** Innermost first: it takes precedence. */
  readonly #levels: readonly Level[];
  /** Whether testing one entry may take long. */
  readonly isSlow: boolean;

  constructor(levels: readonly Level[] = []) {
    let weight = 0;
    this.#levels = levels.filter(({ list }) => (weight += list.weight) <= HEAVIEST);
    this.isSlow = weight > HEAVY;
  }

  /** The rules inside a directory. `path` is relative to the start: "" or "src/lib/". */
  enter(directory: WalkedDirectory, entries: readonly NamedEntry[], path: string): IgnoreRules {
    const isTop = isRepository(entries);
    const hasRules = findEntry(entries, RULES_FILE)?.kind === "file";
    if (!isTop && !hasRules) return this;
    const lists = readLists(directory, hasRules, isTop);
    const own = lists.map((list) => ({ list, above: "", below: path.length }));
    // A nested repository uses only its own rules.
    return new IgnoreRules(isTop ? own : [...own, ...this.#levels]);
  }

  /** Tests one entry. The directories above it must not be ignored themselves. */
  ignores(path: string, name: string, isDirectory: boolean): boolean {
    if (name === REPOSITORY) return true;
    if (this.#levels.length === 0) return false;
    const bytes = toBytes(name);
    for (const { list, above, below } of this.#levels) {
      const verdict = list.judge(
        bytes,
        list.hasPaths ? toBytes(above + path.slice(below)) : bytes,
        isDirectory,
      );
      if (verdict !== undefined) return verdict;
    }
    return false;
  }
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\u0000-\u007F]*$/;

/** One character per byte of UTF-8. */
const toBytes = (text: string): string => (ASCII.test(text) ? text : Buffer.from(text).toString("latin1"));

function readLists(directory: WalkedDirectory, hasRules: boolean, isTop: boolean): RuleList[] {
  const lists = [hasRules ? readRules(directory) : undefined, isTop ? readOwnRules(directory) : undefined];
  return lists.filter((list) => list !== undefined);
}

const isRepository = (entries: readonly NamedEntry[]): boolean =>
  findEntry(entries, REPOSITORY) !== undefined;

/** Binary search: the entries are sorted, and there may be very many. */
function findEntry(entries: readonly NamedEntry[], name: string): NamedEntry | undefined {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle] as NamedEntry).name < name) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.name === name ? entries[low] : undefined;
}

/** The rules of the directories above a start with these entries, up to the top of the repository, but never from outside the roots. */
export function readRulesAbove(
  guard: PathGuard,
  start: SafePath,
  entries: readonly NamedEntry[],
): IgnoreRules {
  if (isRepository(entries)) return new IgnoreRules();
  const levels: Level[] = [];
  // All directories between this root and the start may be read.
  const boundary = outermostRoot(guard.roots, start) ?? start;
  let directory = start;
  while (directory !== boundary) {
    directory = dirname(directory) as SafePath;
    const found = readLevel(guard, directory);
    if (found.lists.length > 0) {
      const above = `${relative(directory, start).replaceAll(sep, "/")}/`;
      levels.push(...found.lists.map((list) => ({ list, above, below: 0 })));
    }
    if (found.isEnd) break;
  }
  return new IgnoreRules(levels);
}

function readLevel(guard: PathGuard, path: SafePath): { lists: readonly RuleList[]; isEnd: boolean } {
  const has = (name: string): boolean => lstatSync(join(path, name), { throwIfNoEntry: false }) !== undefined;
  try {
    const [isEnd, hasRules] = [has(REPOSITORY), has(RULES_FILE)];
    // Most directories have neither: opening each safely would cost more than the rest of a small listing.
    if (!isEnd && !hasRules) return { lists: [], isEnd };
    return closing(guard.walkDirectory(path), (directory) => ({
      lists: readLists(directory, hasRules, isEnd),
      isEnd,
    }));
  } catch {
    // Unreadable directories have no rules.
    return { lists: [], isEnd: true };
  }
}
