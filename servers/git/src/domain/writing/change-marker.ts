import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { codeOf, Fault, moveToFree, quotePath, type StopSignal } from "@suite/server-kit/domain";

import type { Repository } from "../repository/repository.ts";
import { findEntry } from "../repository/small-file.ts";
import { clearTemporary } from "../repository/temporary.ts";

/** Questions about processes. main.ts passes it in: no other code may touch processes. */
export interface Processes {
  readonly pid: number;
  /** A negative number asks about a process group. */
  readonly isRunning: (pid: number) => boolean;
  /** When it began; undefined if not known. */
  readonly startOf: (pid: number) => string | undefined;
  /** The files that no process has open; none of them if a process of this program runs in one of the folders. */
  readonly findUnheld: (
    files: readonly string[],
    program: string,
    folders: readonly string[],
  ) => readonly string[];
}

/** When it began, if known: ids are reused. */
interface MarkedProcess {
  readonly pid: number;
  readonly start?: string | undefined;
}

/** Its lines: the server, then each git process of its write, the leader of its group, when it starts and when it ends. */
interface Mark extends MarkedProcess {
  readonly started: number;
  readonly gits: readonly MarkedProcess[];
}

interface MarkedGit extends MarkedProcess {
  readonly hasEnded?: true;
}

/** No write takes longer: an older mark is of a process that has ended. */
const LONGEST_MS = 3_600_000;
/** Of a mark: 10,000 processes. */
const MOST_BYTES = 1024 * 1024;
const PATIENCE_MS = 5000;
const RETRY_MS = 50;

/**
 * A file that says a server is writing, so that other servers wait, and the next one can tell a lock that git still holds
 * from one that a killed process left.
 */
export class ChangeMarker {
  readonly #file: string;
  readonly #fd: number;
  readonly #processes: Processes;
  readonly #started: number;
  #wasKilled = false;
  #isReleased = false;

