import { lstatSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { codeOf, Fault, toAbortFault, type StopSignal } from "@suite/server-kit/domain";
import { type ProcessMark, isAbandonedBy, isProcessMark, isSameProcess } from "./process-mark.ts";
import { readSmallFile } from "./identity.ts";
import type { ChangeTarget, OpenChange } from "./open-change.ts";
import { toLockName } from "../../reserved-names.ts";

/** A change takes milliseconds, a large copy seconds. */
const PATIENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 20;
/** A file without a name in it is about to be written, or its writer was ended just then. */
const NAMELESS_MS = 2000;
const MOST_BYTES = 4096;

export interface LockRequest {
  /** Where: beside the target, so that every process that can change it meets the same one. */
  readonly path: string;
  /** The target, named in error messages. */
  readonly about: string;
  readonly owner: ProcessMark;
  readonly signal: StopSignal;
}

/** Waits until no other process is changing the target. Returns how to let go of it. */
export async function takeLock({ path, about, owner, signal }: LockRequest): Promise<() => void> {
  const end = performance.now() + PATIENCE_MS;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (signal.aborted) throw toAbortFault(signal);
    const release = tryLock(path, owner) ?? (breakLock(path, owner) ? tryLock(path, owner) : undefined);
    if (release) return release;
    if (performance.now() > end) {
      throw new Fault("unavailable", `${about} is being changed by another process`, {
        hint: "Try again in a moment.",
        retryAfterMs: 1000,
      });
    }
    // Of different lengths, or two that wait would always meet again.
    await wait(pause * (0.5 + Math.random()));
  }
}

function tryLock(path: string, owner: ProcessMark): (() => void) | undefined {
  const text = JSON.stringify(owner);
  try {
    // A link that leads nowhere is there with its text at once; of a file, half could be left behind.
    symlinkSync(text, path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return undefined;
    // Some file systems know no links, and Windows asks for a privilege.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    if (!tryLockByFile(path, text)) return undefined;
  }
  return () => releaseLock(path, owner);
}

function tryLockByFile(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Only one's own: another process may have taken it for abandoned meanwhile. */
function releaseLock(path: string, owner: ProcessMark): void {
  const holder = readHolder(path);
  if (holder !== undefined && isSameProcess(holder, owner)) removeQuietly(path);
}

/** Removes a lock whose owner has ended. Under a lock of its own, or two could do it, the second to the first's new lock. */
function breakLock(path: string, owner: ProcessMark): boolean {
  if (!isAbandoned(path, owner)) return false;
  const breaker = breakerOf(path);
  const release = tryLock(breaker, owner);
  if (!release) {
    if (isAbandoned(breaker, owner)) removeQuietly(breaker);
    return false;
  }
  try {
    if (!isAbandoned(path, owner)) return false;
    removeQuietly(path);
    return true;
  } finally {
    release();
  }
}

/** Still one of our own names: nobody lists it. */
const breakerOf = (path: string): string => path.replace(/\.suite-tmp$/, ".b.suite-tmp");

/** For recovery: what is left where somebody was ended while clearing a lock away. */
export function removeBreaker(path: string, own: ProcessMark): void {
  const breaker = breakerOf(path);
  if (isAbandoned(breaker, own)) removeQuietly(breaker);
}

/** One that is there: whoever removed what is not would remove the next one's. */
function isAbandoned(path: string, own: ProcessMark): boolean {
  // Before the age: one that is released between the two is gone, and one that is taken then is young.
  const holder = readHolder(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  const age = Date.now() - stats.mtimeMs;
  return holder === undefined ? age > NAMELESS_MS : isAbandonedBy(holder, own, age);
}

function readHolder(path: string): ProcessMark | undefined {
  try {
    const isLink = lstatSync(path).isSymbolicLink();
    const text = isLink ? readlinkSync(path) : readSmallFile(path, MOST_BYTES)?.toString();
    const holder: unknown = JSON.parse(text ?? "");
    return isProcessMark(holder) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or nothing of ours.
  }
}

interface Taker {
  readonly owner: ProcessMark;
  readonly signal: StopSignal;
}

/**
 * Keeps every other process from changing the same files until it is released. A lock lies beside its file, where all
 * of them meet, however different the directories are that they were started with.
 */
export async function lockTargets(
  change: OpenChange,
  targets: readonly string[],
  { owner, signal }: Taker,
): Promise<() => void> {
  const releases: (() => void)[] = [];
  const releaseAll = (): void => {
    for (const release of releases) release();
  };
  try {
    // Always in the same order, so that no two wait for each other.
    for (const [path, target] of [...lockPaths(change, targets)].toSorted(byPath)) {
      releases.push(await takeLock({ path, about: change.guard.display(target.path), owner, signal }));
    }
    return releaseAll;
  } catch (error) {
    releaseAll();
    throw error;
  }
}

/** For recovery: taking a lock clears away one that was left, but not what was left of clearing another away. */
export function removeBreakers(change: OpenChange, targets: readonly string[], own: ProcessMark): void {
  for (const path of lockPaths(change, targets).keys()) removeBreaker(path, own);
}

/** Two spellings of a name share one lock; so do two operations on one file. */
function lockPaths(change: OpenChange, targets: readonly string[]): Map<string, ChangeTarget> {
  const found = targets.map((path) => change.target(path));
  return new Map(found.map((target) => [target.directory.at(toLockName(target.name)), target]));
}

function byPath([, a]: [string, ChangeTarget], [, b]: [string, ChangeTarget]): number {
  const [first, second] = [a, b].map(({ directory, name }) => `${directory.path}\0${toLockName(name)}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
