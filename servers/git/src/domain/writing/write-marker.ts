import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { codeOf, Fault, type StopSignal } from "@suite/server-kit/domain";

import type { Repository } from "../repository/repository.ts";

/** Processes, as far as locks are concerned. The program gives it: nothing else may touch processes. */
export interface Processes {
  readonly pid: number;
  /** Also for a group, as a negative number. */
  readonly isRunning: (pid: number) => boolean;
}

interface Mark {
  readonly pid: number;
  readonly started: number;
  /** The git processes of this write; each leads a group. */
  readonly gits: readonly number[];
}

/** No write takes longer, so an older mark is of a process that is gone and whose number another one has. */
const LONGEST_MS = 3_600_000;
const LARGEST_MARK = 65_536;
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

  private constructor(file: string, processes: Processes) {
    this.#file = file;
    this.#processes = processes;
    this.#mark = { pid: processes.pid, started: Date.now(), gits: [] };
  }

  /** Waits for another server, or for what a killed one has left running: most writes are over in a moment. */
  static async take(repository: Repository, processes: Processes, signal: StopSignal): Promise<WriteMarker> {
    mkdirSync(join(repository.gitDir, "suite"), { recursive: true });
    const marker = new WriteMarker(toFile(repository), processes);
    for (const start = Date.now(); ; await sleep(RETRY_MS)) {
      signal.throwIfAborted();
      clearStale(repository, processes);
      try {
        writeFileSync(marker.#file, JSON.stringify(marker.#mark), { flag: "wx" });
        return marker;
      } catch (thrown) {
        if (Date.now() - start < PATIENCE_MS && codeOf(thrown) === "EEXIST") continue;
        throw new Fault("unavailable", "Another server is writing to this repository", {
          retryAfterMs: 1000,
          cause: thrown,
        });
      }
    }
  }

  started(pid: number): void {
    const gits = [...this.#mark.gits.filter((git) => this.#processes.isRunning(-git)), pid];
    this.#mark = { ...this.#mark, gits };
    // At once, so that nobody reads half of it.
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#mark));
    renameSync(`${this.#file}.new`, this.#file);
  }

  /** After git was stopped in the middle: whoever would have removed them is gone. */
  clearLocks(repository: Repository): void {
    clearLocks(repository, this.#mark.started);
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}

const toFile = ({ gitDir }: Pick<Repository, "gitDir">): string => join(gitDir, "suite", "writing.json");

/** Removes the mark and the locks of a server that was killed while it wrote. */
export function clearStale(repository: Repository, { pid, isRunning }: Processes): boolean {
  const mark = readMark(toFile(repository));
  if (!mark) return false;
  const isOld = Date.now() - mark.started > LONGEST_MS;
  // Our own number on a mark that we do not hold was another process's before: in containers they are the same each time.
  const isHeld = mark.pid !== pid && isRunning(mark.pid);
  if (!isOld && (isHeld || mark.gits.some((git) => isRunning(-git)))) return false;
  clearLocks(repository, mark.started);
  rmSync(toFile(repository), { force: true });
  return true;
}

function readMark(file: string): Mark | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  const nobodys = { pid: NOBODY, started: found.mtimeMs, gits: [] };
  // A repository may have come with anything under this name: a pipe would never end.
  if (!found.isFile() || found.size > LARGEST_MARK) return nobodys;
  try {
    const mark = JSON.parse(readFileSync(file, "utf8")) as Mark;
    const isMark = Number.isInteger(mark.pid) && Array.isArray(mark.gits) && mark.started <= Date.now();
    return isMark ? mark : nobodys;
  } catch {
    // It was being made when its server was killed.
    return nobodys;
  }
}

function clearLocks({ gitDir, commonDir }: Repository, since: number): void {
  for (const folder of new Set([gitDir, commonDir])) {
    removeLocks(folder, since, 0);
    removeLocks(join(folder, "refs"), since, DEEPEST);
  }
}

const NOBODY = 2 ** 31 - 1;

const DEEPEST = 6;

/** Locks that were made since: older ones are somebody else's. */
function removeLocks(folder: string, since: number, depth: number): void {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) removeLocks(path, since, depth - 1);
    const isLock = entry.isFile() && entry.name.endsWith(".lock");
    if (isLock && lstatSync(path).mtimeMs >= since - 1000) rmSync(path, { force: true });
  }
}
