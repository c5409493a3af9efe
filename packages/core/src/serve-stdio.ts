import { pause } from "./timing/timers.ts";
import { serve, type Servable, type Serving } from "./serve.ts";
import { StreamTransport } from "./transport/stream.ts";

/** For `serveStdio`. */
export interface StdioOptions {
  /** In bytes; larger messages are answered with an error and skipped. */
  readonly largestMessage?: number;
}

// Counted in turns of the event loop rather than by the clock: on a busy machine, the process gets more time.
const TURN_MS = 5;
/** How long requests in flight may still finish after the client closed its end: enough for `printf … | server`. */
const GRACE_TURNS = 60;
/** Then whatever still runs is given up. */
const LAST_TURNS = 180;
/** How long a client may take to read the last answers, unless a signal asks for haste. */
const LAST_MS = 10_000;
/** The exit code if the client has not read everything by then (EX_IOERR of sysexits.h). */
const UNREAD = 74;
/** Longer than the process lives: this file itself ends requests in flight. */
const GRACE_MS = 600_000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Serves this process's standard streams until the client closes them or a signal arrives, then ends the process: a timer
 * or socket somewhere must not keep it alive. Standard output is closed to everything but the protocol.
 */
export async function serveStdio<E extends Serving>(
  server: Servable<E>,
  options: StdioOptions = {},
): Promise<void> {
  const write = claimStdout();
  const transport = new StreamTransport(process.stdin, process.stdout, {
    ...options,
    write,
    // A client that closed its end of the output does not wait for answers any more.
    endsWithOutput: true,
  });
  const signalled = new Promise<"signal">((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve("signal"));
  });
  const connection = serve(server, transport, { graceMs: GRACE_MS });
  const failed = server.failed ? [server.failed] : [];
  const cause = await Promise.race([signalled, connection.closed, ...failed]);
  let exitCode = 0;
  const exit = (): never => process.exit(exitCode);
  const workIsOver = passTurns(LAST_TURNS);
  void Promise.all([signalled, workIsOver]).then(exit);
  if (cause !== "signal") {
    const idle = passTurns(GRACE_TURNS, () => connection.isIdle);
    await Promise.race([idle, signalled, ...failed]);
  }
  exitCode = UNREAD;
  setTimeout(exit, LAST_MS);
  const left = connection.close().then(() => (exitCode = 0));
  // A client that does not read the last answers must not keep the server from being disposed.
  await Promise.race([left, passTurns(GRACE_TURNS)]);
  await Promise.race([server.dispose(), workIsOver]);
  await left;
  exit();
}

/** A stray console.log would break the protocol, so all other writes to stdout go to stderr. */
function claimStdout(): typeof process.stdout.write {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  // Not bound in advance: the stream behind process.stderr is created on first access, and most runs never need it.
  let stderr: typeof process.stderr | undefined;
  stdout.write = (...args: unknown[]) => {
    // If its reader is gone, an unhandled error event would end the process.
    stderr ??= process.stderr.on("error", () => undefined);
    return stderr.write(...(args as [string]));
  };
  return write;
}

async function passTurns(most: number, isEnough = (): boolean => false): Promise<void> {
  for (let turn = 0; turn < most && !isEnough(); turn += 1) {
    await pause(TURN_MS);
  }
}
