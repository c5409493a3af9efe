import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

import { Fault } from "../errors/fault.ts";
import { toAbortFault } from "../errors/to-fault.ts";
import { stripTerminal } from "../text/strip-terminal.ts";
import { hasEnded, killTree } from "./kill-tree.ts";
import { toProgramName, toStartFault } from "./start-child.ts";
import type { StopSignal } from "./stop-signal.ts";

export interface RunLimits {
  readonly signal: StopSignal;
  readonly timeoutMs?: number;
  /** Of both streams together: 16 MiB unless said otherwise. */
  readonly maxOutputBytes?: number;
}

export interface ChildResult {
  /** null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** Without terminal escapes. */
  readonly stderr: string;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** More would overflow the timer, which then fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** How long pipes may stay open, and silent, after their process has ended, and how long a killed one may take to end. */
const LINGER_MS = 1000;

/** Captures what a program prints until it has ended, one way or another. */
export function awaitEnd(
  child: ChildProcess,
  command: string,
  { signal, timeoutMs = MAX_TIMEOUT_MS, maxOutputBytes = MAX_OUTPUT_BYTES, cwd }: RunLimits & { cwd: string },
): Promise<ChildResult> {
  const name = toProgramName(command);
  return new Promise((resolve, reject) => {
    let failure: Fault | undefined;
    let bytes = 0;
    let linger: NodeJS.Timeout | undefined;

    const capture = (stream: Readable | null): Buffer[] => {
      const chunks: Buffer[] = [];
      stream?.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxOutputBytes) stop(createTooLarge(name, maxOutputBytes));
        else chunks.push(chunk);
      });
      return chunks;
    };
    const stdout = capture(child.stdout);
    const stderr = capture(child.stderr);

    const settle = (): void => {
      clearTimeout(deadline);
      clearTimeout(linger);
      signal.removeEventListener("abort", abort);
      for (const stream of child.stdio) stream?.destroy();
      if (failure) return reject(failure);
      resolve({
        code: child.exitCode,
        signal: child.signalCode,
        stdout: Buffer.concat(stdout),
        stderr: stripTerminal(Buffer.concat(stderr).toString()),
      });
    };
    /** Somebody who escaped may hold the pipes forever. But what is in them must be read, however busy this process was. */
    const settleWhenSilent = (): void => {
      const before = bytes;
      const look = (): void => (bytes === before ? settle() : settleWhenSilent());
      linger = setTimeout(() => setImmediate(look), LINGER_MS);
    };
    const stop = (fault: Fault): void => {
      if (failure) return;
      failure = fault;
      killTree(child);
      clearTimeout(linger);
      if (hasEnded(child)) settle();
      else linger = setTimeout(settle, LINGER_MS);
    };
    const abort = (): void => stop(toAbortFault(signal));
    const expire = (): void => stop(createTimeout(name, timeoutMs));
    const deadline = setTimeout(expire, Math.min(timeoutMs, MAX_TIMEOUT_MS));

    signal.addEventListener("abort", abort);
    child.once("error", (error) => {
      failure ??= toStartFault(error, command, cwd);
      settle();
    });
    child.once("exit", () => (failure ? settle() : settleWhenSilent()));
    child.once("close", settle);
  });
}

const createTimeout = (name: string, ms: number): Fault =>
  new Fault("timeout", `${name} did not finish within ${ms} ms and was stopped`);

const createTooLarge = (name: string, bytes: number): Fault =>
  new Fault("too_large", `${name} printed more than ${bytes} bytes and was stopped`, {
    hint: "Ask for less at once.",
  });
