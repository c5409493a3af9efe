import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How a program ended, and what it printed. */
export interface ProgramOutcome extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildOptions {
  /** The whole environment: that of this process unless it is given. */
  readonly env?: NodeJS.ProcessEnv;
  /** Signals reach what it has started as well, such as the server that npx starts. Not on Windows, which has no groups. */
  readonly isGroup?: boolean;
}

export interface ChildEvents {
  readonly line: (line: string) => void;
  readonly ended: (exit: Exit) => void;
}

/** In characters: nobody reads more to see what is wrong. */
const MOST_STDERR = 16 * 2 ** 20;
/** In bytes: what says more in one line is stopped. */
const MOST_LINE = 256 * 2 ** 20;
/** For what a killed process has said to arrive. */
const LAST_WORDS_MS = 2000;

/** A process whose standard output is cut into lines as raw bytes, so that framing itself can be tested. */
export class Child {
  readonly exited: Promise<Exit>;
  stderr = "";
  readonly #unfinished: Buffer[] = [];
  #unfinishedBytes = 0;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #isGroup: boolean;

  constructor(command: readonly string[], { env, isGroup = false }: ChildOptions, events: ChildEvents) {
    const [file, ...args] = command;
    if (file === undefined) throw new Error("An empty command line");
    this.#isGroup = isGroup && process.platform !== "win32";
    this.#process = spawn(file, args, {
      ...(env && { env }),
      stdio: ["pipe", "pipe", "pipe"],
      detached: this.#isGroup,
      windowsHide: true,
    });
    this.#process.stdout.on("data", (chunk: Buffer) => this.#cut(chunk, events.line));
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => this.#keep(text));
    // A server that is gone stops reading: the exit tells, not the broken pipe.
    this.#process.stdin.on("error", () => undefined);
    this.exited = new Promise((resolve, reject) => {
      this.#process.on("error", (error) => {
        this.stderr += error.message;
        reject(error);
      });
      // "close", not "exit": only then has everything it said on its way out been read.
      this.#process.on("close", (code, signal) => {
        resolve({ code, signal });
        events.ended({ code, signal });
      });
    });
    this.exited.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Standard output after the last newline. */
  get unfinished(): Buffer {
    return Buffer.concat(this.#unfinished);
  }

  write(bytes: string | Buffer): void {
    this.#process.stdin.write(bytes);
  }

  closeInput(): void {
    this.#process.stdin.end();
  }

  kill(signal: NodeJS.Signals): void {
    const { pid } = this;
    // What it has started may have left the group, and keeps its output open.
    if (signal === "SIGKILL") setTimeout(() => this.#letGo(), LAST_WORDS_MS).unref();
    try {
      if (this.#isGroup && pid !== undefined) process.kill(-pid, signal);
      else this.#process.kill(signal);
    } catch {
      // All of the group are gone.
    }
  }

  #letGo(): void {
    this.#process.stdout.destroy();
    this.#process.stderr.destroy();
  }

  #keep(text: string): void {
    if (this.stderr.length < MOST_STDERR) this.stderr += text;
  }

  #cut(chunk: Buffer, line: (line: string) => void): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const whole = Buffer.concat([...this.#unfinished.splice(0), rest.subarray(0, end)]);
      line(new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(whole));
      rest = rest.subarray(end + 1);
      this.#unfinishedBytes = 0;
    }
    this.#unfinished.push(rest);
    this.#unfinishedBytes += rest.length;
    if (this.#unfinishedBytes > MOST_LINE) this.kill("SIGKILL");
  }
}
