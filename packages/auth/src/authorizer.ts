import type { Authorizer, Caller, Refusal } from "@suite/core/http";

import { checkTokenForm, readBearer } from "./bearer.ts";
import { toCaller } from "./claims.ts";
import { InvalidTokenError } from "./error.ts";
import { createIntrospector } from "./introspection.ts";
import { createJwtReader } from "./jwt.ts";
import { parseSettings, type AuthOptions } from "./options.ts";
import { createRefusals } from "./refusals.ts";
import { createMetadataRoute } from "./resource-metadata.ts";

/** An authorizer for `serveHttp` that admits callers with a token from the issuer for this very resource. */
export function createAuthorizer(options: AuthOptions): Authorizer {
  const settings = parseSettings(options);
  const { introspection } = settings;
  const readToken = introspection ? createIntrospector(settings, introspection) : createJwtReader(settings);
  const refusals = createRefusals(settings);

  const admit = async (token: string): Promise<Caller | Refusal> => {
    checkTokenForm(token);
    const caller = toCaller(await readToken(token), settings);
    return caller.scopes.length > 0 ? caller : refusals.insufficientScope("read");
  };

  return {
    async authorize(exchange) {
      const bearer = readBearer(exchange.header("authorization"));
      if (bearer === "absent") return refusals.unauthenticated;
      if (bearer === "malformed") return refusals.malformed;
      try {
        return await admit(bearer.token);
      } catch (thrown) {
        if (thrown instanceof InvalidTokenError) return refusals.invalidToken(thrown.message);
        // The rejection refuses the request: a token that cannot be checked is not accepted.
        options.onUnavailable?.(thrown as Error);
        throw thrown;
      }
    },
    refuseScope: (needed) => refusals.insufficientScope(needed),
    serve: createMetadataRoute(settings),
  };
}