  private constructor(file: string, processes: Processes, started: number) {
    this.#file = file;
    this.#processes = processes;
    this.#started = started;
    createWhole(file, toLine({ ...this.#toMarked(processes.pid), started }));
    this.#fd = openSync(file, APPEND);
  }

  /** Waits for another server, or for git processes that a killed one left running: most writes are short. */
  static async take(repository: Repository, processes: Processes, signal: StopSignal): Promise<ChangeMarker> {
    mkdirSync(join(repository.commonDir, "suite"), { recursive: true });
    const file = toFile(repository);
    for (const started = Date.now(); ; await sleep(RETRY_MS)) {
      signal.throwIfAborted();
      clearStale(repository, processes);
      try {
        return new ChangeMarker(file, processes, started);
      } catch (thrown) {
        if (codeOf(thrown) !== "EEXIST") throw thrown;
        if (Date.now() - started < PATIENCE_MS) continue;
        throw new Fault("unavailable", "Another server is writing to this repository", {
          hint: `Wait until it has finished. If there is none, remove ${quotePath(file)}.`,
          retryAfterMs: 1000,
          cause: thrown,
        });
      }
    }
  }

  /** Adds to the file: replacing it would take longer than starting the process did. */
  started(pid: number): void {
    this.#add(this.#toMarked(pid));
  }

  ended(pid: number): void {
    this.#add({ pid, hasEnded: true });
  }

  #add(event: MarkedGit): void {
    // Then the number is that of another file.
    if (!this.#isReleased) writeSync(this.#fd, toLine(event));
  }

  #toMarked(pid: number): MarkedProcess {
    return { pid, start: this.#processes.startOf(pid) };
  }

  /** A git process of this write was killed, and may have left locks. */
  killed(): void {
    this.#wasKilled = true;
  }

  /** Removes the locks of a killed git process. */
  clearLocks(repository: Repository): void {
    if (this.#wasKilled) clearLocks(repository, this.#started, this.#processes);
  }

  release(): void {
    this.#isReleased = true;
    closeSync(this.#fd);
    rmSync(this.#file, { force: true });
  }
}

/** Not through a link that came to be there; Windows does not know the flag. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

const toLine = (content: object): string => `${JSON.stringify(content)}\n`;

/** One for all work trees of a repository: they share its refs and their locks. */
const toFile = ({ commonDir }: Repository): string => join(commonDir, "suite", "writing.json");

/** Fails if the file exists. Never half-written: half a mark would be taken for an abandoned one. */
function createWhole(file: string, content: string): void {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    writeFileSync(draft, content);
    moveToFree(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes what a server that was killed has left: temporary files, and if it wrote, its mark and locks. */
export function clearStale(repository: Repository, processes: Processes): boolean {
  const { pid, isRunning, startOf } = processes;
  clearTemporary(placesOf(repository), processes);
  const mark = readMark(toFile(repository));
  if (!mark) return false;
  const isOld = Date.now() - mark.started > LONGEST_MS;
  const isReused = (marked: MarkedProcess): boolean => {
    const now = startOf(marked.pid);
    return marked.start !== undefined && now !== undefined && marked.start !== now;
  };
  // A mark with our own process id that we do not hold is from an earlier run: containers give out the same ids each time.
  const isHeld = mark.pid !== pid && isRunning(mark.pid) && !isReused(mark);
  if (!isOld && (isHeld || mark.gits.some((git) => isRunning(-git.pid) && !isReused(git)))) return false;
  clearLocks(repository, mark.started, processes);
  rmSync(toFile(repository), { force: true });
  return true;
}

function readMark(file: string): Mark | undefined {
  const found = findEntry(file);
  if (!found) return undefined;
  const nobodys = { pid: NOBODY, started: found.mtimeMs, gits: [] };
  try {
    // The last line has no end yet if its server is writing it, or was killed while it did.
    const lines = readShort(file, found).split("\n").slice(0, -1);
    const [server, ...events] = lines.map((line) => JSON.parse(line) as MarkedGit);
    const gits = [...new Map(events.map((event) => [event.pid, event])).values()];
    const mark = { ...(server as Mark), gits: gits.filter(({ hasEnded }) => !hasEnded) };
    const isId = ({ pid }: MarkedProcess, least: number): boolean => Number.isInteger(pid) && pid >= least;
    // As targets of kill(2), 0 is our own group and -1 is every process.
    const isMark = isId(mark, 1) && gits.every((git) => isId(git, 2)) && mark.started <= Date.now();
    return isMark ? mark : nobodys;
  } catch {
    return nobodys;
  }
}

/** Empty unless a regular file: a repository may come with anything under this name, and reading a pipe would never end. */
function readShort(file: string, found = findEntry(file)): string {
  return found?.isFile() && found.size <= MOST_BYTES ? readFileSync(file, "utf8") : "";
}

const NOBODY = 2 ** 31 - 1;
const DEEPEST = 6;

/** Removes locks made since then, except those that may still be held: git closes some long before it releases them. */
function clearLocks({ root, gitDir, commonDir }: Repository, since: number, processes: Processes): void {
  const linked = listFolders(join(commonDir, "worktrees"));
  const places = placesOf({ gitDir, commonDir });
  const locks = places.flatMap((place) => [
    ...listLocks(place, 0),
    ...listLocks(join(place, "refs"), DEEPEST),
  ]);
  const isNew = (lock: string): boolean => (findEntry(lock)?.mtimeMs ?? 0) >= since - 1000;
  const made = locks.filter(isNew);
  if (made.length === 0) return;
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  // Each `gitdir` file holds the path of its work tree's .git.
  const others = linked.map((place) => dirname(readShort(join(place, "gitdir")).trim()));
  const unheld = processes.findUnheld(made, "git", [root, ...main, ...others, ...places]);
  for (const lock of unheld) rmSync(lock, { force: true });
}

/** The git directories of all work trees. */
const placesOf = ({ gitDir, commonDir }: Pick<Repository, "gitDir" | "commonDir">): readonly string[] => [
  ...new Set([gitDir, commonDir, ...listFolders(join(commonDir, "worktrees"))]),
];

function listFolders(folder: string): readonly string[] {
  if (!findEntry(folder)?.isDirectory()) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

function listLocks(folder: string, depth: number): readonly string[] {
  if (!findEntry(folder)?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) return listLocks(path, depth - 1);
    return entry.isFile() && entry.name.endsWith(".lock") ? [path] : [];
  });
}
