import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

import { PATIENCE_MS } from "@suite/check/wires";
import { BenchFailure } from "../suite.ts";

const maxErrorOutput = 4_000;

export interface ProcessOptions {
  /** The program to run it with. */
  readonly node?: string | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** A server under test, driven over its standard streams with as little work on this side as Node allows. */
export class ServerProcess {
  /** Rejects when the process ends or breaks before `stop`; never resolves. */
  readonly failed: Promise<never>;
  onChunk: (chunk: Buffer) => void = () => {};
  #stopping = false;
  #errorOutput = "";
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;

  constructor(
    script: string,
    signal: AbortSignal,
    args: readonly string[] = [],
    { node = process.execPath, env: added = {} }: ProcessOptions = {},
  ) {
    // A bare environment: NODE_OPTIONS and the like of whoever runs the benchmark must not weigh on the servers.
    const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...added };
    this.#child = spawn(node, [script, ...args], { env, signal, killSignal: "SIGKILL" });
    this.failed = this.#watch();
    // The rejection is for whoever waits at that moment; between two waits nobody may.
    this.failed.catch(() => {});
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw this.#failure("did not start");
    return this.#child.pid;
  }

  write(bytes: Buffer): void {
    this.#child.stdin.write(bytes);
  }

  /** As a host does: the server may put things in order, such as what Node keeps for its next start. */
  end(): Promise<void> {
    return this.#stopBy(() => this.#child.stdin.end());
  }

  stop(): Promise<void> {
    return this.#stopBy(() => this.#child.kill("SIGKILL"));
  }

  async #stopBy(act: () => void): Promise<void> {
    this.#stopping = true;
    const { exitCode, signalCode } = this.#child;
    if (this.#child.pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#child, "exit", { signal: AbortSignal.timeout(PATIENCE_MS) });
    act();
    await exited;
  }

  #watch(): Promise<never> {
    this.#child.stdout.on("data", (chunk: Buffer) => this.onChunk(chunk));
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-maxErrorOutput);
    });
    return new Promise((_, reject) => {
      const fail = (what: string, cause?: unknown): void => {
        if (!this.#stopping) reject(this.#failure(what, cause));
      };
      this.#child.on("error", (error) => fail(error.message, error));
      this.#child.stdin.on("error", (error) => fail(`stopped reading: ${error.message}`, error));
      // "close", not "exit": only then has everything it said on its way out been read.
      this.#child.on("close", (code, killedBy) => fail(`ended early (${killedBy ?? `exit code ${code}`})`));
    });
  }

  #failure(what: string, cause?: unknown): BenchFailure {
    const said = this.#errorOutput === "" ? "" : `\n${this.#errorOutput.trimEnd()}`;
    return new BenchFailure(`${what}${said}`, { cause });
  }
}

/** Resident memory of a live process in MiB. */
export function readResidentMemory(pid: number): number {
  const kibibytes =
    process.platform === "linux"
      ? /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
      : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8", timeout: 10_000 });
  if (!(Number(kibibytes) > 0)) throw new BenchFailure(`cannot read the resident memory of process ${pid}`);
  return Number(kibibytes) / 1024;
}
