import { AuthOptionsError, createAuthorizer, readAuthOptions } from "@suite/auth";
import type { Authorizer } from "@suite/core/http";

import { ExitError } from "../exit.ts";
import { type Address, isLoopback } from "../options/address.ts";
import type { ProgramOptions } from "./program.ts";
import type { StderrLog } from "./stderr-log.ts";

/** Makes the authorizer that the options describe. Loaded only with HTTP, and only if they describe one. */
export function createConfiguredAuthorizer(
  options: ProgramOptions,
  address: Address,
  log: StderrLog,
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

/** Behind a proxy clients know another one, and with port 0 it is not known yet. */
function ownUrl(address: Address): string | undefined {
  const { host, port } = address;
  if (port === 0 || !isLoopback(address)) return undefined;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/mcp`;
}
