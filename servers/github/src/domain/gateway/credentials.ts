import { Fault, toAbortFault } from "@suite/server-kit/domain";

import { toFields } from "../answers/projection.ts";
import { Unsent } from "./explain.ts";
import type { OctokitFetch } from "./octokit-fetch.ts";
import { createOctokit } from "./octokit.ts";

export interface AppCredentials {
  readonly appId: string;
  readonly installationId: number;
  readonly privateKey: string;
}

export interface CredentialSettings {
  readonly token?: string | undefined;
  /** By owner, in lowercase. */
  readonly ownerTokens: ReadonlyMap<string, string>;
  readonly app?: AppCredentials | undefined;
}

type AppAuth = (options: { readonly type: "installation" }) => Promise<{ readonly token: string }>;

const HIDDEN = "[hidden]";
/** Not a call's own timeout: all calls wait for the same token request. */
const TOKEN_MS = 15_000;

/** Holds the tokens, chooses the one for a request, and removes them from responses. */
export class Credentials {
  readonly #settings: CredentialSettings;
  readonly #secrets: Set<string>;
  #appAuth: Promise<AppAuth> | undefined;

  constructor(settings: CredentialSettings) {
    this.#settings = settings;
    this.#secrets = new Set(
      [settings.token, ...settings.ownerTokens.values(), settings.app?.privateKey].flatMap(
        (secret) => secret || [],
      ),
    );
  }

  get isAnonymous(): boolean {
    return this.#secrets.size === 0;
  }

  /** Classic tokens tell their scopes with every answer; others do not. */
  get kind(): "anonymous" | "app" | "classic" | "fine-grained" | "other" {
    const { token, app } = this.#settings;
    if (token === undefined && app !== undefined) return "app";
    const used = token ?? this.#unowned;
    if (used === undefined) return "anonymous";
    if (used.startsWith("ghp_") || /^[\da-f]{40}$/.test(used)) return "classic";
    return used.startsWith("github_pat_") ? "fine-grained" : "other";
  }

  get hasOwnerTokens(): boolean {
    return this.#settings.ownerTokens.size > 0;
  }

  /** Where only single owners have tokens: the first of them, for requests that name no owner. */
  get #unowned(): string | undefined {
    const { token, ownerTokens, app } = this.#settings;
    return token === undefined && app === undefined ? ownerTokens.values().next().value : undefined;
  }

  hasOwnToken(owner: string | undefined): boolean {
    return owner !== undefined && this.#settings.ownerTokens.has(owner.toLowerCase());
  }

  /** `ask` sends the App's request for a token. `signal` ends only this caller's wait for it. */
  async tokenFor(
    owner: string | undefined,
    baseUrl: string,
    ask: OctokitFetch,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const { token, ownerTokens, app } = this.#settings;
    const own = owner === undefined ? this.#unowned : ownerTokens.get(owner.toLowerCase());
    if (own !== undefined || token !== undefined || app === undefined) return own ?? token;
    this.#appAuth ??= createAuth(app, baseUrl, ask);
    const auth = await this.#appAuth;
    const installation = await untilAborted(auth({ type: "installation" }).catch(refuseApp), signal);
    if (!installation.token) {
      // Octokit would cache the empty token for an hour.
      this.#appAuth = undefined;
      throw new Unsent("unavailable", "The token endpoint did not respond like GitHub's API.");
    }
    this.#secrets.add(installation.token);
    return installation.token;
  }

  /** Responses might quote a token. */
  hide(text: string): string {
    let hidden = text;
    for (const secret of this.#secrets)
      if (hidden.includes(secret)) hidden = hidden.replaceAll(secret, HIDDEN);
    return hidden;
  }

  hideBytes(bytes: Uint8Array): Uint8Array {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isClean = [...this.#secrets].every((secret) => !buffer.includes(secret));
    return isClean ? bytes : Buffer.from(this.hide(buffer.toString("latin1")), "latin1");
  }
}

function refuseApp(thrown: unknown): never {
  const { status, cause } = toFields(thrown);
  if (typeof status !== "number") {
    throw new Unsent("permission_denied", "The private key of the GitHub App cannot be used.", {
      hint: "The operator has to set GITHUB_APP_PRIVATE_KEY to the complete private key file from GitHub.",
      cause: thrown,
    });
  }
  const words = "The App got no token from GitHub";
  if (cause instanceof Fault) {
    const { code, message, retryable } = cause;
    throw new Unsent(code, `${words}: ${message}`, { retryable, cause: thrown });
  }
  if (![401, 403, 404].includes(status)) {
    throw new Unsent("unavailable", `${words} (${status}).`, { retryAfterMs: 1000, cause: thrown });
  }
  throw new Unsent("permission_denied", `${words} (${status}).`, {
    hint: "The operator has to check the App's id, its private key and the id of its installation.",
    cause: thrown,
  });
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      const { code, message } = toAbortFault(signal);
      reject(new Unsent(code, message));
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", stop));
}

async function createAuth(app: AppCredentials, baseUrl: string, ask: OctokitFetch): Promise<AppAuth> {
  const { createAppAuth } = await import("@octokit/auth-app");
  const { request } = await createOctokit(baseUrl, (url, init) =>
    ask(url, { ...init, signal: AbortSignal.timeout(TOKEN_MS) }),
  );
  return createAppAuth({ ...app, request });
}
