import { invalidParams } from "../jsonrpc/error.ts";
import { isObject, type Params } from "../jsonrpc/message.ts";
import { stringify } from "../jsonrpc/stringify.ts";
import { fromBase64Url, toBase64Url } from "../values/base64.ts";

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** What a request remembers from round to round, by question key. */
export interface ReplayMemory {
  readonly answers: { readonly [key: string]: Answered };
  /** Digests of the questions that await an answer. */
  readonly asked: { readonly [key: string]: string };
}

interface SealedMemory extends ReplayMemory {
  readonly expires: number;
}

/** Only what this server sealed can be opened, so the other members need no check. */
const isSealedMemory = (opened: unknown): opened is SealedMemory =>
  isObject(opened) && typeof opened["expires"] === "number";

/** An answer, and the digest of the question it was given to: it does not answer any other. */
export interface Answered {
  readonly digest: string;
  readonly answer: unknown;
}

const LIFETIME_MS = 15 * 60_000;
const LONGEST_STATE = 4 * 1024 * 1024;

/**
 * Seals the answers so far into the opaque `requestState` that the client carries from round to round: encrypted and
 * authenticated (AES-256-GCM), bound to method, parameters and caller, and short-lived (mrtr#server-requirements).
 * Web Crypto, so that it works wherever the core does; touched with the first question only, since loading it is slow.
 */
export class RequestStateSeal {
  readonly #audience: string;
  readonly #secret: Uint8Array | undefined;
  #key: Promise<CryptoKey> | undefined;

  /**
   * Processes that share a secret can continue each other's requests, if they are the same server (`audience`); without a
   * secret, each process has its own.
   */
  constructor(audience: string, secret?: Uint8Array) {
    this.#audience = audience;
    this.#secret = secret;
  }

  async seal(memory: ReplayMemory, binding: string, now: number = Date.now()): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = stringify(() => ({ expires: now + LIFETIME_MS, ...memory }));
    // In UTF-8 the text may be three times as long as in characters, and base64 adds another third.
    if (text.length > LONGEST_STATE / 4)
      throw invalidParams("The answers are too large to be kept between rounds");
    const plain = new TextEncoder().encode(text);
    const sealed = await crypto.subtle.encrypt(this.#algorithm(iv, binding), await this.#cryptoKey(), plain);
    return toBase64Url(iv) + toBase64Url(new Uint8Array(sealed));
  }

  async open(state: string, binding: string, now: number = Date.now()): Promise<ReplayMemory> {
    const opened = state.length <= LONGEST_STATE ? await this.#decrypt(state, binding) : undefined;
    // One message for every cause, so that forgers learn nothing from it.
    const refused = invalidParams(
      "requestState is not valid for this request, or has expired: start again without it",
    );
    if (!isSealedMemory(opened) || opened.expires < now) throw refused;
    const { answers, asked } = opened;
    return { answers, asked };
  }

  async #decrypt(state: string, binding: string): Promise<unknown> {
    try {
      const iv = fromBase64Url(state.slice(0, 16));
      const sealed = fromBase64Url(state.slice(16));
      const plain = await crypto.subtle.decrypt(
        this.#algorithm(iv, binding),
        await this.#cryptoKey(),
        sealed,
      );
      return JSON.parse(new TextDecoder().decode(plain));
    } catch {
      return undefined;
    }
  }

  #algorithm(iv: Uint8Array<ArrayBuffer>, binding: string) {
    return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(`${this.#audience}\n${binding}`) };
  }

  /** Hashed, so that a secret of any length makes a key of the right one. */
  #cryptoKey(): Promise<CryptoKey> {
    return (this.#key ??= crypto.subtle
      .digest("SHA-256", Uint8Array.from(this.#secret ?? crypto.getRandomValues(new Uint8Array(32))))
      .then((digest) => crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"])));
  }
}

/** Everything that makes a request this request: a state presented on any other is refused. */
export function toBinding(method: string, params: Params, principal: string | undefined): string {
  const { _meta, inputResponses, requestState, ...salient } = params;
  return stringify(() => [method, canonical(salient), principal ?? null]);
}

/** A hash of the question. */
export async function toDigest(question: Params): Promise<string> {
  const bytes = new TextEncoder().encode(stringify(() => canonical(question)));
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Member order does not change a request, so it must not change its binding. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, canonical(value[key])]));
}
