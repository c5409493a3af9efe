import type { Server } from "@suite/core";
import { type HttpOptions, type HttpServing, serveHttp } from "@suite/core/http";

import { codeOf } from "../errors/code-of.ts";
import { EXIT_CODES, ExitError } from "../exit.ts";
import { type Address, toAddress } from "../options/address.ts";
import type { Metrics } from "../telemetry/start-telemetry.ts";
import type { OutputStream, ProgramIo } from "./io.ts";
import type { StderrLog } from "./stderr-log.ts";

export interface HttpRun {
  readonly server: Server<never>;
  readonly http: HttpOptions & Address;
  readonly log: StderrLog;
  readonly name: string;
  /** For requests in flight, once a signal has come. */
  readonly graceMs: number;
  readonly io: Pick<ProgramIo, "once" | "exit">;
  readonly stderr: OutputStream;
  /** And the address at which they are told. */
  readonly metrics: (Metrics & { readonly at: string }) | undefined;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** After that time: whatever happens, the process is gone then. */
const DEADLINE_MS = 400;

/** Serves over HTTP until a signal comes, lets what is in flight finish, and ends the process. */
export async function runHttp(run: HttpRun): Promise<void> {
  const { server, io, stderr, log, name, graceMs } = run;
  // Once only: a second signal ends the process at once, as it would any other.
  const signalled = new Promise<string>((resolve) => {
    for (const signal of SIGNALS) io.once(signal, () => resolve(signal));
  });
  const { serving, metricsUrl } = await listen(run);
  // Always, whatever the log level: with port 0 nobody could find the server otherwise.
  stderr.write(`${name}: listening on ${serving.url}\n`, () => undefined);
  if (metricsUrl !== undefined) stderr.write(`${name}: metrics at ${metricsUrl}\n`, () => undefined);
  log.debug(`${await signalled}: finishing what is in flight`);
  const deadline = setTimeout(() => io.exit(EXIT_CODES.clean), graceMs + DEADLINE_MS);
  await serving.close(graceMs);
  await server.dispose();
  clearTimeout(deadline);
  io.exit(EXIT_CODES.clean);
}

interface Listening {
  readonly serving: HttpServing;
  readonly metricsUrl?: string;
}

/** At all addresses, or at none. */
async function listen({ server, http, metrics }: HttpRun): Promise<Listening> {
  let address: Address = http;
  let serving: HttpServing | undefined;
  try {
    const opened = (serving = await serveHttp(server, http));
    if (!metrics) return { serving };
    const { renderMetrics, serveMetrics } = await import("../telemetry/serve-metrics.ts");
    address = toAddress(metrics.at) ?? { host: "127.0.0.1", port: 0 };
    return { serving, metricsUrl: await serveMetrics(address, () => renderMetrics(metrics, opened.load)) };
  } catch (thrown) {
    await serving?.close(0);
    await server.dispose();
    throw toListenError(thrown, address);
  }
}

const REASONS: { readonly [code: string]: (address: Address) => string } = {
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} of ${host} is already in use. Take another, or 0 for any free one.`,
  EACCES: ({ port }) => `No permission to listen on port ${port}. Take one above 1023.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine.`,
  ENOTFOUND: ({ host }) => `The host name ${host} is not known.`,
};

/** What the machine refuses, or has not installed, is not the program's mistake. */
function toListenError(thrown: unknown, address: Address): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const reason = REASONS[String(codeOf(thrown))]?.(address);
  if (reason !== undefined) return new ExitError("unavailable", reason, { cause: thrown });
  const isOfTheMachine = "syscall" in thrown || codeOf(thrown.cause) === "ERR_MODULE_NOT_FOUND";
  return isOfTheMachine ? new ExitError("unavailable", thrown.message, { cause: thrown }) : thrown;
}
