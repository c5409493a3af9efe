import type { Server } from "@suite/core";
import { type HttpOptions, type HttpServing, serveHttp } from "@suite/core/http";

import { codeOf } from "../../domain/errors/code-of.ts";
import { EXIT_CODES, ExitError } from "../options/exit.ts";
import { type Address, toAddress } from "../options/address.ts";
import type { Metrics } from "../telemetry/start-telemetry.ts";
import type { ProgramIo } from "../telemetry/io.ts";
import type { StderrLog } from "../telemetry/stderr-log.ts";

export interface HttpRun {
  readonly server: Server<never>;
  readonly http: HttpOptions & Address;
  readonly log: StderrLog;
  /** How long requests in flight may take to finish after a signal. */
  readonly graceMs: number;
  readonly io: Pick<ProgramIo, "once" | "exit">;
  /** `at`: the address that metrics are served on. */
  readonly metrics: (Metrics & { readonly at: string }) | undefined;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/**
 * Added to the grace period: the process exits then, even if closing hangs. After the grace, `close` takes up to half a second
 * to send the last answers and another to let connections end.
 */
const DEADLINE_MS = 1400;

/** Serves over HTTP until a signal arrives, lets requests in flight finish, and exits the process. */
export async function runHttp(run: HttpRun): Promise<void> {
  const { server, io, log, graceMs } = run;
  // `once`: a second signal gets the default handling and kills the process.
  const signalled = new Promise<string>((resolve) => {
    for (const signal of SIGNALS) io.once(signal, () => resolve(signal));
  });
  const { serving, metricsUrl } = await listen(run);
  log.always(`listening on ${serving.url}`);
  if (metricsUrl !== undefined) log.always(`metrics at ${metricsUrl}`);
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

/** Opens both listeners, or closes everything and throws. */
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
    `Port ${port} of ${host} is already in use. Choose another, or 0 for any free one.`,
  EACCES: ({ port }) => `No permission to listen on port ${port}. Choose one above 1023.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine.`,
  ENOTFOUND: ({ host }) => `The host name ${host} cannot be resolved.`,
};

/** System errors and missing optional packages are reported as "unavailable", not as internal errors. */
function toListenError(thrown: unknown, address: Address): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const reason = REASONS[String(codeOf(thrown))]?.(address);
  if (reason !== undefined) return new ExitError("unavailable", reason, { cause: thrown });
  const isOfTheMachine = "syscall" in thrown || codeOf(thrown.cause) === "ERR_MODULE_NOT_FOUND";
  return isOfTheMachine ? new ExitError("unavailable", thrown.message, { cause: thrown }) : thrown;
}
