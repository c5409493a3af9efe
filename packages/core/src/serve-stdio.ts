import { serve, type Servable, type Serving } from "./serve.ts";
import { StreamTransport } from "./transport/stream.ts";

export interface StdioOptions {
  /** In bytes; larger messages are answered with an error and skipped. */
  readonly largestMessage?: number;
}

// Counted in turns of this process, not by the clock: where a busy machine gives it little time, it has longer.
const TURN_MS = 5;
/** How long requests in flight may still finish after the client closed its end: enough for `printf … | server`. */
const GRACE_TURNS = 60;
/** Then the process ends, whatever is still going on in it. */
const LAST_TURNS = 180;
/** And by then at the latest, however little time it gets. */
const LAST_MS = 10_000;
/** It is this file that ends what is in flight. */
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
    // A client that closed its end of the output waits for nothing any more.
    endsWithOutput: true,
  });
  const signalled = new Promise<"signal">((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve("signal"));
  });
  const connection = serve(server, transport, { graceMs: GRACE_MS });
  const failed = server.failed ? [server.failed] : [];
  const cause = await Promise.race([signalled, connection.closed, ...failed]);
  void passTurns(LAST_TURNS).then(() => process.exit(0));
  setTimeout(() => process.exit(0), LAST_MS);
  if (cause !== "signal") {
    const idle = passTurns(GRACE_TURNS, () => connection.isIdle);
    await Promise.race([idle, signalled, ...failed]);
  }
  const left = connection.close();
  // Whoever does not read the last answers must not keep the server from freeing what it holds.
  await Promise.race([left, passTurns(GRACE_TURNS)]);
  await server.dispose();
  await left;
  process.exit(0);
}

/** A stray console.log would break the protocol, so everybody else's writes to stdout go to stderr. */
function claimStdout(): typeof process.stdout.write {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  // Not bound in advance: the stream behind process.stderr is made when first touched, and most runs never do.
  let stderr: typeof process.stderr | undefined;
  stdout.write = (...args: unknown[]) => {
    // Where nobody reads it any more, an error that nobody listens for would end the process.
    stderr ??= process.stderr.on("error", () => undefined);
    return stderr.write(...(args as [string]));
  };
  return write;
}

async function passTurns(most: number, isEnough = (): boolean => false): Promise<void> {
  for (let turn = 0; turn < most && !isEnough(); turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  }
}
