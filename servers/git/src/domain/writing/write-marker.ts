import { randomBytes } from "node:crypto";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { codeOf, Fault, quotePath, type StopSignal } from "@suite/server-kit/domain";

import type { Repository } from "../repository/repository.ts";

/** Processes, as far as locks are concerned. The program gives it: nothing else may touch processes. */
export interface Processes {
  readonly pid: number;
  /** Also for a group, as a negative number. */
  readonly isRunning: (pid: number) => boolean;
  /** Those of some files that nobody has open, and no such program counts on that works in one of the folders. */
  readonly findUnheld: (
    files: readonly string[],
    program: string,
    folders: readonly string[],
  ) => readonly string[];
}

interface Mark {
  readonly pid: number;
  readonly started: number;
  /** The git processes of this write; each leads a group. */
  readonly gits: readonly number[];
}

/** No write takes longer, so an older mark is of a process that is gone and whose number another one has. */
const LONGEST_MS = 3_600_000;
const MOST_BYTES = 65_536;
const PATIENCE_MS = 5000;
const RETRY_MS = 50;

/**
 * Says on the disk that a server is writing, so that others wait, and the next one can tell a lock that git still holds
 * from one that a killed process has left.
 */
export class WriteMarker {
  readonly #file: string;
  readonly #processes: Processes;
  #mark: Mark;
  #wasKilled = false;

  private constructor(file: string, processes: Processes) {
    this.#file = file;
    this.#processes = processes;
    this.#mark = { pid: processes.pid, started: Date.now(), gits: [] };
  }

  /** Waits for another server, or for what a killed one has left running: most writes are over in a moment. */
  static async take(repository: Repository, processes: Processes, signal: StopSignal): Promise<WriteMarker> {
    mkdirSync(join(repository.commonDir, "suite"), { recursive: true });
    const marker = new WriteMarker(toFile(repository), processes);
    for (const start = Date.now(); ; await sleep(RETRY_MS)) {
      signal.throwIfAborted();
      clearStale(repository, processes);
      try {
        createWhole(marker.#file, JSON.stringify(marker.#mark));
        return marker;
      } catch (thrown) {
        if (codeOf(thrown) !== "EEXIST") throw thrown;
        if (Date.now() - start < PATIENCE_MS) continue;
        throw new Fault("unavailable", "Another server is writing to this repository", {
          hint: `Wait until it has finished. If there is none, remove ${quotePath(marker.#file)}.`,
          retryAfterMs: 1000,
          cause: thrown,
        });
      }
    }
  }

  started(pid: number): void {
    const gits = [...this.#mark.gits.filter((git) => this.#processes.isRunning(-git)), pid];
    this.#mark = { ...this.#mark, gits };
    const draft = `${this.#file}.new`;
    // A repository may have come with anything under this name, and a pipe would never take it.
    rmSync(draft, { force: true, recursive: true });
    writeFileSync(draft, JSON.stringify(this.#mark), { flag: "wx" });
    // At once, so that nobody reads half of it.
    renameSync(draft, this.#file);
  }

  /** A git of this write has put nothing away. */
  killed(): void {
    this.#wasKilled = true;
  }

  /** Where git was killed: whoever would have removed them is gone. */
  clearLocks(repository: Repository): void {
    if (this.#wasKilled) clearLocks(repository, this.#mark.started, this.#processes);
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}

/** One for all work trees of a repository: they share its refs, and the locks of these. */
const toFile = ({ commonDir }: Repository): string => join(commonDir, "suite", "writing.json");

/** Only if it is not there, and never half of it: who reads half a mark takes it for one that was left. */
function createWhole(file: string, content: string): void {
  const draft = `${file}.${randomBytes(8).toString("hex")}`;
  try {
    writeFileSync(draft, content);
    linkSync(draft, file);
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") throw thrown;
    // Not every file system has links.
    writeFileSync(file, content, { flag: "wx" });
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the mark and the locks of a server that was killed while it wrote. */
export function clearStale(repository: Repository, processes: Processes): boolean {
  const { pid, isRunning } = processes;
  const mark = readMark(toFile(repository));
  if (!mark) return false;
  const isOld = Date.now() - mark.started > LONGEST_MS;
  // Our own number on a mark that we do not hold was another process's before: in containers they are the same each time.
  const isHeld = mark.pid !== pid && isRunning(mark.pid);
  if (!isOld && (isHeld || mark.gits.some((git) => isRunning(-git)))) return false;
  clearLocks(repository, mark.started, processes);
  rmSync(toFile(repository), { force: true });
  return true;
}

function readMark(file: string): Mark | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  const nobodys = { pid: NOBODY, started: found.mtimeMs, gits: [] };
  try {
    const mark = JSON.parse(readShort(file)) as Mark;
    // As a group, 0 is our own and 1 is everybody.
    const hasGits = Array.isArray(mark.gits) && mark.gits.every((git) => Number.isInteger(git) && git > 1);
    const isMark = Number.isInteger(mark.pid) && mark.pid > 0 && hasGits && mark.started <= Date.now();
    return isMark ? mark : nobodys;
  } catch {
    // It was being made when its server was killed.
    return nobodys;
  }
}

/** Nothing, of what is no file: a repository may have come with anything under this name, and a pipe would never end. */
function readShort(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() && found.size <= MOST_BYTES ? readFileSync(file, "utf8") : "";
}

const NOBODY = 2 ** 31 - 1;
const DEEPEST = 6;

/** Locks that were made since. Those that somebody may hold stay: git closes some long before it gives them up. */
function clearLocks({ root, gitDir, commonDir }: Repository, since: number, processes: Processes): void {
  const linked = listFolders(join(commonDir, "worktrees"));
  const places = [...new Set([gitDir, commonDir, ...linked])];
  const locks = places.flatMap((place) => [
    ...listLocks(place, 0),
    ...listLocks(join(place, "refs"), DEEPEST),
  ]);
  const isNew = (lock: string): boolean =>
    (lstatSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since - 1000;
  const made = locks.filter(isNew);
  if (made.length === 0) return;
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  // Each says where the .git of its work tree is.
  const others = linked.map((place) => dirname(readShort(join(place, "gitdir")).trim()));
  const unheld = processes.findUnheld(made, "git", [root, ...main, ...others, ...places]);
  for (const lock of unheld) rmSync(lock, { force: true });
}

function listFolders(folder: string): readonly string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

function listLocks(folder: string, depth: number): readonly string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) return listLocks(path, depth - 1);
    return entry.isFile() && entry.name.endsWith(".lock") ? [path] : [];
  });
}
