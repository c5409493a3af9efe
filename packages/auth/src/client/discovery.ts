import {
  type AuthorizationServer,
  customFetch,
  processDiscoveryResponse,
  processResourceDiscoveryResponse,
  protectedResourceRequest,
  type ResourceServer,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";

import { metadataUrls } from "../discovery.ts";
import { parseObject } from "../fetch-json.ts";
import { metadataUrl } from "../resource-metadata.ts";
import { AuthorizationError } from "./error.ts";
import type { RequestOptions, Requests } from "./requests.ts";

/** What a server asks of its caller (RFC 6750, section 3; RFC 9728, section 5.1). */
export interface Challenge {
  readonly error?: string;
  readonly scope?: string;
  readonly resource_metadata?: string;
}

/** Where tokens for a server come from. */
export interface Source {
  readonly as: AuthorizationServer;
  /** What tokens are asked for. Servers of 2025-03-26, which have no metadata of their own, know no such thing. */
  readonly resource: string | undefined;
  /** The scopes for basic use. */
  readonly scopes: readonly string[] | undefined;
}

/** The library reads challenges only in answers to its own requests, so it is given the refusal as such. */
export async function readChallenge(refusal: Response): Promise<Challenge> {
  try {
    const answer = (): Promise<Response> => Promise.resolve(refusal);
    const anywhere = new URL("https://localhost");
    await protectedResourceRequest("none", "GET", anywhere, undefined, null, { [customFetch]: answer });
    return {};
  } catch (thrown) {
    if (!(thrown instanceof WWWAuthenticateChallengeError)) throw thrown;
    const known = thrown.cause.find(({ scheme }) => scheme === "bearer" || scheme === "dpop");
    return known?.parameters ?? {};
  }
}

/**
 * Finds the authorization server of an MCP server, anew after every refusal: it may have changed
 * (2026-07-28 client-registration#authorization-server-binding). `prefer` picks one of several.
 */
export async function discover(
  server: URL,
  challenge: Challenge,
  prefer: (issuers: readonly string[]) => string | undefined,
  requests: Requests,
  options: RequestOptions,
): Promise<Source> {
  const metadata = await findResource(server, challenge.resource_metadata, requests, options);
  if (!metadata) {
    // A client that is known elsewhere does not show the server its secret because metadata is missing.
    prefer([server.origin]);
    return { as: await findOldServer(server, requests, options), resource: undefined, scopes: undefined };
  }
  const { authorization_servers: issuers = [], scopes_supported: scopes } = metadata;
  const issuer = prefer(issuers);
  if (issuer === undefined) {
    throw new AuthorizationError(
      `The metadata of ${server.href} names no authorization server`,
      "Ask those who run the MCP server to add authorization_servers to its metadata (RFC 9728).",
    );
  }
  const as = await findServer(issuer, requests, options);
  if (!as) {
    // No guess: whoever can hide metadata could choose what is guessed instead.
    throw new AuthorizationError(
      `The authorization server ${issuer} has no metadata`,
      "Ask those who run it to publish its metadata (RFC 8414 or OpenID Connect Discovery).",
    );
  }
  return { as, resource: metadata.resource, scopes };
}

async function findResource(
  server: URL,
  named: string | undefined,
  requests: Requests,
  options: RequestOptions,
): Promise<ResourceServer | undefined> {
  const places = new Set([metadataUrl(server.href), metadataUrl(server.origin)]);
  for (const place of named === undefined ? places : [named]) {
    const response = await requests.get(place, "The address of the MCP server's metadata", options);
    if (isAbsent(response)) continue;
    if (response.status !== 200) throw new Error(`${place} was answered with HTTP status ${response.status}`);
    const { resource } = parseObject(await response.clone().text());
    if (typeof resource !== "string" || !URL.canParse(resource) || !covers(new URL(resource), server)) {
      throw new AuthorizationError(
        `${place} describes another server than ${server.href}, so no token was asked for`,
        "Use the address that the metadata names, if you trust it; a token for it would not be for this server.",
      );
    }
    return processResourceDiscoveryResponse(new URL(resource), response);
  }
  if (named === undefined) return undefined;
  throw new AuthorizationError(
    `There is no metadata at ${named}, where ${server.href} says it is`,
    "Ask those who run the MCP server to publish it (RFC 9728).",
  );
}

/** Whether a resource is the server or, on the same origin, what the server is a part of. */
function covers(resource: URL, server: URL): boolean {
  const path = resource.pathname.replace(/\/$/, "");
  return (
    resource.origin === server.origin &&
    (server.pathname === resource.pathname ||
      server.pathname === path ||
      server.pathname.startsWith(`${path}/`))
  );
}

/** Undefined if there is nothing at any of the places for metadata. */
async function findServer(
  issuer: string,
  requests: Requests,
  options: RequestOptions,
): Promise<AuthorizationServer | undefined> {
  requests.admit(issuer, "The authorization server");
  for (const place of metadataUrls(issuer)) {
    const response = await requests.get(place, "The address of the authorization server's metadata", options);
    if (isAbsent(response)) continue;
    const as = await processDiscoveryResponse(new URL(issuer), response);
    // The library also takes what means the same address; the specification does not.
    if (as.issuer !== issuer) {
      throw new AuthorizationError(
        `${place} describes another issuer than ${issuer}, so it was not used`,
        "Ask those who run the MCP server to name the issuer exactly as it names itself.",
      );
    }
    return checkPkce(as);
  }
  return undefined;
}

/** Without this in the metadata, the code of a login could be stolen (security-considerations#authorization-code-protection). */
function checkPkce(as: AuthorizationServer): AuthorizationServer {
  const methods = as.code_challenge_methods_supported;
  if (as.authorization_endpoint === undefined || methods?.includes("S256") === true) return as;
  throw new AuthorizationError(
    `The authorization server ${as.issuer} does not say that it supports PKCE with S256, so nobody was sent there`,
    "Ask those who run it to list S256 in code_challenge_methods_supported.",
  );
}

/** In 2025-03-26, the MCP server is its own authorization server, at fixed paths if it says nothing else. */
async function findOldServer(
  { origin }: URL,
  requests: Requests,
  options: RequestOptions,
): Promise<AuthorizationServer> {
  const as = await findServer(origin, requests, options);
  return (
    as ?? {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
    }
  );
}

/** Pages for people, where an address has no document, count as absent. Everything else that is no document is an error. */
function isAbsent({ status, headers }: Response): boolean {
  const isPage = headers.get("content-type")?.startsWith("text/html") === true;
  return (status >= 400 && status < 500) || (status === 200 && isPage);
}
