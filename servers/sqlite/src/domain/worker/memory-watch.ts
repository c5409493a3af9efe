import { writeSync } from "node:fs";
import { OUT_OF_MEMORY_MARK } from "../messages.ts";

/** Indexes in memory shared by both threads: whether a request runs, whether the watch sleeps, and a constant 0. */
const BUSY = 0;
const ASLEEP = 1;
const NEVER = 2;
export const WATCH_STATE_BYTES = 12;

const POLL_MS = 10;
/** A second without work. */
const QUIET_POLLS = 100;

export type WatchState = Int32Array<SharedArrayBuffer>;

export interface WatchedProcess {
  readonly parent: number;
  parentNow(): number;
  residentBytes(): number;
  end(): void;
}

/** Called by the working thread. Wakes the watch only if it sleeps: waking it for each statement would slow them down. */
export function setBusy(state: WatchState, isBusy: boolean): void {
  Atomics.store(state, BUSY, isBusy ? 1 : 0);
  if (isBusy && Atomics.compareExchange(state, ASLEEP, 1, 0) === 1) Atomics.notify(state, ASLEEP);
}

/**
 * Runs forever, in its own thread. SQLite as built by better-sqlite3 does not count its memory, and a running statement
 * blocks its thread, so this thread polls the memory. And the parent: without it, the statement would run on for no caller
 * and hold its locks.
 */
export function watchMemory(state: WatchState, limit: number, watched: WatchedProcess): never {
  for (let quiet = 0; ;) {
    if (quiet >= QUIET_POLLS) {
      sleep(state);
      quiet = 0;
    }
    Atomics.wait(state, NEVER, 0, POLL_MS);
    quiet = Atomics.load(state, BUSY) === 1 ? 0 : quiet + 1;
    if (quiet === 0) look(limit, watched);
  }
}

function sleep(state: WatchState): void {
  Atomics.store(state, ASLEEP, 1);
  // Work may have begun just before that was seen.
  if (Atomics.load(state, BUSY) === 0) Atomics.wait(state, ASLEEP, 1);
  Atomics.store(state, ASLEEP, 0);
}

function look(limit: number, watched: WatchedProcess): void {
  if (watched.parentNow() !== watched.parent) watched.end();
  if (watched.residentBytes() <= limit) return;
  writeSync(2, `${OUT_OF_MEMORY_MARK}\n`);
  watched.end();
}
