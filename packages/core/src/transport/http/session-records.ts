import type { SessionChange, SessionState } from "../../connection/legacy-session.ts";
import { invalidRequest } from "../../jsonrpc/error.ts";
import { isObject } from "../../jsonrpc/message.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import { type Store, StoreUnavailable } from "../../store/store.ts";

/** A session as every replica can find it. */
export interface SessionRecord extends SessionState {
  readonly principal: string | null;
  /** The journal position up to which the client is known to have been told everything. */
  readonly told: number;
  /** The replicas that have opened or continued it. */
  readonly heldBy: readonly string[];
  /** The session has ended: no replica may continue it. */
  readonly isOver?: true;
}

/** Per record, most of which is subscriptions. */
const MOST_CHARACTERS = 1024 * 1024;
/** Per record, newest last: earlier holders of such a long session are gone. */
const MOST_HOLDERS = 100;
/** An attempt fails only if a concurrent change, here or on another replica, succeeds. */
const MOST_ATTEMPTS = 1000;

const keyOf = (id: string): string => `session:${id}`;

export class SessionRecords {
  readonly #store: Store;
  readonly #ttlMs: number;

  constructor(store: Store, idleMs: number) {
    this.#store = store;
    this.#ttlMs = Math.ceil(idleMs);
  }

  async create(id: string, record: SessionRecord): Promise<void> {
    await this.#store.set(keyOf(id), toText(record), { ttlMs: this.#ttlMs });
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    return fromText(await this.#store.get(keyOf(id)));
  }

  /**
   * Changes a record by compare-and-set and renews its lifetime. Undefined, and nothing changes, if there is no record or
   * `toNew` returns undefined.
   */
  async change(
    id: string,
    toNew: (record: SessionRecord) => SessionRecord | undefined,
  ): Promise<SessionRecord | undefined> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const text = await this.#store.get(keyOf(id));
      const record = fromText(text);
      const changed = record && toNew(record);
      if (text === undefined || !changed) return undefined;
      const conditions = { ttlMs: this.#ttlMs, expected: { value: text } };
      if (await this.#store.set(keyOf(id), toText(changed), conditions)) return changed;
    }
    throw new StoreUnavailable(new Error("Concurrent changes to the session kept succeeding first"));
  }

  async delete(id: string): Promise<void> {
    await this.#store.delete(keyOf(id));
  }
}

function toText(record: SessionRecord): string {
  const text = JSON.stringify(record);
  if (text.length <= MOST_CHARACTERS) return text;
  throw invalidRequest(`The state of the session is too large: at most ${MOST_CHARACTERS} characters`);
}

/** A record that another version wrote in another shape counts as no session: its client has to open a new one. */
function fromText(text: string | undefined): SessionRecord | undefined {
  const record = text === undefined ? undefined : parseJson(text);
  return isRecord(record) ? record : undefined;
}

function isRecord(value: unknown): value is SessionRecord {
  if (!isObject(value)) return false;
  const { client, logLevel, subscriptions, principal, told, heldBy } = value;
  return (
    isObject(client) &&
    isObject(client["capabilities"]) &&
    typeof client["revision"] === "string" &&
    typeof logLevel === "string" &&
    isStrings(subscriptions) &&
    (principal === null || typeof principal === "string") &&
    Number.isSafeInteger(told) &&
    isStrings(heldBy)
  );
}

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

export function withHolder(record: SessionRecord, replica: string): SessionRecord {
  const others = record.heldBy.filter((other) => other !== replica);
  return { ...record, heldBy: [...others.slice(1 - MOST_HOLDERS), replica] };
}

export function withChange(record: SessionRecord, change: SessionChange): SessionRecord {
  if ("logLevel" in change) return { ...record, logLevel: change.logLevel };
  const uri = "subscribe" in change ? change.subscribe : change.unsubscribe;
  const others = record.subscriptions.filter((other) => other !== uri);
  return { ...record, subscriptions: "subscribe" in change ? [...others, uri] : others };
}
