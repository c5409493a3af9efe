import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { type FromChild, type OpenOptions, OUT_OF_MEMORY_MARK, type ToChild } from "../protocol.ts";

export interface ChildOptions {
  /** The program of the child, built. */
  readonly childUrl: URL;
  readonly open: OpenOptions;
  /** All that the child gets of the environment; nothing by default. */
  readonly env: { readonly [name: string]: string };
  /** Sees each process as it is started. */
  readonly onSpawn?: (child: ChildProcess) => void;
}

export interface ChildEvents {
  readonly message: (message: FromChild) => void;
  /** Once, after the last message. */
  exit(end: ChildEnd): void;
}

export interface ChildEnd {
  readonly outOfMemory: boolean;
  /** The last words on stderr, for a log. */
  readonly lastWords: string;
}

/** The watch in the child, or its JavaScript. */
const OUT_OF_MEMORY = new RegExp(`${OUT_OF_MEMORY_MARK}|heap out of memory`);
const MAX_STDERR = 8192;
/** How long a process gets to close the database in an orderly way. */
const CLOSE_MS = 500;
/** Of the JavaScript heap in MiB. Rows are few at a time; the large memory is SQLite's, which is watched. */
const HEAP_MIB = 256;

/** `fork` takes what `spawn` takes; only its types do not say so. */
const NO_WINDOW: object = { windowsHide: true };

/** One process. It is never asked to stop what it does: it is killed, which SQLite is made for. */
export class Child {
  readonly #process: ChildProcess;
  readonly ended: Promise<void>;
  readonly #outbox: ToChild[] = [];
  #isWanted = true;

  constructor({ childUrl, open, env, onSpawn }: ChildOptions, events: ChildEvents) {
    this.#process = fork(fileURLToPath(childUrl), [], {
      // Faster than the structured clone, and every value has to become JSON anyway.
      serialization: "json",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env,
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      // A group of its own: a key pressed in a terminal must not stop a write half way.
      detached: true,
      ...NO_WINDOW,
    });
    onSpawn?.(this.#process);
    let stderr = "";
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-MAX_STDERR);
    });
    this.#process.on("message", (messages) => {
      for (const message of messages as FromChild[]) events.message(message);
    });
    // Sending to a process that is going away fails; that it is gone is told below.
    this.#process.on("error", () => {});
    this.ended = new Promise((resolve) => {
      this.#process.once("close", () => {
        resolve();
        events.exit({ outOfMemory: OUT_OF_MEMORY.test(stderr), lastWords: stderr.trim() });
      });
    });
    this.send({ open });
  }

  /** What is sent in one turn travels together: a message costs more than what is in it. */
  send(message: ToChild): void {
    this.#outbox.push(message);
    if (this.#outbox.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const messages = this.#outbox.splice(0);
    if (this.#process.connected) this.#process.send(messages, () => {});
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** For one that has nothing to do. */
  async close(): Promise<void> {
    // Not by hanging up: Node would never tell that the process has ended.
    this.send({ close: true });
    const timer = setTimeout(() => this.kill(), CLOSE_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Whether the parent waits for it before it ends by itself. */
  ref(isWanted: boolean): void {
    if (isWanted === this.#isWanted) return;
    this.#isWanted = isWanted;
    const child = this.#process;
    if (isWanted) child.ref();
    else child.unref();
    for (const pipe of [child.channel, child.stderr as Socket | null]) {
      if (isWanted) pipe?.ref();
      else pipe?.unref();
    }
  }
}
