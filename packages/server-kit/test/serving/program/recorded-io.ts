import { EventEmitter, once } from "node:events";

import type { ErrorOutput, OutputStream, ProgramIo } from "../../../src/serving/telemetry/io.ts";

/** A process that only records what a program does to it. */
export class RecordedIo extends EventEmitter implements ProgramIo {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  platform: string = "linux";
  out = "";
  err = "";
  readonly exits: number[] = [];
  readonly stdout: OutputStream = {
    write: (text: string, done: () => void) => this.#note("out", text, done),
  };
  readonly stderr: ErrorOutput = {
    on: () => this.stderr,
    write: (text: string, done: () => void) => this.#note("err", text, done),
  };

  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    script = "/srv/app/main.js",
  ) {
    super();
    this.argv = ["/usr/bin/node", script, ...args];
    this.env = env;
  }

  exit(code: number): void {
    this.exits.push(code);
    this.emit("exited");
  }

  /** Waits until standard error holds the text. */
  async hears(text: string): Promise<string> {
    while (!this.err.includes(text)) await once(this, "noted");
    return this.err;
  }

  #note(stream: "out" | "err", text: string, done: () => void): void {
    this[stream] += text;
    this.emit("noted");
    done();
  }
}
