import type { ChildProcess } from "node:child_process";

import { Fault } from "../errors/fault.ts";
import { toAbortFault } from "../errors/to-fault.ts";
import { awaitEnd, type ChildResult, type RunLimits } from "./await-end.ts";
import { hasEnded, killTree } from "./kill-tree.ts";
import { startChild, type StartOptions } from "./start-child.ts";

export interface SpawnOptions extends StartOptions, RunLimits {}

const DISPOSE_MS = 1000;

/** The processes of a server. None outlives the call that needed it, nor the server. */
export class Children {
  readonly #alive = new Set<ChildProcess>();
  #isDisposed = false;
  readonly #killAll = (): void => this.#alive.forEach(killTree);

  /** Runs a program to its end, whatever its exit status. The signal, the deadline and the limit kill it and what it started. */
  async spawn(command: string, args: readonly string[], options: SpawnOptions): Promise<ChildResult> {
    if (options.signal.aborted) throw toAbortFault(options.signal);
    if (this.#isDisposed) throw createStopping();
    const child = startChild(command, args, options);
    this.track(child);
    const result = await awaitEnd(child, command, options);
    if (this.#isDisposed && result.signal !== null) throw createStopping();
    return result;
  }

  /** Takes care of a process that was started elsewhere, until it ends. */
  track(child: ChildProcess): void {
    if (child.pid === undefined || hasEnded(child)) return;
    if (this.#isDisposed) return killTree(child);
    // A process that exits on its own account has no time to dispose.
    if (this.#alive.size === 0) process.on("exit", this.#killAll);
    this.#alive.add(child);
    child.once("exit", () => {
      // Whatever it left running would live on, and keep its pipes open.
      killTree(child);
      this.#alive.delete(child);
      if (this.#alive.size === 0) process.off("exit", this.#killAll);
    });
  }

  /** Ends all of them, and waits until they are gone, a second at most. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    if (this.#alive.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DISPOSE_MS);
    });
    const ends = Array.from(this.#alive, (child) => new Promise((resolve) => child.once("exit", resolve)));
    this.#killAll();
    await Promise.race([Promise.all(ends), timeout]);
    clearTimeout(timer);
  }
}

const createStopping = (): Fault => new Fault("unavailable", "The server is stopping");
