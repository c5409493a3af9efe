import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";

import { type Exit, type Message, PATIENCE_MS } from "@suite/check/wires";
import { onTestFinished } from "vitest";

/**
 * A server spoken to in bytes, for tests that send more than a transcript could hold: nothing sent is kept, and finding an
 * answer among fifty thousand costs no more than hearing it.
 */
export class RawServer {
  /** Every message that stdout carried. */
  readonly heard: Message[] = [];
  /** Every line of stdout that was no JSON object: there must never be one, and `stop` sees to that. */
  readonly strays: string[] = [];
  stderr = "";
  readonly ended: Promise<Exit>;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #waiting = new Set<() => void>();
  #rest = "";
  #nextId = 1;
  #ending: Exit | undefined;

  constructor([file = "", ...args]: readonly string[]) {
    // A bare environment: NODE_OPTIONS and the like of whoever runs the tests must not reach the servers.
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"] };
    this.child = spawn(file, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => void (this.stderr += text));
    // A server that ends while we write is a thing to observe, not to crash on.
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      // "close", not "exit": only then has everything been heard.
      this.child.on("close", (code, signal) => {
        this.#ending = { code, signal };
        this.#wake();
        resolve(this.#ending);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#ending === undefined;
  }

  /** Resolves when the bytes have left, so that a test can send more than memory holds. */
  async write(bytes: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve) => {
      this.child.stdin.write(bytes, () => resolve());
    });
  }

  say(message: unknown): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  notify(method: string, params?: object): void {
    this.say({ jsonrpc: "2.0", method, ...(params && { params }) });
  }

  async request(method: string, params?: object): Promise<Message> {
    const id = `own-${this.#nextId++}`;
    this.say({ jsonrpc: "2.0", id, method, ...(params && { params }) });
    return this.hear((message) => message.id === id && message.method === undefined);
  }

  /** The first message that fits, heard already or yet to come. */
  async hear(fits: (message: Message) => boolean): Promise<Message> {
    let found: Message | undefined;
    let checked = 0;
    await this.until(() => {
      while (found === undefined && checked < this.heard.length) {
        const message = this.heard[checked++];
        if (message && fits(message)) found = message;
      }
      return found !== undefined;
    });
    if (found === undefined) throw this.#failure("said nothing of the kind");
    return found;
  }

  /** Resolves when `isDone`, looked at after everything that is heard, or throws when that cannot be any more. */
  async until(isDone: () => boolean, timeoutMs: number = PATIENCE_MS): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!isDone()) {
      const left = deadline - Date.now();
      if (left <= 0) throw this.#failure("was too slow");
      if (!this.isRunning) throw this.#failure("ended early");
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#waiting.add(() => (clearTimeout(timer), resolve()));
      });
    }
  }

  answersTo(id: unknown): readonly Message[] {
    return this.heard.filter((message) => message.id === id && message.method === undefined);
  }

  /** In MiB: now, and the most there ever was. */
  async memory(): Promise<{ readonly resident: number; readonly peak: number }> {
    const status = await readFile(`/proc/${this.pid}/status`, "utf8");
    const read = (name: string): number =>
      Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
    return { resident: read("VmRSS"), peak: read("VmHWM") };
  }

  /** Closes stdin and waits for the end. */
  async leave(): Promise<Exit> {
    this.child.stdin.end();
    return this.ended;
  }

  async stop(): Promise<void> {
    if (this.isRunning) this.child.kill("SIGKILL");
    this.child.stdout.destroy();
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, "exit");
    if (this.strays.length > 0) throw this.#failure(`said what is no message: ${this.strays.join("\n")}`);
  }

  #hear(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#hearLine(line);
    this.#wake();
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  #hearLine(line: string): void {
    try {
      const value = JSON.parse(line) as unknown;
      if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        this.heard.push(value as Message);
        return;
      }
    } catch {
      // Falls through to the strays, as any other non-message does.
    }
    this.strays.push(line.slice(0, 200));
  }

  #failure(what: string): Error {
    const last = this.heard.slice(-5).map((message) => JSON.stringify(message).slice(0, 300));
    const ending = this.#ending ? ` (${JSON.stringify(this.#ending)})` : "";
    return new Error(`The server ${what}${ending}\n${last.join("\n")}\n${this.stderr.slice(-2000)}`);
  }
}

/** Started for one test and gone after it, whatever the test did. */
export function startServer(command: readonly string[]): RawServer {
  const server = new RawServer(command);
  onTestFinished(() => server.stop());
  return server;
}
