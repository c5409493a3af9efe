import type { Params } from "../jsonrpc/message.ts";

/** The methods whose results servers may allow to keep, and the notifications after which they are old (caching). */
const KEPT: { readonly [method: string]: string } = {
  "tools/list": "notifications/tools/list_changed",
  "resources/list": "notifications/resources/list_changed",
  "resources/templates/list": "notifications/resources/list_changed",
  "prompts/list": "notifications/prompts/list_changed",
  "resources/read": "notifications/resources/updated",
};

/** In characters of JSON, all results together. */
const LARGEST = 8 * 1024 * 1024;

interface Kept {
  readonly method: string;
  readonly uri: unknown;
  readonly result: Params;
  readonly size: number;
  readonly until: number;
}

/** Results of one client, which nobody else sees: so `cacheScope` makes no difference. */
export class ResultCache {
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  find(method: string, params: Params): Params | undefined {
    const key = keyOf(method, params);
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    if (Date.now() < kept.until) return kept.result;
    this.#drop(key, kept);
    return undefined;
  }

  keep(method: string, params: Params, result: Params): void {
    const { ttlMs } = result;
    if (KEPT[method] === undefined || typeof ttlMs !== "number" || !(ttlMs > 0)) return;
    const key = keyOf(method, params);
    const size = key.length + JSON.stringify(result).length;
    const before = this.#kept.get(key);
    if (before) this.#drop(key, before);
    if (size > LARGEST) return;
    // The oldest leave first.
    for (const [old, kept] of this.#kept) {
      if (this.#size + size <= LARGEST) break;
      this.#drop(old, kept);
    }
    this.#kept.set(key, { method, uri: params["uri"], result, size, until: Date.now() + ttlMs });
    this.#size += size;
  }

  forget(method: string): void {
    for (const [key, kept] of this.#kept) if (kept.method === method) this.#drop(key, kept);
  }

  /** A notification of the server may say that something has changed. */
  hear(notification: string, { uri }: Params): void {
    for (const [key, kept] of this.#kept) {
      if (KEPT[kept.method] === notification && (uri === undefined || kept.uri === uri))
        this.#drop(key, kept);
    }
  }

  #drop(key: string, { size }: Kept): void {
    if (this.#kept.delete(key)) this.#size -= size;
  }
}

const keyOf = (method: string, params: Params): string => `${method} ${JSON.stringify(params)}`;
