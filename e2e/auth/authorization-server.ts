import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider, type Configuration } from "oidc-provider";

import { createSigningKey } from "./signing-key.ts";

export const INTROSPECTING_CLIENT = { clientId: "resource-server", clientSecret: "for introspection only" };

/** Registered beforehand. Others may register themselves, but only for the scopes they name then. */
export const KNOWN_CLIENT = { clientId: "outsider", redirectUrl: "http://127.0.0.1:1/callback" };

const SCOPES = ["mcp:read", "mcp:write", "mcp:admin"];

interface Policy {
  lifetime: number;
  refreshes: boolean;
}

export interface AuthorizationServer {
  readonly issuer: string;
  /** Who is logged in at the browser from now on, and the scopes that this person consents to. */
  readonly person: { account: string; consents: string };
  /** For tokens that are issued from now on: how long they live, and whether they come with one to refresh them. */
  readonly policy: Policy;
  /** The address and headers of every request, in order. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** A certified authorization server on loopback, with a person at it who logs in and consents without being seen. */
export async function startAuthorizationServer(format: "jwt" | "opaque"): Promise<AuthorizationServer> {
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const person = { account: "alice", consents: SCOPES.join(" ") };
  const policy = { lifetime: 300, refreshes: false };
  const requests: string[] = [];
  const provider = new Provider(issuer, configure(format, policy));
  const answer = provider.callback();
  http.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    const isInteraction = path.startsWith("/interaction/");
    const done = isInteraction ? interact(provider, person, request, response) : answer(request, response);
    done.catch(() => response.destroy());
  });
  return { issuer, person, policy, requests, close: () => close(http) };
}

function configure(format: "jwt" | "opaque", policy: Readonly<Policy>): Configuration {
  const { clientId, clientSecret } = INTROSPECTING_CLIENT;
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
      },
      {
        client_id: KNOWN_CLIENT.clientId,
        application_type: "native",
        token_endpoint_auth_method: "none",
        redirect_uris: [KNOWN_CLIENT.redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    clientAuthMethods: ["none", "client_secret_basic"],
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    jwks: { keys: [{ ...createSigningKey().export({ format: "jwk" }), alg: "ES256", use: "sig", kid: "1" }] },
    scopes: ["openid", "offline_access", ...SCOPES],
    cookies: { keys: ["of this test alone"] },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    issueRefreshToken: () => policy.refreshes,
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 3600, Grant: 3600, Interaction: 600, RefreshToken: 3600 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPES.join(" "),
          audience: resource,
          accessTokenFormat: format,
          accessTokenTTL: policy.lifetime,
          ...(format === "jwt" && { jwt: { sign: { alg: "ES256" } } }),
        }),
      },
    },
  };
}

/** Logs the person in, or grants whatever the client asks for and the person consents to. */
async function interact(
  provider: Provider,
  person: AuthorizationServer["person"],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: person.account } });
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const accountId = session?.accountId ?? person.account;
  const grant = known ?? new provider.Grant({ accountId, clientId: String(params["client_id"]) });
  const consents = new Set(person.consents.split(" "));
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details as {
    readonly missingOIDCScope?: readonly string[];
    readonly missingResourceScopes?: { readonly [resource: string]: readonly string[] };
  };
  grant.addOIDCScope(missingOIDCScope.join(" "));
  for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
    grant.addResourceScope(resource, scopes.filter((scope) => consents.has(scope)).join(" "));
    grant.rejectResourceScope(resource, scopes.filter((scope) => !consents.has(scope)).join(" "));
  }
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

const close = (http: Server): Promise<void> =>
  new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
