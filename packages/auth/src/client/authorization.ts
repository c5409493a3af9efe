import type { ClientAuthorization } from "@suite/core/client";
import {
  customFetch,
  DPoP,
  type DPoPHandle,
  isDPoPNonceError,
  protectedResourceRequest,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";

import { isSecure } from "../addresses.ts";
import type { Fetch } from "../fetch-json.ts";
import { type Challenge, discover, readChallenge, type Source } from "./discovery.ts";
import { AuthorizationError, toAuthorizationError, toPlain } from "./error.ts";
import { type Asking, logIn, refresh, useAssertion, useOwnCredentials } from "./grants.ts";
import type { ClientAuthorizationOptions, LoginStore, SavedLogin, Tokens } from "./options.ts";
import { findRegistration, toClientAuth } from "./registration.ts";
import { ADMITTED, Requests } from "./requests.ts";
import { chooseScope, covers, join } from "./scopes.ts";
import { Shared } from "./shared.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_LOGIN_TIMEOUT_MS = 300_000;
/** How often the same scopes are asked for after they were not granted. */
const MOST_STEP_UPS = 2;

/** OAuth for one MCP server: gets tokens when the server refuses a request, and puts them into the next. */
export function createClientAuthorization(options: ClientAuthorizationOptions): ClientAuthorization {
  return new OAuthAuthorization(options);
}

class OAuthAuthorization implements ClientAuthorization {
  readonly #server: URL;
  readonly #options: ClientAuthorizationOptions;
  readonly #requests: Requests;
  readonly #store: LoginStore;
  readonly #dpop: DPoPHandle | undefined;
  readonly #renewals: Shared;
  #loading: Promise<void> | undefined;
  #login: SavedLogin | undefined;
  /** A token that the server has not accepted yet. */
  #unproven: string | undefined;
  readonly #sentWith = new WeakMap<Response, string>();
  readonly #stepUps = new Map<string, number>();

  constructor(options: ClientAuthorizationOptions) {
    const { server, timeoutMs = DEFAULT_TIMEOUT_MS, dpop, store, grant } = options;
    this.#server = parseAddress("server", server);
    if (typeof grant === "object" && "redirectUrl" in grant) parseAddress("redirectUrl", grant.redirectUrl);
    this.#options = options;
    this.#requests = new Requests(this.#server, options.fetch, timeoutMs);
    this.#store = store ?? { load: () => undefined, save: () => undefined };
    this.#dpop = dpop && DPoP({}, dpop);
    this.#renewals = new Shared(options.loginTimeoutMs ?? DEFAULT_LOGIN_TIMEOUT_MS);
  }

  async send(url: string, init: RequestInit, request: Fetch): Promise<Response> {
    await this.#load();
    const tokens = this.#login?.tokens;
    // A token is for one server, wherever a request was redirected to.
    if (!tokens || new URL(url).origin !== this.#server.origin) return request(url, init);
    const response = await this.#sendWith(tokens, url, init, request);
    this.#sentWith.set(response, tokens.access);
    if (response.status !== 401 && tokens.access === this.#unproven) this.#unproven = undefined;
    return response;
  }

  async renew(refusal: Response, init: RequestInit): Promise<boolean> {
    const challenge = await readChallenge(refusal);
    const isForbidden = refusal.status === 403;
    if (isForbidden && challenge.error !== "insufficient_scope") return false;
    await this.#load();
    // Meanwhile, another request may have got what this one was refused for.
    if (this.#sentWith.get(refusal) !== this.#login?.tokens?.access) return true;
    const revision = new Headers(init.headers).get("mcp-protocol-version") ?? undefined;
    return this.#renewals.run(
      (signal) =>
        isForbidden ? this.#stepUp(challenge, signal, revision) : this.#enter(challenge, signal, revision),
      init.signal ?? undefined,
    );
  }

  #load(): Promise<void> {
    this.#loading ??= (async () => {
      const login = await this.#store.load(this.#server.href);
      const { client } = this.#options;
      // What was saved for another client is not this one's to use.
      if (!client || login?.client.id === client.id) this.#login = login;
    })();
    return this.#loading;
  }

  async #save(login: SavedLogin): Promise<void> {
    this.#login = login;
    await this.#store.save(this.#server.href, login);
  }

  /** The library adds the token, and with DPoP the proof; what it takes for an error is an answer to us. */
  async #sendWith(
    { access, type }: Tokens,
    url: string,
    init: RequestInit,
    request: Fetch,
    mayRepeat = true,
  ): Promise<Response> {
    const { method = "GET", headers, body, signal } = init;
    try {
      return await protectedResourceRequest(
        access,
        method,
        new URL(url),
        new Headers(headers),
        body as string | null | undefined,
        {
          ...(type === "dpop" && this.#dpop && { DPoP: this.#dpop }),
          ...(signal && { signal }),
          ...ADMITTED,
          [customFetch]: (address, sent) => request(address, { ...init, ...sent } as RequestInit),
        },
      );
    } catch (thrown) {
      if (!(thrown instanceof WWWAuthenticateChallengeError)) throw thrown;
      if (!mayRepeat || !isDPoPNonceError(thrown)) return thrown.response;
      await thrown.response.body?.cancel();
      return this.#sendWith({ access, type }, url, init, request, false);
    }
  }

  /** After a 401: the refresh token if there is one, or all from the start. */
  async #enter(challenge: Challenge, signal: AbortSignal, revision: string | undefined): Promise<boolean> {
    const refused = this.#login?.tokens;
    if (refused && refused.access === this.#unproven) {
      throw new AuthorizationError(
        `${this.#server.href} refuses the token that ${this.#login?.issuer} has just issued for it`,
        "Ask those who run the MCP server which authorization server and which audience it accepts.",
      );
    }
    const source = await this.#discover(challenge, signal, revision);
    // Of another authorization server, or for another resource: not to be shown to this one.
    const isOurs = this.#login?.issuer === source.as.issuer && this.#login.resource === source.resource;
    const login = isOurs ? this.#login : undefined;
    const scope = join(login?.scope, chooseScope(challenge, source, this.#options.grant));
    return this.#obtain(source, login, scope, signal, revision);
  }

  /** After a 403: all scopes so far, and those that were missing (authorization#step-up-authorization-flow). */
  async #stepUp(challenge: Challenge, signal: AbortSignal, revision: string | undefined): Promise<boolean> {
    const login = this.#login;
    const { scope = "" } = challenge;
    const granted = login?.tokens?.scope ?? login?.scope;
    const attempts = this.#stepUps.get(scope) ?? 0;
    // More of the same would be refused as well.
    if (covers(granted, scope) || attempts >= MOST_STEP_UPS) {
      throw new AuthorizationError(
        `${this.#server.href} wants the scope "${toPlain(scope) ?? ""}", and ${
          attempts > 0 ? "it was not granted" : "refuses a token that has it"
        }`,
        "Ask those who run the authorization server for more rights, or do without this call.",
      );
    }
    this.#stepUps.set(scope, attempts + 1);
    const source = await this.#discover(challenge, signal, revision);
    if (login?.issuer !== source.as.issuer) return this.#enter(challenge, signal, revision);
    const { tokens: _, ...rest } = login;
    return this.#obtain(source, rest, join(login.scope, scope), signal, revision);
  }

  async #discover(challenge: Challenge, signal: AbortSignal, revision: string | undefined): Promise<Source> {
    const known = this.#options.client?.issuer ?? (this.#options.client && this.#login?.issuer);
    const prefer = (issuers: readonly string[]): string | undefined => {
      if (known !== undefined && !issuers.includes(known)) {
        throw new AuthorizationError(
          `${this.#server.href} now names other authorization servers than ${known}, where this client is registered`,
          "If you trust the change, register the client there and give its new id.",
        );
      }
      return known ?? issuers.find((issuer) => issuer === this.#login?.issuer) ?? issuers[0];
    };
    try {
      return await discover(
        this.#server,
        challenge,
        prefer,
        this.#requests,
        this.#requests.options(signal, revision),
      );
    } catch (thrown) {
      throw toAuthorizationError(thrown, `Finding the authorization server of ${this.#server.href}`);
    }
  }

  async #obtain(
    source: Source,
    login: SavedLogin | undefined,
    scope: string | undefined,
    signal: AbortSignal,
    revision: string | undefined,
  ): Promise<boolean> {
    const { as, resource } = source;
    const options = this.#requests.options(signal, revision);
    const registration = await findRegistration(as, login?.client, this.#options, options);
    const asking: Asking = {
      as,
      client: { client_id: registration.id },
      auth: await toClientAuth(as, registration, this.#options.client),
      resource,
      scope,
      dpop: as.dpop_signing_alg_values_supported ? this.#dpop : undefined,
      requests: this.#requests,
      options,
    };
    const tokens = (await this.#refresh(asking, login?.tokens?.refresh)) ?? (await this.#askFor(asking));
    this.#unproven = tokens.access;
    await this.#save({
      issuer: as.issuer,
      ...(resource !== undefined && { resource }),
      client: registration,
      ...(scope !== undefined && { scope }),
      tokens,
    });
    return true;
  }

  /** Undefined if there is no refresh token, or not one that is still good. */
  async #refresh(asking: Asking, token: string | undefined): Promise<Tokens | undefined> {
    if (token === undefined) return undefined;
    try {
      return await refresh(asking, token);
    } catch (thrown) {
      if (thrown instanceof ResponseBodyError) return undefined;
      throw toAuthorizationError(thrown, `Renewing a token of ${asking.as.issuer}`);
    }
  }

  async #askFor(asking: Asking): Promise<Tokens> {
    const { grant } = this.#options;
    try {
      if (grant === "client_credentials") return await useOwnCredentials(asking);
      return await ("assertion" in grant ? useAssertion(asking, grant) : logIn(asking, grant));
    } catch (thrown) {
      throw toAuthorizationError(thrown, `Getting a token from ${asking.as.issuer}`);
    }
  }
}

function parseAddress(name: string, address: string | URL): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined;
  if (url && isSecure(url)) return url;
  throw new TypeError(`${name} must be an https address (http only for this machine)`);
}
