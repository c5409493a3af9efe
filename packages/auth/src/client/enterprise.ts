import { genericTokenEndpointRequest, None, processGenericTokenEndpointResponse } from "oauth4webapi";

import type { Fetch } from "../fetch-json.ts";
import { toAuthorizationError } from "./error.ts";
import type { Assertion } from "./options.ts";
import { Requests } from "./requests.ts";

const TYPES = "urn:ietf:params:oauth:token-type:";

export interface EnterpriseOptions {
  /** The identity provider of the company. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  /** What the identity provider knows the client as. */
  readonly clientId: string;
  /** The ID token of the person who has logged in to the identity provider. */
  idToken(): string | Promise<string>;
  readonly fetch?: Fetch;
  readonly timeoutMs?: number;
}

/** A company's identity provider vouches for its people, who log in nowhere else (enterprise-managed authorization). */
export function enterpriseAssertion(options: EnterpriseOptions): Assertion {
  const { issuer, tokenEndpoint, clientId, timeoutMs = 10_000 } = options;
  const requests = new Requests(new URL(tokenEndpoint), options.fetch, timeoutMs);
  return {
    async assertion({ issuer: audience, resource, scope, signal }) {
      const as = { issuer, token_endpoint: tokenEndpoint };
      const client = { client_id: clientId };
      const parameters = {
        requested_token_type: `${TYPES}id-jag`,
        subject_token: await options.idToken(),
        subject_token_type: `${TYPES}id_token`,
        audience,
        resource,
        ...(scope !== undefined && { scope }),
      };
      try {
        const response = await genericTokenEndpointRequest(
          as,
          client,
          None(),
          "urn:ietf:params:oauth:grant-type:token-exchange",
          parameters,
          requests.options(signal),
        );
        // What comes back is no token for a resource, which its type says (RFC 8693, section 2.2.1).
        const recognizedTokenTypes = { n_a: () => undefined };
        const answer = await processGenericTokenEndpointResponse(as, client, response, {
          recognizedTokenTypes,
        });
        return answer.access_token;
      } catch (thrown) {
        throw toAuthorizationError(thrown, `Exchanging an ID token at ${issuer}`);
      }
    },
  };
}
