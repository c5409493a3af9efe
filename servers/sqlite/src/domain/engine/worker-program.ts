import type { ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

/** Of the JavaScript heap in MiB. Rows are few at a time; the large memory is SQLite's, which is watched. */
const HEAP_MIB = 256;

/** `fork` takes what `spawn` takes; only its types do not say so. */
const NO_WINDOW: object = { windowsHide: true };

/** The program that SQL runs in. A process takes as long to start as a server does, so one can be had in advance. */
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

  /** Starts a process for whoever needs one first. It ends with this one if nobody does. */
  prepare(): void {
    try {
      this.#spare ??= this.#fork();
      this.#spare.on("error", () => {});
      setWanted(this.#spare, false);
    } catch {
      // Whoever needs one hears why there is none.
    }
  }

  /** A process that waits to be told which database is its own. */
  start(): ChildProcess {
    const spare = this.#spare;
    this.#spare = undefined;
    // One that could not be started has no number.
    return spare?.pid !== undefined && spare.connected ? spare : this.#fork();
  }

  #fork(): ChildProcess {
    const cache = this.#findCompileCache();
    return this.#toFork()(this.#file, [], {
      // Faster than the structured clone, and every value has to become JSON anyway.
      serialization: "json",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // It needs nothing of the environment; only, its code is compiled sooner where Node has kept it.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      // A group of its own: a key pressed in a terminal must not stop a write half way.
      detached: true,
      ...NO_WINDOW,
    });
  }
}

/** Whether this process waits for it before it ends by itself. */
export function setWanted(worker: ChildProcess, isWanted: boolean): void {
  for (const handle of [worker, worker.channel, worker.stderr as Socket | null]) {
    if (isWanted) handle?.ref();
    else handle?.unref();
  }
}
