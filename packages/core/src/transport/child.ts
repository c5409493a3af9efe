import { spawn, type ChildProcess } from "node:child_process";

import { isDoneWithin } from "../timing/timers.ts";
import type { JSONRPCMessage } from "../jsonrpc/message.ts";
import { StreamTransport } from "./stream.ts";
import type { Transport, TransportReceiver } from "./transport.ts";

/** How the child process is started. */
export interface ChildOptions {
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child; this process's own when left out. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where the server's stderr goes: this process's by default, or to a listener. */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void);
}

/** How long a server may take to exit before it gets SIGTERM, and then SIGKILL (stdio#shutdown). */
const LEAVE_MS = 2000;
/** How long to wait for the exit code after the streams have closed. */
const ENDING_MS = 500;

/** A server run as a child process, spoken to over its standard streams. */
export class ChildTransport implements Transport {
  readonly #child: ChildProcess;
  readonly #stream: StreamTransport;
  readonly #exited: Promise<void>;
  #ending: Error | undefined;

  constructor(command: string, options: ChildOptions = {}) {
    const { args = [], cwd, env, stderr = "inherit" } = options;
    const stderrMode = typeof stderr === "function" ? "pipe" : stderr;
    const child = spawn(command, args, {
      stdio: ["pipe", "pipe", stderrMode],
      windowsHide: true,
      ...(cwd !== undefined && { cwd }),
      ...(env && { env }),
    });
    const { stdin, stdout } = child;
    if (!stdin || !stdout) throw new Error("The child process has no standard streams");
    this.#child = child;
    this.#stream = new StreamTransport(stdout, stdin);
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#ending ??= new Error(`${command} ended with ${signal ?? `code ${code}`}`);
        resolve();
      });
      // A command that cannot be started has no exit.
      child.once("error", (cause) => {
        this.#ending ??= new Error(`${command} could not be started: ${cause.message}`, { cause });
        resolve();
      });
    });
    if (typeof stderr === "function") child.stderr?.setEncoding("utf8").on("data", stderr);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  start(receiver: TransportReceiver): void {
    this.#stream.start({
      message: (value) => receiver.message(value),
      unreadable: (error) => receiver.unreadable(error),
      closed: () => void isDoneWithin(ENDING_MS, this.#exited).then(() => receiver.closed(this.#ending)),
    });
  }

  send(message: JSONRPCMessage | readonly JSONRPCMessage[]): void {
    this.#stream.send(message);
  }

  async close(): Promise<void> {
    void this.#stream.flush();
    this.#child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await isDoneWithin(LEAVE_MS, this.#exited)) return;
      this.#child.kill(signal);
    }
    await this.#exited;
  }
}
