import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

import { Fault } from "../errors/fault.ts";
import { toAbortFault, toFault } from "../errors/to-fault.ts";
import { stripTerminal } from "../text/strip-terminal.ts";
import { hasEnded, killTree } from "./kill-tree.ts";
import { toProgramName, toStartFault } from "./start-child.ts";
import type { StopSignal } from "../errors/stop-signal.ts";

export interface RunLimits {
  readonly signal: StopSignal;
  /** Of both streams together. Default: 16 MiB. */
  readonly maxOutputBytes?: number;
  /** Receives standard output as it arrives: it is then neither kept nor counted. "stop" ends the program without a failure. */
  readonly onOutput?: (chunk: Buffer) => "stop" | undefined;
  /** Receives standard error as it arrives, for progress. It is kept as well. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
  readonly onStart?: (pid: number) => void;
  /** Called once it and its descendants have ended. */
  readonly onEnd?: (pid: number) => void;
  /** Whether it gets SIGTERM and a moment to end before it is killed. */
  readonly endsGently?: boolean;
  /** Called if it was killed, by this server or otherwise, so it has not cleaned up. */
  readonly onKill?: () => void;
}

/** How a child process ended, and what it said. */
export interface ChildResult {
  /** null if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** Without terminal escapes. */
  readonly stderr: string;
  /** Whether `onOutput` returned "stop". */
  readonly stopped: boolean;
}

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** How long pipes may stay open and silent after their process has ended, and how long a killed process may take to end. */
const LINGER_MS = 1000;

/** Captures a program's output until it has ended. `end` stops it early. */
export function awaitEnd(
  child: ChildProcess,
  command: string,
  options: RunLimits & { cwd: string },
  end: () => Promise<void>,
): Promise<ChildResult> {
  const { signal, cwd } = options;
  return new Promise((resolve, reject) => {
    let failure: Fault | undefined;
    let linger: NodeJS.Timeout | undefined;
    let isEnding = false;
    const name = toProgramName(command);
    const output = new ChildOutput(child, name, options, (thrown) => stop(toFault(thrown, name)));

    const finish = (): void => {
      // Its descendants may take longer to end: `end` calls this again.
      if (isEnding) return;
      clearTimeout(linger);
      signal.removeEventListener("abort", abort);
      output.isOver = true;
      for (const stream of child.stdio) stream?.destroy();
      if (failure) reject(failure);
      else resolve(toResult(child, output));
    };
    /** An escaped descendant may hold the pipes open forever, so stop once they are silent: all that is in them must be read. */
    const finishWhenSilent = (): void => {
      const before = output.chunks;
      const look = (): void => (output.chunks === before ? finish() : finishWhenSilent());
      linger = setTimeout(() => setImmediate(look), LINGER_MS);
    };
    const stop = (fault: Fault): void => {
      if (failure) return;
      failure = fault;
      output.isOver = true;
      clearTimeout(linger);
      isEnding = true;
      void end().finally(() => {
        isEnding = false;
        if (hasEnded(child)) finish();
        else linger = setTimeout(finish, LINGER_MS);
      });
    };
    const abort = (): void => stop(toAbortFault(signal));

    signal.addEventListener("abort", abort);
    child.once("error", (error) => {
      failure ??= toStartFault(error, command, cwd);
      finish();
    });
    child.once("exit", () => (failure ? finish() : finishWhenSilent()));
    child.once("close", finish);
    // It may have been started elsewhere, and meanwhile.
    if (signal.aborted) abort();
  });
}

const toResult = ({ exitCode, signalCode }: ChildProcess, output: ChildOutput): ChildResult => ({
  code: exitCode,
  signal: signalCode,
  stdout: Buffer.concat(output.stdout),
  stderr: stripTerminal(Buffer.concat(output.stderr).toString()),
  stopped: output.stopped,
});

/** A program's output: kept up to the limit, or passed on as it arrives. */
class ChildOutput {
  readonly stdout: Buffer[] = [];
  readonly stderr: Buffer[] = [];
  chunks = 0;
  stopped = false;
  /** Whether further output is ignored. */
  isOver = false;
  #bytes = 0;

  readonly #fail: (thrown: unknown) => void;

  constructor(
    child: ChildProcess,
    name: string,
    { onOutput, onErrorOutput, maxOutputBytes: most = MAX_OUTPUT_BYTES }: RunLimits,
    fail: (thrown: unknown) => void,
  ) {
    this.#fail = fail;
    const keepIn = (kept: Buffer[]) => (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > most) throw createTooLarge(name, most);
      kept.push(chunk);
    };
    const passOn = (chunk: Buffer): void => {
      if (onOutput?.(chunk) !== "stop") return;
      this.stopped = this.isOver = true;
      killTree(child);
    };
    this.#listen(child.stdout, onOutput ? passOn : keepIn(this.stdout));
    this.#listen(child.stderr, keepIn(this.stderr));
    if (onErrorOutput) this.#listen(child.stderr, onErrorOutput);
  }

  #listen(stream: Readable | null, take: (chunk: Buffer) => void): void {
    stream?.on("data", (chunk: Buffer) => {
      this.chunks += 1;
      if (this.isOver) return;
      try {
        take(chunk);
      } catch (thrown) {
        this.#fail(thrown);
      }
    });
  }
}

const createTooLarge = (name: string, bytes: number): Fault =>
  new Fault("too_large", `${name} printed more than ${bytes} bytes and was stopped`, {
    hint: "Ask for less at once.",
  });
