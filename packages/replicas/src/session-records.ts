import { invalidRequest, type LoggingLevel, type ClientView } from "@suite/core";
import { isObject, parseJson, type SessionChange } from "@suite/core/replicas";

import type { Fields, Store } from "./store.ts";

/** A session as every replica can find it. */
export interface SessionRecord {
  readonly principal: string | undefined;
  readonly client: ClientView;
  readonly logLevel: LoggingLevel;
  readonly subscriptions: readonly string[];
  /** The replicas that have opened or continued it. */
  readonly heldBy: readonly string[];
}

/** The position in the change log up to which the client is known to have been told everything. */
export type ToldPosition = number;

/** Per record, most of which is subscriptions. */
const MOST_CHARACTERS = 1024 * 1024;
/** Beyond that, for what is noted about a session: a client with too many subscriptions can still be asked, and can leave. */
const HEADROOM = 64 * 1024;

const keyOf = (id: string): string => `sessions:${id}`;
const uriField = (uri: string): string => `uri:${uri}`;
const holderField = (replica: string): string => `held:${replica}`;
const questionField = (id: string): string => `asked:${id}`;

/**
 * The records of sessions. Each fact is a field of its own, so that no change has to read the record or can fail because of
 * another: a client may subscribe to hundreds of resources at once.
 */
export class SessionRecords {
  readonly #store: Store;
  readonly #ttlMs: number;

  constructor(store: Store, idleMs: number) {
    this.#store = store;
    this.#ttlMs = Math.ceil(idleMs);
  }

  async create(
    id: string,
    { principal, client, logLevel, heldBy }: Omit<SessionRecord, "subscriptions">,
    told: ToldPosition,
  ): Promise<void> {
    const fields = {
      client: JSON.stringify({ principal: principal ?? null, client }),
      level: logLevel,
      told: String(told),
      ...Object.fromEntries(heldBy.map((replica) => [holderField(replica), ""])),
    };
    await this.#set(id, fields, { isNew: true });
  }

  /** Undefined if there is no such session of this caller, or it has ended. */
  async find(id: string, principal: string | undefined): Promise<SessionRecord | undefined> {
    const record = toRecord(await this.#store.fields(keyOf(id)));
    return record?.principal === principal ? record : undefined;
  }

  /** Undefined if there is no such session, or it has ended. */
  async told(id: string): Promise<ToldPosition | undefined> {
    const { told, over } = (await this.#store.fields(keyOf(id), ["told", "over"])) ?? {};
    return told === undefined || over !== undefined ? undefined : Number(told);
  }

  async noteTold(id: string, told: ToldPosition): Promise<void> {
    const before = await this.told(id);
    if (before !== undefined && before < told) await this.#set(id, { told: String(told) });
  }

  /** Notes that a replica continues the session. */
  async hold(id: string, principal: string | undefined, replica: string): Promise<SessionRecord | undefined> {
    const record = await this.find(id, principal);
    if (!record || !(await this.#set(id, { [holderField(replica)]: "" }))) return undefined;
    // Looked at after the holder is noted, as `end` looks for holders after the end is noted: one of the two sees the other.
    return (await this.told(id)) === undefined ? undefined : record;
  }

  /** Marks the session as ended, and returns it with all its holders. Undefined if this caller has no such session. */
  async end(id: string, principal: string | undefined): Promise<SessionRecord | undefined> {
    const record = await this.find(id, principal);
    if (!record || !(await this.#set(id, { over: "" }))) return undefined;
    return toRecord(await this.#store.fields(keyOf(id)), true) ?? record;
  }

  /** False if there is no such session (any more). */
  async apply(id: string, change: SessionChange): Promise<boolean> {
    if ("logLevel" in change) return this.#set(id, { level: change.logLevel });
    if ("subscribe" in change) return this.#set(id, { [uriField(change.subscribe)]: "" }, { headroom: 0 });
    await this.#store.deleteField(keyOf(id), uriField(change.unsubscribe));
    return (await this.told(id)) !== undefined;
  }

  /** Notes that the client is being asked something. Without room for that, only the replica that asks takes the answer. */
  async ask(id: string, question: string): Promise<void> {
    const conditions = { ttlMs: this.#ttlMs, mostCharacters: MOST_CHARACTERS + HEADROOM };
    await this.#store.setFields(keyOf(id), { [questionField(question)]: "" }, conditions);
  }

  /** Those of the questions that the client was asked in this session and has not answered yet. */
  async findOpen(id: string, questions: readonly string[]): Promise<ReadonlySet<string>> {
    if (questions.length === 0) return new Set();
    const open = (await this.#store.fields(keyOf(id), questions.map(questionField))) ?? {};
    return new Set(questions.filter((question) => Object.hasOwn(open, questionField(question))));
  }

  async close(id: string, question: string): Promise<void> {
    await this.#store.deleteField(keyOf(id), questionField(question));
  }

  async renew(id: string): Promise<void> {
    await this.#store.renew(keyOf(id), this.#ttlMs);
  }

  async delete(id: string): Promise<void> {
    await this.#store.delete(keyOf(id));
  }

  /** False if there is no such record. */
  async #set(
    id: string,
    fields: Fields,
    { headroom = HEADROOM, isNew = false }: { readonly headroom?: number; readonly isNew?: boolean } = {},
  ): Promise<boolean> {
    const conditions = { ttlMs: this.#ttlMs, mostCharacters: MOST_CHARACTERS + headroom, isNew };
    const outcome = await this.#store.setFields(keyOf(id), fields, conditions);
    if (outcome !== "full") return outcome === "set";
    throw invalidRequest(`The state of the session is too large: at most ${MOST_CHARACTERS} characters`);
  }
}

/** A record that another version wrote in another shape counts as no session: its client has to open a new one. */
function toRecord(fields: Fields | undefined, mayBeOver = false): SessionRecord | undefined {
  if (!fields || (Object.hasOwn(fields, "over") && !mayBeOver)) return undefined;
  const opened = parseJson(fields["client"] ?? "");
  const { principal, client } = isObject(opened) ? opened : {};
  const { level, told } = fields;
  const isKnown =
    isObject(client) &&
    isObject(client["capabilities"]) &&
    typeof client["revision"] === "string" &&
    (principal === null || typeof principal === "string") &&
    level !== undefined &&
    told !== undefined;
  if (!isKnown) return undefined;
  const named = (prefix: string): string[] =>
    Object.keys(fields).flatMap((field) => (field.startsWith(prefix) ? [field.slice(prefix.length)] : []));
  return {
    principal: principal ?? undefined,
    client: client as unknown as ClientView,
    logLevel: level as LoggingLevel,
    subscriptions: named(uriField("")),
    heldBy: named(holderField("")),
  };
}
