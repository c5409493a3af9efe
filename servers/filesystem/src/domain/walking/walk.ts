import {
  codeOf,
  Fault,
  type PathGuard,
  type SafePath,
  shownSize,
  type StopSignal,
  TimeSlices,
  toPathText,
  type WalkedDirectory,
} from "@suite/server-kit/domain";
import { isReservedName } from "../reserved-names.ts";
import type { GlobTest } from "./globs/glob.ts";
import { IgnoreRules, readRulesAbove } from "./ignoring/ignore-rules.ts";
import { REPOSITORY } from "./ignoring/rule-list.ts";
import { compareNames, type NamedEntry, readEntries, WHY_BROKEN } from "./read-entries.ts";

export interface WalkOptions {
  readonly signal: StopSignal;
  /** Whether .gitignore files are applied. */
  readonly respectIgnore: boolean;
  /** Entries to leave out, with everything below them. */
  readonly exclude?: GlobTest | undefined;
  /** Levels below the start; 1 is the start's own entries. */
  readonly depth?: number | undefined;
  /** Continues after this path of an earlier walk, even if it no longer exists. */
  readonly after?: string | undefined;
  /** The same, but starts with that path. */
  readonly from?: string | undefined;
  readonly onProgress?: ((seen: number) => void) | undefined;
}

export interface WalkedEntry extends NamedEntry {
  /** Relative to the start, with "/". */
  readonly path: string;
}

/** The directory of a visited entry, and helpers for the visitor. Valid only during the visit. */
export interface VisitedDirectory {
  /** For opening the entry. */
  readonly directory: WalkedDirectory;
  /** Relative to the start: "" or "src/lib/". */
  readonly path: string;
  readonly slices: TimeSlices;
  readonly skipped: SkippedList;
}

export type Verdict = "stop" | undefined;
export type Visit = (entry: WalkedEntry, parent: VisitedDirectory) => Verdict | Promise<Verdict>;

export interface WalkResult {
  readonly isStopped: boolean;
  readonly skipped: SkippedList;
  /** Number of entries visited that git ignores. Those below an ignored directory are not counted. */
  readonly ignored: number;
}

/** A directory that is being walked. */
interface Frame extends VisitedDirectory {
  rules: IgnoreRules;
  /** The path to continue after, relative to this directory. Several names: continue in a subdirectory; none: list everything. */
  readonly after: readonly string[];
  /** Subdirectories to enter; `entered`: how many were. */
  readonly ahead: string[];
  entered: number;
}

/** A limit, because each level keeps a directory open. */
const DEEPEST = 256;

/**
 * Visits everything below a directory: first all its entries, sorted by the bytes of their names, then its subdirectories one
 * by one. Links are visited but not followed, so there are no loops and no way outside. Unreadable directories are skipped and
 * reported. This server's own files are not visited.
 */
export async function walk(
  guard: PathGuard,
  start: SafePath,
  options: WalkOptions,
  visit: Visit,
): Promise<WalkResult> {
  const started = new Walk(options, visit);
  await started.run(guard, start);
  return started;
}

class Walk implements WalkResult {
  readonly skipped: SkippedList = new SkippedList();
  readonly slices: TimeSlices;
  ignored = 0;
  isStopped = false;
  readonly #options: WalkOptions;
  readonly #visit: Visit;
  readonly #frames: Frame[] = [];
  #seen = 0;

