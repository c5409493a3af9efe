import { invalidParams } from "../jsonrpc/error.ts";
import type { SubscriptionHub } from "../features/subscription-hub.ts";
import type { ServerRuntime } from "./server-runtime.ts";

/** How subscriptions are admitted again, and what becomes of each. */
export interface Readmission {
  /** Rejects if the client may not subscribe to this resource any more. */
  readonly admit: (uri: string) => Promise<unknown>;
  /** The subscription continues, and its resource changed meanwhile. */
  readonly changed: (uri: string) => void;
  readonly ended: (uri: string, why: unknown) => void;
}

/** What a legacy client is subscribed to. */
export class Subscriptions {
  readonly #uris = new Set<string>();
  readonly #hub: SubscriptionHub;
  readonly #most: number;
  /** Subscriptions that have to be admitted again, and whether their resources have changed since. */
  readonly #doubted = new Map<string, boolean>();
  #doubts = 0;
  #isReadmitting = false;

  constructor({ hub, limits }: ServerRuntime) {
    this.#hub = hub;
    this.#most = limits.subscriptions;
  }

  get uris(): ReadonlySet<string> {
    return this.#uris;
  }

  add(uri: string): void {
    if (this.#uris.has(uri)) return;
    if (this.#uris.size >= this.#most) {
      throw invalidParams(`At most ${this.#most} resources can be subscribed to at once`);
    }
    this.#hub.acquire(uri);
    this.#uris.add(uri);
  }

  remove(uri: string): void {
    this.#doubted.delete(uri);
    if (this.#uris.delete(uri)) this.#hub.release(uri);
  }

  clear(): void {
    for (const uri of this.#uris) this.remove(uri);
  }

  /** Whether to notify the client of this change now. The changes of a doubted subscription wait. */
  notifies(uri: string): boolean {
    if (!this.#doubted.has(uri)) return this.#uris.has(uri);
    this.#doubted.set(uri, true);
    return false;
  }

  /** Holds notifications back until each subscription is admitted again, one by one; starts over if called meanwhile. */
  async readmit(readmission: Readmission): Promise<void> {
    for (const uri of this.#uris) this.#doubted.set(uri, this.#doubted.get(uri) ?? false);
    this.#doubts += 1;
    if (this.#isReadmitting) return;
    this.#isReadmitting = true;
    for (let [uri] = this.#doubted.keys(); uri !== undefined; [uri] = this.#doubted.keys()) {
      await this.#readmitOne(uri, readmission);
    }
    this.#isReadmitting = false;
  }

  async #readmitOne(uri: string, { admit, changed, ended }: Readmission): Promise<void> {
    const doubts = this.#doubts;
    const refusal = await admit(uri).then(
      () => undefined,
      (why: unknown) => ({ why }),
    );
    const hasChanged = this.#doubted.get(uri);
    if (hasChanged === undefined || doubts !== this.#doubts) return;
    this.#doubted.delete(uri);
    if (refusal) {
      this.remove(uri);
      ended(uri, refusal.why);
    } else if (hasChanged) changed(uri);
  }
}
