import type { ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

/** Limit of the JavaScript heap, which holds few rows at a time. SQLite's memory is watched separately. */
const HEAP_MIB = 256;
/** Of each of the three parts for new values: with V8's own 16, garbage would fill most of a small `--memory`. */
const NEW_VALUES_MIB = 8;

/** `fork` accepts this option of `spawn`, but its types do not. */
const NO_WINDOW: object = { windowsHide: true };

/** The program that SQL runs in. A process takes as long to start as the server, so one can be started in advance. */
export class WorkerProgram {
  readonly #file: string;
  readonly #toFork: () => typeof fork;
  readonly #findCompileCache: () => string | undefined;
  #spare: ChildProcess | undefined;

  constructor(
    file: URL,
    toFork: () => typeof fork,
    findCompileCache: () => string | undefined = () => undefined,
  ) {
    this.#file = fileURLToPath(file);
    this.#toFork = toFork;
    this.#findCompileCache = findCompileCache;
  }

  /** Starts a spare process for the first `start`. It does not keep this one alive. */
  prepare(): void {
    try {
      this.#spare ??= this.#fork();
      this.#spare.on("error", () => {});
      setWanted(this.#spare, false);
    } catch {
      // `start` will report the failure.
    }
  }

  /** A process that waits for the message with its database. */
  start(): ChildProcess {
    const spare = this.#spare;
    this.#spare = undefined;
    // One that could not be started has no pid.
    return spare?.pid !== undefined && spare.connected ? spare : this.#fork();
  }

  #fork(): ChildProcess {
    const cache = this.#findCompileCache();
    return this.#toFork()(this.#file, [], {
      // Faster than the structured clone, and every value has to become JSON anyway.
      serialization: "json",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // It needs nothing from the environment but the compile cache, to start faster.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
      execArgv: [`--max-old-space-size=${HEAP_MIB}`, `--max-semi-space-size=${NEW_VALUES_MIB}`],
      // In its own process group: Ctrl+C in a terminal must not stop a write half way.
      detached: true,
      ...NO_WINDOW,
    });
  }
}

/** Whether the worker keeps this process alive. */
export function setWanted(worker: ChildProcess, isWanted: boolean): void {
  for (const handle of [worker, worker.channel, worker.stderr as Socket | null]) {
    if (isWanted) handle?.ref();
    else handle?.unref();
  }
}
