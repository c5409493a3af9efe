import { lstatSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import {
  codeOf,
  Fault,
  isObject,
  toAbortFault,
  type StopSignal,
  toFault,
  toPathText,
} from "@suite/server-kit/domain";
import { type ProcessMark, isAbandonedBy, isProcessMark, isSameProcess } from "./process-mark.ts";
import { readSmallFile } from "./identity.ts";
import type { ChangeTarget, OpenChange } from "./open-change.ts";
import { toLockName } from "../../reserved-names.ts";

/** A change takes milliseconds, a large copy seconds. */
const PATIENCE_MS = 15_000;
const LONGEST_PAUSE_MS = 20;
/** A lock without an owner in it is just being written; when older than this, its writer was killed meanwhile. */
const NAMELESS_MS = 2000;
const MOST_BYTES = 4096;

export interface Taker {
  readonly owner: ProcessMark;
  readonly signal: StopSignal;
}

export interface LockRequest extends Taker {
  /** Beside the target, so that every process that can change it finds the same lock. */
  readonly path: string;
  /** The target, named in error messages. */
  readonly about: string;
}

/** What a lock says: whose it is, and which of that process's locks. */
interface Holder extends ProcessMark {
  readonly key: string;
}

/** The locks that this process holds. One that names this process and is not here could not be removed when it was released. */
const HELD = new Set<string>();
let locksTaken = 0;

/** Waits until no other process holds the lock. Returns a function that releases it. */
export async function takeLock({ path, about, owner, signal }: LockRequest): Promise<() => void> {
  const end = performance.now() + PATIENCE_MS;
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    if (signal.aborted) throw toAbortFault(signal);
    const release =
      tryLock(path, owner) ?? (breakLock(path, owner, about) ? tryLock(path, owner) : undefined);
    if (release) return release;
    if (performance.now() > end) {
      throw new Fault("unavailable", `${about} is being changed by another process`, {
        hint: "Try again in a moment.",
        retryAfterMs: 1000,
      });
    }
    // Random, so that two waiting processes do not keep colliding.
    await wait(pause * (0.5 + Math.random()));
  }
}

function tryLock(path: string, owner: ProcessMark): (() => void) | undefined {
  const key = String((locksTaken += 1));
  const text = JSON.stringify({ ...owner, key } satisfies Holder);
  if (!(HAS_LINKS ? tryLockByLink(path, text) : tryLockByFile(path, text))) return undefined;
  HELD.add(key);
  return () => {
    HELD.delete(key);
    // Only if it is still ours: another process may have considered it abandoned and taken it.
    const holder = readHolder(path);
    if (holder?.key === key && isSameProcess(holder, owner)) tryRemove(path);
  };
}

/** On Windows a link needs a privilege, and its text must be a path. */
const HAS_LINKS = platform() !== "win32";

/** A dangling symbolic link is created atomically with its text; a file could be left half written. */
function tryLockByLink(path: string, text: string): boolean {
  try {
    symlinkSync(text, path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    // Some file systems have no symbolic links.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS") throw error;
    return tryLockByFile(path, text);
  }
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

/** Removes an abandoned lock. Guarded by a second lock: otherwise another process could remove the new lock that we take next. */
function breakLock(path: string, owner: ProcessMark, about: string): boolean {
  if (!isAbandoned(path, owner)) return false;
  const breaker = breakerOf(path);
  const release = tryLock(breaker, owner);
  if (!release) {
    removeBreaker(path, owner);
    return false;
  }
  try {
    if (!isAbandoned(path, owner)) return false;
    const error = tryRemove(path);
    if (error !== undefined) throw toFault(error, `The lock that an earlier change of ${about} left`);
    return true;
  } finally {
    release();
  }
}

/** Keeps the suffix, so it is hidden from listings. */
const breakerOf = (path: string): string => path.replace(/\.suite-tmp$/, ".b.suite-tmp");

/** For recovery: removes the guard lock of a process that was killed while it broke a lock. */
export function removeBreaker(path: string, own: ProcessMark): void {
  const breaker = breakerOf(path);
  if (isAbandoned(breaker, own)) tryRemove(breaker);
}

/** False if the lock is gone: unlinking then could delete a new holder's lock. */
function isAbandoned(path: string, own: ProcessMark): boolean {
  // Read the holder before the age: if the lock is released in between, `stats` is missing; if it is retaken, it is young.
  const holder = readHolder(path);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return false;
  const age = Date.now() - stats.mtimeMs;
  if (holder === undefined) return age > NAMELESS_MS;
  return isSameProcess(holder, own) ? !HELD.has(holder.key) : isAbandonedBy(holder, own, age);
}

function readHolder(path: string): Holder | undefined {
  try {
    const isLink = lstatSync(path).isSymbolicLink();
    const text = isLink ? readlinkSync(path) : readSmallFile(path, MOST_BYTES)?.toString();
    const holder: unknown = JSON.parse(text ?? "");
    if (!isProcessMark(holder)) return undefined;
    return { ...holder, key: isObject(holder) && typeof holder["key"] === "string" ? holder["key"] : "" };
  } catch {
    return undefined;
  }
}

/** Returns the error if it is still there. */
function tryRemove(path: string): unknown {
  try {
    unlinkSync(path);
    return undefined;
  } catch (error) {
    return codeOf(error) === "ENOENT" ? undefined : error;
  }
}

/**
 * Locks the targets against other processes. Each lock lies beside its file, so all processes find it, whatever roots they
 * were started with.
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
    // Always in the same order, to avoid deadlocks.
    for (const [path, target] of [...lockPaths(change, targets)].toSorted(byKey)) {
      releases.push(await takeLock({ path, about: toPathText(target.path), owner, signal }));
    }
    return releaseAll;
  } catch (error) {
    releaseAll();
    throw error;
  }
}

/** For recovery: taking a lock breaks an abandoned one, but does not remove abandoned guard locks. */
export function removeBreakers(change: OpenChange, targets: readonly string[], own: ProcessMark): void {
  for (const path of lockPaths(change, targets).keys()) removeBreaker(path, own);
}

/** Spellings that differ in case or Unicode form, and several operations on one file, share one lock. */
function lockPaths(change: OpenChange, targets: readonly string[]): Map<string, ChangeTarget> {
  const found = targets.map((path) => change.target(path));
  return new Map(found.map((target) => [target.directory.at(toLockName(target.name)), target]));
}

const byKey = ([, a]: readonly [string, ChangeTarget], [, b]: readonly [string, ChangeTarget]): number =>
  keyOf(a) < keyOf(b) ? -1 : 1;
const keyOf = ({ directory, name }: ChangeTarget): string => `${directory.path}\0${toLockName(name)}`;
