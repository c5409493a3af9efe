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

export interface ChildEvents {
  readonly line: (line: string) => void;
  readonly ended: (exit: Exit) => void;
}

/** A process whose standard output is cut into lines as raw bytes, so that framing itself can be tested. */
export class Child {
  readonly exited: Promise<Exit>;
  /** Standard output after the last newline. */
  unfinished: Buffer = Buffer.alloc(0);
  stderr = "";
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, events: ChildEvents) {
    const [file, ...args] = command;
    if (file === undefined) throw new Error("An empty command line");
    // A bare environment: NODE_OPTIONS and the like of whoever runs the tests must not reach the servers.
    const { PATH, HOME } = process.env;
    // Servers that trust their tools check their results here.
    const base = { PATH, HOME, SUITE_CHECK_RESULTS: "1" };
    this.#process = spawn(file, args, { env: { ...base, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    this.#process.stdout.on("data", (chunk: Buffer) => this.#cut(chunk, events.line));
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
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

  write(bytes: string | Buffer): void {
    this.#process.stdin.write(bytes);
  }

  closeInput(): void {
    this.#process.stdin.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  #cut(chunk: Buffer, line: (line: string) => void): void {
    let rest = Buffer.concat([this.unfinished, chunk]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      line(new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(rest.subarray(0, end)));
      rest = rest.subarray(end + 1);
    }
    this.unfinished = rest;
  }
}
