import fs, { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LONGEST_WAIT_MS = 60_000;
/** Longer than a watched path waits for further events before it looks. */
const LOOK_MS = 100;

// Some tests replace it.
const { watch } = fs;

/**
 * Waits until everything that has happened so far is told. This needs no time to spare, however busy the machine is: the
 * system reports events in their order, and of two timers the one that was set later and for longer ends last.
 */
async function settle(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "settle-"));
  const watcher = watch(folder);
  const reported = once(watcher, "change");
  mkdirSync(join(folder, "last"));
  await reported;
  watcher.close();
  rmSync(folder, { recursive: true });
  await sleep(LOOK_MS);
}

/** Counts what a watcher tells, and waits for it. */
export class Heard {
  count = 0;
  readonly changed = (): void => void (this.count += 1);

  /** Whether it is told since the last call, or yet. */
  async next(): Promise<"told" | "nothing"> {
    return (await this.burst()) > 0 ? "told" : "nothing";
  }

  /** How often it is told in one go: waits for the first time, and for all that belongs to it. */
  async burst(): Promise<number> {
    const deadline = Date.now() + LONGEST_WAIT_MS;
    while (this.count === 0 && Date.now() < deadline) await sleep(5);
    const count = this.count === 0 ? 0 : await this.settled();
    this.count = 0;
    return count;
  }

  /** How often it was told, of all that has happened so far. */
  async settled(): Promise<number> {
    await settle();
    return this.count;
  }
}
