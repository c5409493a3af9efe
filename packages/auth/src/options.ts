import type { Scope } from "@suite/core/http";

import { isSecure, toCanonicalUri } from "./addresses.ts";
import { createFetchJson, type FetchJson, type AuthFetch } from "./fetch-json.ts";

/** Asymmetric ones only: a key that verifies tokens cannot sign them. */
export type Algorithm = (typeof ALGORITHMS)[number];
const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"] as const;

/** What the authorization server calls each scope. */
export type ScopeNames = { readonly [S in Scope]: string };

/** What a server has to know to accept tokens. Everything but `issuer` and `resource` has a default. */
export interface AuthOptions {
  /** The authorization server whose tokens are accepted, spelled exactly as in its own metadata. */
  readonly issuer: string;
  /** The address of this server as its clients know it, path included. */
  readonly resource: string;
  /** What tokens for this server carry in `aud`, if that is not the resource. */
  readonly audience?: string;
  readonly algorithms?: readonly Algorithm[];
  /** Asks the authorization server about each token, instead of reading it as a JWT. */
  readonly introspection?: IntrospectionOptions;
  /** The authorization server's names for our scopes. */
  readonly scopeNames?: ScopeNames;
  /** How far clocks may differ. */
  readonly leewaySeconds?: number;
  /** Used to reach the authorization server; by default the platform's fetch. */
  readonly fetch?: AuthFetch;
  /** For each introspection, and for fetching keys together with their address. */
  readonly timeoutMs?: number;
  /** How long keys are used before they are fetched again. */
  readonly keysMaxAgeMs?: number;
  /** The least time between two fetches because of unknown keys. */
  readonly keysCooldownMs?: number;
  /** Called with the reason if tokens cannot be checked. Callers are not told the reason. */
  readonly onUnavailable?: (error: Error) => void;
}

/** How to ask the authorization server about a token (RFC 7662), and as which of its clients. */
export interface IntrospectionOptions {
  readonly endpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How long an answer is cached; a revoked token stays valid for as long. */
  readonly maxAgeMs?: number;
}

/** The options, validated and with defaults. */
export interface AuthSettings {
  readonly issuer: string;
  readonly resource: string;
  readonly audience: string;
  readonly algorithms: readonly Algorithm[];
  readonly introspection: Required<IntrospectionOptions> | undefined;
  readonly scopeNames: ScopeNames;
  readonly leewaySeconds: number;
  readonly fetchJson: FetchJson;
  readonly timeoutMs: number;
  readonly keysMaxAgeMs: number;
  readonly keysCooldownMs: number;
}

/** The options cannot work as they are: the message names the one to change. */
export class AuthOptionsError extends Error {
  override readonly name = "AuthOptionsError";
}

export const toScopeNames = (prefix: string): ScopeNames => ({
  read: `${prefix}read`,
  write: `${prefix}write`,
  admin: `${prefix}admin`,
});

export function parseSettings(options: AuthOptions): AuthSettings {
  const { issuer, introspection } = options;
  parseUrl("issuer", issuer);
  const resource = toCanonicalUri(parseUrl("resource", options.resource).href);
  return {
    issuer,
    resource,
    audience: parseText("audience", options.audience ?? resource),
    algorithms: parseAlgorithms(options.algorithms ?? ALGORITHMS),
    introspection: introspection && parseIntrospection(introspection),
    scopeNames: parseScopeNames(options.scopeNames ?? toScopeNames("mcp:")),
    leewaySeconds: parseAmount("leewaySeconds", options.leewaySeconds ?? 30, 300),
    fetchJson: createFetchJson(options.fetch),
    timeoutMs: parseAmount("timeoutMs", options.timeoutMs ?? 5000, 60_000),
    keysMaxAgeMs: parseAmount("keysMaxAgeMs", options.keysMaxAgeMs ?? 600_000, 86_400_000),
    keysCooldownMs: parseAmount("keysCooldownMs", options.keysCooldownMs ?? 10_000, 3_600_000),
  };
}

function parseIntrospection(options: IntrospectionOptions): Required<IntrospectionOptions> {
  return {
    endpoint: parseUrl("introspection.endpoint", options.endpoint).href,
    clientId: parseText("introspection.clientId", options.clientId),
    clientSecret: parseText("introspection.clientSecret", options.clientSecret),
    maxAgeMs: parseAmount("introspection.maxAgeMs", options.maxAgeMs ?? 30_000, 300_000),
  };
}

function parseUrl(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url) throw new AuthOptionsError(`${name} must be an absolute URL, such as https://example.com/mcp`);
  if (!isSecure(url)) throw new AuthOptionsError(`${name} must use https (http only for loopback addresses)`);
  if (url.username !== "" || url.password !== "" || /[?#]/.test(value)) {
    throw new AuthOptionsError(`${name} must have no credentials, query or fragment`);
  }
  return url;
}

function parseText(name: string, value: string): string {
  if (value.trim() === "") throw new AuthOptionsError(`${name} must not be empty`);
  return value;
}

function parseAmount(name: string, value: number, most: number): number {
  if (value >= 0 && value <= most) return value;
  throw new AuthOptionsError(`${name} must be a number from 0 to ${most}`);
}

function parseAlgorithms(algorithms: readonly Algorithm[]): readonly Algorithm[] {
  const isKnown = (name: Algorithm): boolean => ALGORITHMS.includes(name);
  if (algorithms.length > 0 && algorithms.every(isKnown)) return [...algorithms];
  throw new AuthOptionsError(`algorithms must be some of ${ALGORITHMS.join(", ")}`);
}

/** Names go into quoted header parameters, so only characters of scopes are allowed (RFC 6749, section 3.3). */
function parseScopeNames(names: ScopeNames): ScopeNames {
  const { read, write, admin } = names;
  if (![read, write, admin].every((name) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name))) {
    throw new AuthOptionsError("scopeNames must be visible ASCII without spaces, quotes and backslashes");
  }
  if (new Set([read, write, admin]).size < 3) throw new AuthOptionsError("scopeNames must differ");
  return { read, write, admin };
}
