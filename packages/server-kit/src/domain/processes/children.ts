import type { ChildProcess } from "node:child_process";

import { Fault } from "../errors/fault.ts";
import { toAbortFault, toFault } from "../errors/to-fault.ts";
import { awaitEnd, type ChildResult, type RunLimits } from "./await-end.ts";
import { endTree, hasEnded, killTree } from "./kill-tree.ts";
import { startChild, type StartOptions, toProgramName } from "./start-child.ts";

/** For `Children`: how a process is started, and what it may use up before it is ended. */
export interface SpawnOptions extends StartOptions, RunLimits {}

const DISPOSE_MS = 1000;

/** A server's child processes. None outlives its call or the server. */
export class Children {
  readonly #alive = new Set<ChildProcess>();
  /** Those that get SIGTERM before they are killed. */
  readonly #gentle = new WeakSet<ChildProcess>();
  readonly #endings = new WeakMap<ChildProcess, Promise<boolean>>();
  #isDisposed = false;
  readonly #killAll = (): void => this.#alive.forEach(killTree);

  /** Runs a program; any exit status is a result. On abort, timeout or too much output, it and its descendants are killed. */
  async spawn(command: string, args: readonly string[], options: SpawnOptions): Promise<ChildResult> {
    if (options.signal.aborted) throw toAbortFault(options.signal);
    if (this.#isDisposed) throw createStopping();
    return this.adopt(startChild(command, args, options), command, options);
  }

  /** The same for a process that was started elsewhere; if it leads no process group, its descendants escape. */
  async adopt(child: ChildProcess, command: string, options: SpawnOptions): Promise<ChildResult> {
    const { onStart, onEnd, onKill, endsGently } = options;
    if (endsGently) this.#gentle.add(child);
    this.track(child);
    child.once("exit", (_code, signal) => {
      if (signal === "SIGKILL") onKill?.();
    });
    const ended = awaitEnd(child, command, options, async () => {
      const wasKilled = await this.#end(child);
      // If it has not ended yet, its "exit" handler will report the kill.
      if (wasKilled && hasEnded(child)) onKill?.();
    });
    try {
      if (child.pid !== undefined) onStart?.(child.pid);
    } catch (thrown) {
      await Promise.allSettled([this.#end(child), ended]);
      throw toFault(thrown, toProgramName(command));
    }
    const result = await ended.finally(() => {
      if (child.pid !== undefined && hasEnded(child)) onEnd?.(child.pid);
    });
    if (this.#isDisposed && result.signal !== null) throw createStopping();
    return result;
  }

  /** Also ends a process that was started elsewhere, as if `spawn` had started it. */
  track(child: ChildProcess): void {
    if (child.pid === undefined || hasEnded(child)) return;
    if (this.#isDisposed) return killTree(child);
    // `process.exit` does not call dispose.
    if (this.#alive.size === 0) process.on("exit", this.#killAll);
    this.#alive.add(child);
    child.once("exit", () => {
      const ending = this.#endings.get(child);
      if (ending) {
        void ending.then(() => this.#forget(child));
        return;
      }
      // Its remaining descendants would live on and keep its pipes open.
      killTree(child);
      this.#forget(child);
    });
  }

  #forget(child: ChildProcess): void {
    this.#alive.delete(child);
    if (this.#alive.size === 0) process.off("exit", this.#killAll);
  }

  /** Returns whether a kill was necessary. */
  #end(child: ChildProcess): Promise<boolean> {
    const begun = this.#endings.get(child);
    if (begun) return begun;
    const isGentle = this.#gentle.has(child);
    if (!isGentle) killTree(child);
    const ending = isGentle ? endTree(child) : Promise.resolve(true);
    this.#endings.set(child, ending);
    return ending;
  }

  /** Ends all of them, and waits until they are gone, a second at most. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    if (this.#alive.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, DISPOSE_MS);
    });
    const ends = Array.from(this.#alive, async (child) => {
      const exit = hasEnded(child) || new Promise((resolve) => child.once("exit", resolve));
      await Promise.all([exit, this.#end(child)]);
    });
    await Promise.race([Promise.all(ends), timeout]);
    clearTimeout(timer);
  }
}

const createStopping = (): Fault => new Fault("unavailable", "The server is stopping");