  constructor(options: WalkOptions, visit: Visit) {
    this.#options = options;
    this.#visit = visit;
    this.slices = new TimeSlices(options.signal, () => options.onProgress?.(this.#seen));
  }

  async run(guard: PathGuard, start: SafePath): Promise<void> {
    try {
      await this.#start(guard, start);
      while (!this.isStopped) {
        const frame = this.#frames.at(-1);
        if (!frame) break;
        const name = frame.ahead[frame.entered];
        frame.entered += 1;
        if (name === undefined) this.#frames.pop()?.directory.close();
        else await this.#enter(frame, name);
      }
    } finally {
      for (const { directory } of this.#frames) directory.close();
    }
  }

  /** Errors are thrown, not skipped: without the start there is no result. */
  async #start(guard: PathGuard, start: SafePath): Promise<void> {
    const after = (this.#options.from ?? this.#options.after)?.split("/") ?? [];
    const frame = this.#push(guard.walkDirectory(start), "", new IgnoreRules(), after);
    const entries = readEntries(frame.directory.at());
    if (this.#options.respectIgnore) frame.rules = readRulesAbove(guard, start, entries);
    await this.#list(frame, entries);
  }

  async #enter(parent: Frame, name: string): Promise<void> {
    const path = `${parent.path}${name}`;
    const after = parent.after.length > 1 && parent.after[0] === name ? parent.after.slice(1) : [];
    let entries: NamedEntry[];
    let frame: Frame;
    try {
      frame = this.#push(parent.directory.enter(name), `${path}/`, parent.rules, after);
      entries = readEntries(frame.directory.at());
    } catch (thrown) {
      this.skipped.addError(path, thrown);
      return;
    }
    await this.#list(frame, entries);
  }

  #push(directory: WalkedDirectory, path: string, rules: IgnoreRules, after: readonly string[]): Frame {
    const { slices, skipped } = this;
    const frame = { directory, path, slices, skipped, rules, after, ahead: [], entered: 0 };
    this.#frames.push(frame);
    return frame;
  }

  async #list(frame: Frame, entries: readonly NamedEntry[]): Promise<void> {
    if (this.#options.respectIgnore) frame.rules = frame.rules.enter(frame.directory, entries, frame.path);
    const [next] = frame.after;
    const leadsThrough = frame.after.length > 1;
    const least = this.#options.from === undefined || leadsThrough ? 1 : 0;
    for (const entry of entries) {
      const pause = frame.rules.isSlow ? this.slices.look() : this.slices.step();
      if (pause) await pause;
      const isPast = next === undefined || Math.sign(compareNames(entry.name, next)) >= least;
      const isEntered = entry.kind === "directory" && (!leadsThrough || isPast || entry.name === next);
      const isVisited = isPast && !leadsThrough;
      if (!isEntered && !isVisited) continue;
      const path = frame.path + entry.name;
      if (this.#isHidden(frame, entry, path, isVisited)) continue;
      if (isEntered) this.#plan(frame, entry, path);
      if (!isVisited) continue;
      const verdict = this.#see(frame, entry, path);
      // Await only promises: awaiting a plain value would cost more than the visit.
      this.isStopped = (verdict instanceof Promise ? await verdict : verdict) === "stop";
      if (this.isStopped) return;
    }
  }

  #isHidden({ rules }: Frame, { name, kind }: NamedEntry, path: string, isVisited: boolean): boolean {
    const { exclude, respectIgnore } = this.#options;
    const isDirectory = kind === "directory";
    // Excluded entries are not counted as ignored: applying no rules would not show them.
    if (isReservedName(name) || exclude?.(path, name, isDirectory)) return true;
    if (!respectIgnore || !rules.ignores(path, name, isDirectory)) return false;
    // An earlier page counted those that are only passed on the way. Nobody misses git's own files.
    if (isVisited && name !== REPOSITORY) this.ignored += 1;
    return true;
  }

  #plan({ ahead }: Frame, { name, isBroken }: NamedEntry, path: string): void {
    if (isBroken || this.#frames.length >= (this.#options.depth ?? Infinity)) return;
    if (this.#frames.length < DEEPEST) ahead.push(name);
    else this.skipped.add(path, "too deep");
  }

  #see(frame: Frame, { name, kind, isBroken }: NamedEntry, path: string): Verdict | Promise<Verdict> {
    this.#seen += 1;
    if (isBroken) this.skipped.add(path, WHY_BROKEN);
    return this.#visit({ name, kind, isBroken, path }, frame);
  }
}

/** An entry that could not be read, and why. */
export interface Skipped {
  readonly path: string;
  readonly reason: string;
}

/** How a result tells of them. */
export interface SkippedFields {
  /** The first ones. */
  readonly skipped?: Skipped[];
  /** Their total number, if larger. */
  readonly skipped_total?: number;
}

/** Limits of the list: an unreadable tree has very many. */
const MOST_LISTED = 20;
const MOST_CHARACTERS = 5000;

const REASONS: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOENT: "gone meanwhile",
  ENOTDIR: "replaced meanwhile",
  EISDIR: "replaced meanwhile",
  ELOOP: "replaced by a link meanwhile",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ENAMETOOLONG: "path too long",
  EIO: "the device reports an error",
};

/** Errors that do not stop the work but are reported. */
export class SkippedList {
  readonly listed: Skipped[] = [];
  total = 0;
  #characters = 0;

  add(path: string, reason: string): void {
    const shown = { path: toPathText(path), reason };
    this.total += 1;
    this.#characters += shownSize(shown);
    const isFirst = this.total === 1;
    if (isFirst || (this.listed.length < MOST_LISTED && this.#characters <= MOST_CHARACTERS)) {
      this.listed.push(shown);
    }
  }

  /** Adds errors of the system or the guard. Rethrows others, which are bugs. */
  addError(path: string, thrown: unknown): void {
    const code = codeOf(thrown);
    if (thrown instanceof Fault) this.add(path, thrown.code.replaceAll("_", " "));
    else if (typeof code === "string") this.add(path, REASONS[code] ?? code);
    else throw thrown;
  }

  /** `fits`: whether there is room for an entry in the result. `prefix`: what stands before each path. */
  toFields(fits: (entry: Skipped) => boolean = () => true, prefix = ""): SkippedFields {
    const skipped = this.listed.map(({ path, reason }) => ({ path: prefix + path, reason })).filter(fits);
    return {
      ...(this.total > 0 && { skipped }),
      ...(this.total > skipped.length && { skipped_total: this.total }),
    };
  }
}
