import type { webcrypto } from "node:crypto";

import type { Fetch } from "../fetch-json.ts";

/** How a client gets tokens for one MCP server, and keeps them. */
export interface ClientAuthorizationOptions {
  /** The MCP server's address. Tokens go to its origin and nowhere else. */
  readonly server: string | URL;
  /** A person logs in; or the client acts for itself, with its own credentials or with an assertion from elsewhere. */
  readonly grant: Login | "client_credentials" | Assertion;
  /** A registration that was made beforehand. */
  readonly client?: KnownClient;
  /** Where this client publishes its metadata: its id at servers that support that. */
  readonly clientMetadataUrl?: string;
  /** What people are shown when the client registers itself. */
  readonly clientName?: string;
  /** Where registrations and tokens are kept; by default in memory. */
  readonly store?: LoginStore;
  /** Binds tokens to this key, where the authorization server can (RFC 9449). Keep it as long as the tokens. */
  readonly dpop?: webcrypto.CryptoKeyPair;
  /** Used instead of the platform's `fetch` to reach authorization servers. */
  readonly fetch?: Fetch;
  /** For each request to an authorization server: 10 seconds if left out. */
  readonly timeoutMs?: number;
  /** For everything from a refusal to a token, the person included: 5 minutes if left out. */
  readonly loginTimeoutMs?: number;
}

/** The way to a person and back. */
export interface Login {
  /** Where the person comes back to: registered with the authorization server, on https or this machine. */
  readonly redirectUrl: string;
  /** Sends the person to the address, and resolves with the one that they came back to. */
  readonly visit: (address: URL, signal: AbortSignal) => Promise<URL>;
}

/** A statement from elsewhere about who the client is or acts for (RFC 7523): workload identity, enterprise login. */
export interface Assertion {
  readonly assertion: (target: AssertionTarget) => string | Promise<string>;
}

export interface AssertionTarget {
  /** The authorization server that the assertion will be shown to. */
  readonly issuer: string;
  readonly resource: string;
  readonly scope: string | undefined;
  readonly signal: AbortSignal;
}

export interface KnownClient {
  readonly id: string;
  /** The authorization server that knows it. Without this, it is the first that the MCP server names. */
  readonly issuer?: string;
  readonly secret?: string;
  /** Instead of a secret. */
  readonly key?: ClientKey;
}

export interface ClientKey {
  /** PKCS #8 in PEM. */
  readonly pem: string;
  /** Such as ES256. */
  readonly algorithm: string;
  readonly id?: string;
}

/** Keeps one entry for each server. What it gets is JSON, and secret. */
export interface LoginStore {
  load(server: string): SavedLogin | undefined | Promise<SavedLogin | undefined>;
  save(server: string, login: SavedLogin): void | Promise<void>;
}

/** Bound together: tokens are used only with this issuer, for this resource, by this client. */
export interface SavedLogin {
  readonly issuer: string;
  readonly resource?: string;
  readonly client: Registration;
  /** All scopes that were ever asked for. */
  readonly scope?: string;
  readonly tokens?: Tokens;
}

/** What an authorization server knows the client as. */
export interface Registration {
  readonly id: string;
  /** Only of clients that registered themselves. */
  readonly secret?: string;
  readonly method?: string;
  readonly redirectUrl?: string;
}

export interface Tokens {
  readonly access: string;
  readonly refresh?: string;
  /** `bearer` or `dpop`. */
  readonly type: string;
  /** What was granted, if the authorization server said so. */
  readonly scope?: string;
}
