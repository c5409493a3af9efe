import { invalidParams, resourceNotFound, shorten } from "../jsonrpc/error.ts";
import type { Catalog } from "./catalog.ts";
import { findResource } from "./resources.ts";

interface WatchedResource {
  subscribers: number;
  /** Whether a watcher looks for its changes here, rather than the code that makes them announcing them. */
  readonly isLookedAt: boolean;
  readonly stop: (() => void) | void;
}

/** Starts a resource's watcher with its first subscriber of any connection, and stops it after the last. */
export class SubscriptionHub {
  readonly #catalog: Catalog;
  readonly #state: unknown;
  readonly #updated: (uri: string) => void;
  readonly #report: (thrown: unknown) => void;
  readonly #watched = new Map<string, WatchedResource>();

  constructor(
    catalog: Catalog,
    state: unknown,
    updated: (uri: string) => void,
    report: (thrown: unknown) => void,
  ) {
    this.#catalog = catalog;
    this.#state = state;
    this.#updated = updated;
    this.#report = report;
  }

  canSubscribe(uri: string): boolean {
    return findResource(this.#catalog, uri)?.entry.definition.subscribe !== undefined;
  }

  looksAt(uri: string): boolean {
    return this.#watched.get(uri)?.isLookedAt ?? false;
  }

  /** Throws if the resource cannot be subscribed to. Every call that returns needs one `release`. */
  acquire(uri: string): void {
    const watched = this.#watched.get(uri);
    if (watched) {
      watched.subscribers += 1;
      return;
    }
    const target = findResource(this.#catalog, uri);
    if (!target) throw resourceNotFound(uri);
    const { subscribe } = target.entry.definition;
    if (subscribe === undefined)
      throw invalidParams(`Resource cannot be subscribed to: ${shorten(uri)}`, { uri });
    const stop =
      subscribe === true ? undefined : subscribe(uri, () => this.#updated(uri), this.#state as never);
    this.#watched.set(uri, { subscribers: 1, isLookedAt: subscribe !== true, stop });
  }

  release(uri: string): void {
    const watched = this.#watched.get(uri);
    if (!watched) return;
    watched.subscribers -= 1;
    if (watched.subscribers > 0) return;
    this.#watched.delete(uri);
    // One watcher that fails to stop must not keep others from being stopped.
    try {
      watched.stop?.();
    } catch (thrown) {
      this.#report(thrown);
    }
  }
}
