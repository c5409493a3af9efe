import { isObject, type Params, type RequestId } from "../jsonrpc/message.ts";
import { META_SUBSCRIPTION_ID } from "../model/meta.ts";
import type { RunCallback } from "./callbacks.ts";
import type { NotificationListener, Peer } from "./peer.ts";
import type { Requests } from "./requests.ts";

/** Ends with `close`, or with the connection. */
export interface Subscription {
  /** Resolves when the subscription has ended, on either side. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const CANCELLED = "notifications/cancelled";
const ACKNOWLEDGE_MS = 10_000;

/** Passes notifications on to all listeners. */
export class Listeners {
  readonly #listeners = new Set<NotificationListener>();
  readonly #call: RunCallback;

  constructor(call: RunCallback) {
    this.#call = call;
  }

  add(listener: NotificationListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(method: string, params: Params): void {
    for (const listener of this.#listeners) this.#call(() => listener(method, params));
  }
}

/** Opens a `subscriptions/listen` stream and resolves with it once the server has acknowledged what it honours. */
export function listen(
  peer: Peer,
  listeners: Listeners,
  toParams: () => Params,
  listener: NotificationListener,
): Promise<Subscription & { readonly honoured: Params }> {
  const controller = new AbortController();
  let subscriptionId: RequestId | undefined;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      controller.abort();
      reject(new Error("The server did not acknowledge the subscription"));
    }, ACKNOWLEDGE_MS);
    const stop = listeners.add((method, params) => {
      // A server that ends the stream may say so with this alone (cancellation).
      if (method === CANCELLED && subscriptionId !== undefined && params["requestId"] === subscriptionId)
        return peer.finish(subscriptionId);
      const meta = params["_meta"];
      if (!isObject(meta) || meta[META_SUBSCRIPTION_ID] !== subscriptionId) return undefined;
      if (method !== ACKNOWLEDGED) return listener(method, params);
      clearTimeout(timer);
      const honoured = isObject(params["notifications"]) ? params["notifications"] : {};
      const close = (): Promise<void> => (controller.abort(), closed);
      return resolve({ honoured, closed, close });
    });
    const open = peer.request(
      "subscriptions/listen",
      (id) => {
        subscriptionId = id;
        return toParams();
      },
      { timeoutMs: Number.POSITIVE_INFINITY, signal: controller.signal },
    );
    const end = (why: unknown): void => {
      clearTimeout(timer);
      stop();
      // No effect after the acknowledgment: then the stream has simply ended.
      reject(why);
    };
    const closed = open.then(() => end(new Error("The server has ended the subscription")), end);
  });
}

interface SharedSubscription {
  subscribers: number;
  readonly ready: Promise<unknown>;
}

/** Legacy subscriptions: the session subscribes to a resource once, however many listeners it has. */
export class LegacySubscriptions {
  readonly #requests: Requests;
  readonly #listeners: Listeners;
  readonly #over: Promise<void>;
  readonly #shared = new Map<string, SharedSubscription>();
  /** Resources being unsubscribed from: a new subscription has to wait for that. */
  readonly #leaving = new Map<string, Promise<unknown>>();

  /** `over` resolves when the connection has ended, and with it every subscription. */
  constructor(requests: Requests, listeners: Listeners, over: Promise<void>) {
    this.#requests = requests;
    this.#listeners = listeners;
    this.#over = over;
  }

  async subscribe(uri: string, listener: NotificationListener): Promise<Subscription> {
    const shared = this.#shared.get(uri) ?? this.#share(uri);
    shared.subscribers += 1;
    const remove = this.#listeners.add(listener);
    try {
      await shared.ready;
    } catch (thrown) {
      remove();
      throw thrown;
    }
    return toSubscription(this.#over, remove, async () => {
      shared.subscribers -= 1;
      if (shared.subscribers === 0) await this.#leave(uri);
    });
  }

  /** Repeats all subscriptions in a new session. Resources that the server no longer has stay silent from then on. */
  async renew(): Promise<void> {
    const uris = [...this.#shared.keys()];
    await Promise.allSettled(uris.map((uri) => this.#requests.send("resources/subscribe", { uri })));
    for (const uri of uris) this.#listeners.tell("notifications/resources/updated", { uri });
  }

  #share(uri: string): SharedSubscription {
    const send = (): Promise<unknown> => this.#requests.send("resources/subscribe", { uri });
    const leaving = this.#leaving.get(uri);
    const ready = leaving ? leaving.then(send, send) : send();
    const shared = { subscribers: 0, ready };
    this.#shared.set(uri, shared);
    ready.catch(() => this.#shared.delete(uri));
    return shared;
  }

  async #leave(uri: string): Promise<void> {
    this.#shared.delete(uri);
    const leaving = this.#requests.send("resources/unsubscribe", { uri });
    this.#leaving.set(uri, leaving);
    try {
      await leaving;
    } finally {
      this.#leaving.delete(uri);
    }
  }
}

export function toSubscription(
  over: Promise<void>,
  remove: () => void,
  release: () => Promise<void>,
): Subscription {
  let resolveClosed: () => void = () => undefined;
  let isOpen = true;
  const closed = new Promise<void>((resolve) => (resolveClosed = resolve));
  // Only once: releasing twice would end the subscription of another listener.
  const end = (): boolean => {
    const wasOpen = isOpen;
    isOpen = false;
    remove();
    resolveClosed();
    return wasOpen;
  };
  void over.then(end);
  return {
    closed,
    async close() {
      if (end()) await release();
    },
  };
}
