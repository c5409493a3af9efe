import { StoreUnavailable } from "@suite/core";
import {
  type ActiveRequest,
  calledTool,
  type Change,
  type ChangeReceiver,
  type Changes,
  type Connection,
  inBackground,
  isDoneWithin,
  isObject,
  parseJson,
} from "@suite/core/replicas";

import type { Store } from "./store.ts";

/** A message about a session or a task that another replica may hold. The replica `from` has already acted on it. */
export interface ReplicaMessage {
  readonly kind: "session" | "order";
  readonly id: string;
  readonly from: string;
  readonly message: unknown;
}

/** Something that other replicas, or their clients, have to know. */
export type ReplicaEvent = Change | ReplicaMessage;

export interface PlacedEvent {
  readonly position: number;
  /** Undefined if it cannot be read. */
  readonly event: ReplicaEvent | undefined;
}

/** A gap: this replica missed events that the log no longer has. */
type MessageListener = (message: ReplicaMessage | { readonly kind: "gap" }) => void;

const LOG = "changes";
/** After a longer absence, clients look at everything again anyway. `keepsCount`: sessions remember positions. */
const LIMITS = {
  most: 10_000,
  mostCharacters: 32 * 1024 * 1024,
  ttlMs: 24 * 60 * 60_000,
  keepsCount: true,
};
const RETRY_MS = 300;
/** A store that can be reached answers sooner. */
const READY_MS = 1000;
/** Long enough for the thousands of changes that may wait after an outage. */
const WRITING_MS = 3000;

/**
 * The changes of a server, and messages between its replicas, in one order for all. Each replica follows it, and any of them
 * can tell a client that reconnects what it missed.
 */
export class ChangeLog implements Changes {
  /** The position of the event that is being passed on just now. */
  position: number | undefined;
  #seen = 0;
  readonly #store: Store;
  #server: ChangeReceiver | undefined;
  readonly #listeners = new Set<MessageListener>();
  /** Changes that are not in the log yet, by their JSON: each waits only once. */
  readonly #waiting = new Map<string, Change>();
  /** Writes what was waiting when it began. */
  #attempt: Promise<void> | undefined;
  #isStoreDown = false;
  /** Resolves once this replica follows the log. Undefined from then on. */
  #beginning: Promise<void> | undefined;
  #stop: (() => void) | undefined;
  #isClosed = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The position of the latest event passed on here. */
  get seen(): number {
    return this.#seen;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Follows the log from its current end. */
  start(server: ChangeReceiver): void {
    this.#server = server;
    this.#beginning = new Promise((resolve) => void this.#begin(resolve));
  }

  /** For messages between replicas. */
  on(listener: MessageListener): void {
    this.#listeners.add(listener);
  }

  /** Changes are retried until they are written, in order. */
  announce(change: Change): void {
    this.#waiting.set(JSON.stringify(change), change);
    // The log itself keeps no more than this.
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > LIMITS.most && oldest !== undefined) this.#waiting.delete(oldest);
    this.#writeDown();
  }

  /**
   * Resolves once every announced change is written, the store turns out to be unavailable, or time is up. Only tools do more
   * than read. Changes announced by methods of the server cannot be attributed to a call, so every such tool counts.
   */
  stored({ request, hasNotified }: ActiveRequest): Promise<void> | undefined {
    const { catalog } = this.#server ?? {};
    const mayChange =
      catalog && request.method === "tools/call" && calledTool(request, catalog)?.effects !== "read";
    return hasNotified || mayChange ? this.#written() : undefined;
  }

  /** Resolves with the position in the log; rejects if the event cannot be written. */
  async publish(event: ReplicaEvent): Promise<number> {
    return this.#store.append(LOG, JSON.stringify(event), LIMITS);
  }

  async readAfter(position: number): Promise<readonly PlacedEvent[]> {
    const entries = await this.#store.read(LOG, position);
    return entries.map(({ number, text }) => ({ position: number, event: readEvent(text) }));
  }

  async last(): Promise<number> {
    return this.#store.last(LOG);
  }

