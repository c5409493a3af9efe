import { writeSync } from "node:fs";
import { OUT_OF_MEMORY_MARK } from "../messages.ts";

/** In memory that both threads see: whether a statement runs, whether the watch sleeps, and what never changes. */
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

/** For the thread that works. The watch is woken only from sleep: to wake it for each statement would slow them down. */
export function setBusy(state: WatchState, isBusy: boolean): void {
  Atomics.store(state, BUSY, isBusy ? 1 : 0);
  if (isBusy && Atomics.compareExchange(state, ASLEEP, 1, 0) === 1) Atomics.notify(state, ASLEEP);
}

/**
 * For a thread of its own, for good. SQLite keeps no count of its memory in the build that better-sqlite3 has, and while
 * a statement runs nothing else in its thread does; so this looks on from outside, at the parent too: without one the
 * statement would run for nobody, with its locks.
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
