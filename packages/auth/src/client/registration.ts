import { importPKCS8 } from "jose";
import {
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretPost,
  dynamicClientRegistrationRequest,
  None,
  PrivateKeyJwt,
  processDynamicClientRegistrationResponse,
} from "oauth4webapi";

import { isLoopback } from "@suite/core/http";

import { parseObject } from "../fetch-json.ts";
import { AuthorizationError, toAuthorizationError } from "./error.ts";
import type { ClientAuthorizationOptions, KnownClient, Registration } from "./options.ts";
import type { RequestOptions } from "./requests.ts";

type RegistrationOptions = Pick<
  ClientAuthorizationOptions,
  "client" | "clientMetadataUrl" | "clientName" | "grant"
>;

/**
 * What this authorization server knows the client as: as registered beforehand, by the address of its metadata, as saved, or as
 * registered now (client-registration).
 */
export async function findRegistration(
  as: AuthorizationServer,
  saved: Registration | undefined,
  options: RegistrationOptions,
  request: RequestOptions,
): Promise<Registration> {
  const { client, clientMetadataUrl, grant } = options;
  if (client) return { id: client.id };
  if (clientMetadataUrl !== undefined && as["client_id_metadata_document_supported"] === true) {
    return { id: clientMetadataUrl };
  }
  const redirectUrl = typeof grant === "object" && "redirectUrl" in grant ? grant.redirectUrl : undefined;
  // With another redirect address, it would be another client.
  if (saved && saved.redirectUrl === redirectUrl && !URL.canParse(saved.id)) return saved;
  if (redirectUrl !== undefined && as.registration_endpoint !== undefined) {
    return register(as, redirectUrl, options.clientName ?? "MCP client", request);
  }
  throw new AuthorizationError(
    `The authorization server ${as.issuer} registers no clients by itself, and this client has no id there`,
    "Register it by hand, and give the id (and the secret or key) as `client`.",
  );
}

async function register(
  as: AuthorizationServer,
  redirectUrl: string,
  name: string,
  request: RequestOptions,
): Promise<Registration> {
  const methods = as.token_endpoint_auth_methods_supported;
  const preferred = ["none", "client_secret_basic", "client_secret_post"].find((method) =>
    methods?.includes(method),
  );
  const asked = {
    client_name: name,
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: preferred ?? "none",
    // What an OpenID provider takes for a web application may not come back to this machine.
    application_type: isLoopback(new URL(redirectUrl).hostname) ? "native" : "web",
  };
  try {
    const response = await dynamicClientRegistrationRequest(as, asked, request);
    const known = await processDynamicClientRegistrationResponse(await withExpiry(response));
    const secret = known["client_secret"];
    const method = known.token_endpoint_auth_method ?? (methods?.includes("none") ? "none" : undefined);
    return {
      id: known.client_id,
      ...(typeof secret === "string" && { secret }),
      ...(typeof method === "string" && { method }),
      redirectUrl,
    };
  } catch (thrown) {
    throw toAuthorizationError(thrown, `Registering with ${as.issuer}`);
  }
}

/** Many servers leave out when a secret expires if it never does; the library insists (RFC 7591, section 3.2.1). */
async function withExpiry(response: Response): Promise<Response> {
  if (response.status !== 201) return response;
  const known = { client_secret_expires_at: 0, ...parseObject(await response.text()) };
  const { status, headers } = response;
  return new Response(JSON.stringify(known), { status, headers });
}

/** How the client shows who it is. */
export async function toClientAuth(
  as: AuthorizationServer,
  registration: Registration,
  known: KnownClient | undefined,
): Promise<ClientAuth> {
  if (known?.key) {
    const { pem, algorithm, id } = known.key;
    const key = await importPKCS8(pem, algorithm);
    return PrivateKeyJwt(id === undefined ? key : { key, kid: id });
  }
  const secret = known ? known.secret : registration.secret;
  if (secret === undefined || registration.method === "none") return None();
  const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const method =
    registration.method ?? (methods.includes("client_secret_basic") ? "client_secret_basic" : "");
  return method === "client_secret_basic" ? basic(secret) : ClientSecretPost(secret);
}

/** The library's own also escapes hyphens and dots, which is right, and refused by servers that do not decode. */
function basic(secret: string): ClientAuth {
  return (_as, { client_id: id }, _body, headers) => {
    const [encodedId, encodedSecret] = [id, secret].map((text) =>
      String(new URLSearchParams([["", text]])).slice(1),
    );
    headers.set("authorization", `Basic ${btoa(`${encodedId}:${encodedSecret}`)}`);
  };
}