  /** Resolves once this replica follows the log, and rejects if that takes too long. Undefined if it already does. */
  ready(): Promise<void> | undefined {
    return this.#beginning && this.#haveBegun(this.#beginning);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }

  async #haveBegun(beginning: Promise<void>): Promise<void> {
    if (!(await isDoneWithin(READY_MS, beginning))) throw new StoreUnavailable();
  }

  async #begin(begun: () => void): Promise<void> {
    try {
      this.#follow(await this.#store.last(LOG));
      this.#beginning = undefined;
      begun();
    } catch {
      this.#later(() => void this.#begin(begun));
    }
  }

  #follow(after: number): void {
    if (this.#isClosed) return;
    this.#seen = after;
    this.#stop = this.#store.follow(LOG, after, ({ number, text }) => {
      const isNext = number === this.#seen + 1;
      this.#seen = this.position = number;
      if (!isNext) this.#makeUpForGap();
      const event = readEvent(text);
      if (event) this.#emit(event);
      this.position = undefined;
    });
  }

  /** Listening clients reconnect and look again. A local session is told of every change; a shared one is looked up again. */
  #makeUpForGap(): void {
    for (const connection of this.#server?.connections() ?? []) {
      connection.endStreams();
      const isLocal = connection.legacy && !connection.legacy.keep;
      if (isLocal) for (const change of allChanges(connection)) connection.emit(change);
    }
    this.#pass(() => {
      for (const listener of this.#listeners) listener({ kind: "gap" });
    });
  }

  async #written(): Promise<void> {
    // Changes of lists are collected for one turn before they are announced.
    await Promise.resolve();
    if (this.#attempt) await isDoneWithin(WRITING_MS, this.#attempts());
  }

  /** Two, because the one under way may have begun before the latest change. */
  async #attempts(): Promise<void> {
    await this.#attempt;
    await this.#attempt;
  }

  #writeDown(): void {
    if (this.#isStoreDown || this.#waiting.size === 0) return;
    this.#attempt ??= this.#flush().finally(() => {
      this.#attempt = undefined;
      this.#writeDown();
    });
  }

  async #flush(): Promise<void> {
    // Later changes are left to the next attempt, so that waiting for this one has an end.
    const waiting = [...this.#waiting];
    try {
      for (const [key, change] of waiting) {
        // Removed before it is written: a change during the write has to be announced again.
        this.#waiting.delete(key);
        await this.publish(change).catch((thrown: unknown) => {
          this.#putBack(key, change);
          throw thrown;
        });
      }
    } catch {
      this.#isStoreDown = true;
      this.#later(() => {
        this.#isStoreDown = false;
        this.#writeDown();
      });
    }
  }

  /** Puts it first: it came before all others that wait. */
  #putBack(key: string, change: Change): void {
    if (this.#waiting.size >= LIMITS.most) return;
    const others = [...this.#waiting];
    this.#waiting.clear();
    this.#waiting.set(key, change);
    for (const [other, waiting] of others) this.#waiting.set(other, waiting);
  }

  #later(work: () => void): void {
    if (!this.#isClosed) inBackground(setTimeout(work, RETRY_MS));
  }

  #emit(event: ReplicaEvent): void {
    if (isChange(event)) return this.#pass(() => this.#server?.emit(event));
    for (const listener of this.#listeners) this.#pass(() => listener(event));
  }

  /** An event that another version wrote may not be what is expected; those after it still have to be passed on. */
  #pass(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#server?.report(thrown);
    }
  }
}

function readEvent(text: string): ReplicaEvent | undefined {
  const event = parseJson(text);
  return isObject(event) ? (event as unknown as ReplicaEvent) : undefined;
}

export const isChange = (event: ReplicaEvent): event is Change =>
  event.kind !== "session" && event.kind !== "order";

/** Every change that a legacy client could be notified of. */
export function allChanges({ legacy, runtime }: Connection): readonly Change[] {
  const uris = legacy?.subscriptions.uris ?? [];
  return [
    ...[...uris].map((uri) => ({ kind: "resource", uri }) as const),
    ...runtime.catalog.lists().map((list) => ({ kind: "list", list }) as const),
  ];
}
