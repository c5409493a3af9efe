import {
  authorizationCodeGrantRequest,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  type Client,
  type ClientAuth,
  clientCredentialsGrantRequest,
  type DPoPHandle,
  generateRandomCodeVerifier,
  generateRandomState,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from "oauth4webapi";

import { AuthorizationError } from "./error.ts";
import type { Assertion, Login, Tokens } from "./options.ts";
import type { RequestOptions, Requests } from "./requests.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Everything that a request for tokens needs. */
export interface Asking {
  readonly as: AuthorizationServer;
  readonly client: Client;
  readonly auth: ClientAuth;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly dpop: DPoPHandle | undefined;
  readonly requests: Requests;
  readonly options: RequestOptions;
}

/** A person logs in (authorization code with PKCE). */
export async function logIn(asking: Asking, login: Login): Promise<Tokens> {
  const { as, client, auth } = asking;
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const address = toLoginAddress(
    asking,
    login.redirectUrl,
    state,
    await calculatePKCECodeChallenge(verifier),
  );
  const back = await login.visit(address, asking.options.signal);
  // Checks the state and the issuer (RFC 9207) before anything else in the answer is looked at.
  const answer = validateAuthResponse(as, client, back, state);
  return request(
    asking,
    (options) =>
      authorizationCodeGrantRequest(as, client, auth, answer, login.redirectUrl, verifier, options),
    processAuthorizationCodeResponse,
  );
}

function toLoginAddress(asking: Asking, redirectUrl: string, state: string, challenge: string): URL {
  const { as, client, resource, scope, requests } = asking;
  const address = requests.admit(as.authorization_endpoint ?? "", "The page to log in at");
  const parameters = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUrl,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state,
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && { resource }),
    // Without it, OpenID providers ignore the wish for a refresh token (OpenID Connect Core, section 11).
    ...(scope?.split(" ").includes("offline_access") === true && { prompt: "consent" }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address;
}

/** The client acts for itself. */
export function useOwnCredentials(asking: Asking): Promise<Tokens> {
  const { as, client, auth } = asking;
  return request(
    asking,
    ({ additionalParameters, ...options }) =>
      clientCredentialsGrantRequest(as, client, auth, additionalParameters, options),
    processClientCredentialsResponse,
    asking.scope,
  );
}

/** Somebody else says who the client is or acts for. */
export async function useAssertion(asking: Asking, { assertion }: Assertion): Promise<Tokens> {
  const {
    as,
    client,
    auth,
    resource = "",
    scope,
    options: { signal },
  } = asking;
  const statement = await assertion({ issuer: as.issuer, resource, scope, signal });
  return request(
    asking,
    ({ additionalParameters, ...options }) => {
      const parameters = { ...additionalParameters, assertion: statement };
      return genericTokenEndpointRequest(as, client, auth, JWT_BEARER, parameters, options);
    },
    processGenericTokenEndpointResponse,
    scope,
  );
}

/** The old refresh token stays unless there is a new one. */
export async function refresh(asking: Asking, old: string): Promise<Tokens> {
  const { as, client, auth } = asking;
  const tokens = await request(
    asking,
    (options) => refreshTokenGrantRequest(as, client, auth, old, options),
    processRefreshTokenResponse,
  );
  return { refresh: old, ...tokens };
}

type TokenRequestOptions = RequestOptions & {
  readonly DPoP?: DPoPHandle;
  readonly additionalParameters: Record<string, string>;
};

type Process = (
  as: AuthorizationServer,
  client: Client,
  response: Response,
) => Promise<TokenEndpointResponse>;

async function request(
  { as, client, resource, dpop, options, requests }: Asking,
  send: (options: TokenRequestOptions) => Promise<Response>,
  process: Process,
  scope?: string,
): Promise<Tokens> {
  requests.admit(as.token_endpoint ?? "", "The address that gives tokens");
  const all: TokenRequestOptions = {
    ...options,
    ...(dpop && { DPoP: dpop }),
    additionalParameters: {
      ...(resource !== undefined && { resource }),
      ...(scope !== undefined && { scope }),
    },
  };
  const attempt = async (): Promise<TokenEndpointResponse> => process(as, client, await send(all));
  // The refusal brought the nonce that the second attempt needs (RFC 9449, section 8).
  const answer = await attempt().catch((thrown: unknown) => {
    if (dpop && isDPoPNonceError(thrown)) return attempt();
    throw thrown;
  });
  if (answer.token_type === "dpop" && !dpop) {
    throw new AuthorizationError(
      `${as.issuer} issued a token that is bound to a key, and this client has none`,
      "Give a key pair as `dpop`.",
    );
  }
  return {
    access: answer.access_token,
    type: answer.token_type,
    ...(answer.refresh_token !== undefined && { refresh: answer.refresh_token }),
    ...(answer.scope !== undefined && { scope: answer.scope }),
  };
}
