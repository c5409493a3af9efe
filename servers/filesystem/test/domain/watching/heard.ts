import { setTimeout as sleep } from "node:timers/promises";

const LONGEST_WAIT_MS = 60_000;

/** Counts what a watcher tells, and waits for it. */
export class Heard {
  count = 0;
  readonly changed = (): void => void (this.count += 1);

  /** Whether it is told since the last call, or yet; once it has been quiet again. */
  async next(): Promise<"told" | "nothing"> {
    return (await this.burst()) > 0 ? "told" : "nothing";
  }

  /** How often it is told in one go: waits for the first time, and until it has been quiet again. */
  async burst(): Promise<number> {
    const deadline = Date.now() + LONGEST_WAIT_MS;
    while (this.count === 0 && Date.now() < deadline) await sleep(5);
    const count = this.count === 0 ? 0 : await this.quiet();
    this.count = 0;
    return count;
  }

  /** How often it was told, once nothing more comes. */
  async quiet(ms = 150): Promise<number> {
    for (let before = -1; before !== this.count;) {
      before = this.count;
      await sleep(ms);
    }
    return this.count;
  }
}
