import {
  AuthOptionsError,
  type AuthOptions,
  createAuthorizer,
  type AuthFetch,
  readAuthOptions,
} from "@suite/auth";
import { type Authorizer, isLoopback } from "@suite/core/http";

import { ExitError } from "../options/exit.ts";
import { type Address, toUrl } from "../options/address.ts";
import type { Environment } from "../options/resolve.ts";
import type { Outbound } from "../../domain/outbound/outbound.ts";
import type { ProgramOptions } from "./program.ts";
import type { StderrLog } from "../telemetry/stderr-log.ts";

/** Looser than the authorizer's own limits, which apply first. */
const OUTER_LIMITS = {
  maxBytes: 1024 * 1024,
  timeoutMs: 60_000,
  concurrency: 64,
  perHost: { concurrency: 64 },
};

/** Creates the authorizer from the options. Loaded only with HTTP and --auth-… options. */
export function createConfiguredAuthorizer(
  options: ProgramOptions,
  address: Address,
  log: StderrLog,
  environment: Environment,
): Authorizer {
  try {
    const auth = readAuthOptions({
      issuer: options.authIssuer,
      resource: options.authResource ?? ownUrl(address),
      audience: options.authAudience,
      introspectionEndpoint: options.authIntrospectionEndpoint,
      introspectionClientId: options.authIntrospectionClientId,
      introspectionClientSecret: options.authIntrospectionClientSecret,
    });
    return createAuthorizer({
      ...auth,
      fetch: createFetch(auth, environment),
      onUnavailable: ({ message }) => log.error(`tokens cannot be checked: ${message}`),
    });
  } catch (thrown) {
    if (!(thrown instanceof AuthOptionsError)) throw thrown;
    throw new ExitError("configuration", `Authorization: ${thrown.message}`, {
      hint: "See the options that begin with --auth- in --help.",
      cause: thrown,
    });
  }
}

/**
 * Loads the outbound client when the first token is checked. The operator named the issuer and the introspection endpoint, so
 * these hosts may be private; other hosts that the issuer names may not.
 */
function createFetch({ issuer, introspection }: AuthOptions, environment: Environment): AuthFetch {
  const named = [issuer, ...(introspection ? [introspection.endpoint] : [])];
  let outbound: Promise<Outbound> | undefined;
  const open = async (): Promise<Outbound> => {
    const { createOutbound } = await import("../../domain/outbound/outbound.ts");
    return createOutbound({
      userAgent: "suite-auth",
      allowPrivateHosts: named.map((url) => new URL(url).hostname),
      environment,
      ...OUTER_LIMITS,
    });
  };
  return async (url, init) => (await (outbound ??= open())).toFetch()(url, init);
}

/** Undefined if it cannot be known: behind a proxy clients use another URL, and port 0 is not assigned yet. */
const ownUrl = (address: Address): string | undefined =>
  address.port === 0 || !isLoopback(address.host) ? undefined : toUrl(address, "/mcp");
