import { type Authorizer, type HttpOptions, isLoopback } from "@suite/core/http";

import { ExitError } from "../options/exit.ts";
import { type Address, toAddress } from "../options/address.ts";
import { type Origins, reasonOf } from "../options/origin.ts";
import type { Environment } from "../options/resolve.ts";
import type { ProgramOptions } from "./program.ts";
import type { StderrLog } from "../telemetry/stderr-log.ts";

interface HttpRunSettings {
  readonly options: ProgramOptions;
  readonly origins: Origins;
  readonly log: StderrLog;
  readonly environment: Environment;
}

/** Converts the options for the HTTP server. Runs before anything is opened, so a failure needs no cleanup. */
export async function toHttpOptions(settings: HttpRunSettings): Promise<HttpOptions & Address> {
  const { options } = settings;
  const address = toAddress(options.http ?? "");
  if (!address) throw new Error(`${options.http} passed validation but is not an address`);
  const authorizer = await authorizerOf(settings, address);
  const { allowedHosts, authResource } = options;
  return {
    ...address,
    // A proxy may pass on the public host name in the Host header.
    allowedHosts:
      authResource === undefined ? allowedHosts : [...allowedHosts, new URL(authResource).hostname],
    allowedOrigins: options.allowedOrigins,
    insecureNoAuth: options.insecureNoAuth,
    sse: options.sse,
    websocket: options.websocket,
    mostRequests: options.maxRequests,
    mostSessions: options.maxSessions,
    largestBody: options.maxBody,
    perCaller: Object.fromEntries(
      options.perCaller.map((item) => item.split("=")).map(([what, count]) => [what, Number(count)]),
    ),
    ...(options.requestsPerMinute !== undefined && { requestsPerMinute: options.requestsPerMinute }),
    ...(authorizer && { authorizer }),
  };
}

async function authorizerOf(
  { options, origins, log, environment }: HttpRunSettings,
  address: Address,
): Promise<Authorizer | undefined> {
  if (isAuthorizationConfigured(options)) {
    const { createConfiguredAuthorizer } = await import("./authorizer.ts");
    return createConfiguredAuthorizer(options, address, log, environment);
  }
  if (options.insecureNoAuth || isLoopback(address.host)) return undefined;
  const message = `Refusing to listen on ${address.host} without authorization: other machines may reach it`;
  const hint = "Name an authorization server with --auth-issuer, or accept the risk with --insecure-no-auth.";
  throw new ExitError(reasonOf(origins["http"]), message, { hint });
}

/** Any single one counts: half a configuration must end in an error, never in a server without authorization. */
const isAuthorizationConfigured = (options: ProgramOptions): boolean =>
  [
    options.authIssuer,
    options.authResource,
    options.authAudience,
    options.authIntrospectionEndpoint,
    options.authIntrospectionClientId,
    options.authIntrospectionClientSecret,
  ].some((value) => value !== undefined);
