import { Fault } from "@suite/server-kit/domain";

import type { Standing } from "./belonging.ts";
import { nameOf, type Repo } from "./repositories.ts";

/** Something that was read. */
export interface Sighting {
  readonly repo: Repo;
  readonly isByStrangers: boolean;
  /** Set if the response had it, which saves a lookup. */
  readonly standing?: Standing | undefined;
  /** Its origin is looked up before a write. */
  readonly commit?: string | undefined;
}

export interface Seen extends Pick<Sighting, "repo" | "standing"> {
  readonly at: number;
}

/** What one principal has read. */
export interface TaintRecord {
  /** Repositories in which text by strangers was read, and when. */
  readonly strangers: Map<string, Seen>;
  readonly read: Map<string, Seen>;
  /** Commits that were read by their sha, with their repository. */
  readonly commits: Map<string, Seen>;
}

export interface TaintMemory {
  recall(principal: string): TaintRecord | Promise<TaintRecord>;
  /** Must finish before the result is returned. */
  add(principal: string, sightings: readonly Sighting[]): void | Promise<void>;
}

/** A store shared by all replicas. Rejects if it is unreachable. */
export interface SharedValues {
  get(key: string): string | undefined | Promise<string | undefined>;
  /** False, with nothing set, if the current value is not the `expected` one. */
  set(
    key: string,
    value: string,
    conditions: { readonly ttlMs: number; readonly expected: { readonly value: string | undefined } },
  ): boolean | Promise<boolean>;
}

const MOST_REMEMBERED = 1000;
/** The key of one entry for everything beyond the limit; it counts as the worst case. */
export const WITHOUT_ROOM = "";

/** For a single process. */
export class OwnTaintMemory implements TaintMemory {
  readonly #memories = new Map<string, TaintRecord>();
  readonly #ms: number;

  constructor(ms: number) {
    this.#ms = ms;
  }

  recall(principal: string): TaintRecord {
    const memory = this.#memories.get(principal) ?? toMemory({});
    this.#memories.set(principal, memory);
    forget(memory, this.#ms);
    return memory;
  }

  add(principal: string, sightings: readonly Sighting[]): void {
    remember(this.recall(principal), sightings);
  }
}

/** For replicas, whose reads by one principal count together. */
export class SharedTaintMemory implements TaintMemory {
  readonly #values: SharedValues;
  readonly #ms: number;

  constructor(values: SharedValues, ms: number) {
    this.#values = values;
    this.#ms = ms;
  }

  async recall(principal: string): Promise<TaintRecord> {
    try {
      return this.#parse(await this.#values.get(keyOf(principal)));
    } catch (cause) {
      throw unavailable("Earlier reads could not be looked up, so nothing is written.", cause);
    }
  }

  async add(principal: string, sightings: readonly Sighting[]): Promise<void> {
    const key = keyOf(principal);
    try {
      for (let isStored = false; !isStored;) {
        const value = await this.#values.get(key);
        const memory = this.#parse(value);
        remember(memory, sightings);
        // Retry if another call changed the record meanwhile.
        const conditions = { ttlMs: Math.max(1, this.#ms), expected: { value } };
        isStored = await this.#values.set(key, toText(memory), conditions);
      }
    } catch (cause) {
      throw unavailable("The read could not be recorded, so the result is withheld.", cause);
    }
  }

  #parse(text: string | undefined): TaintRecord {
    const memory = toMemory(text === undefined ? {} : (JSON.parse(text) as StoredMemory));
    forget(memory, this.#ms);
    return memory;
  }
}

type StoredMemory = { readonly [kind in keyof TaintRecord]?: readonly (readonly [string, Seen])[] };

const keyOf = (principal: string): string => `taint:${principal}`;

const toMemory = ({ strangers, read, commits }: StoredMemory): TaintRecord => ({
  strangers: new Map(strangers),
  read: new Map(read),
  commits: new Map(commits),
});

const toText = ({ strangers, read, commits }: TaintRecord): string =>
  JSON.stringify({
    strangers: [...strangers],
    read: [...read],
    commits: [...commits],
  } satisfies StoredMemory);

function forget({ strangers, read, commits }: TaintRecord, ms: number): void {
  const oldest = Date.now() - ms;
  for (const map of [strangers, read, commits]) {
    for (const [name, { at }] of map) if (at < oldest) map.delete(name);
  }
}

function remember(memory: TaintRecord, sightings: readonly Sighting[]): void {
  const at = Date.now();
  for (const { repo, isByStrangers, standing, commit } of sightings) {
    put(memory.read, { repo, at, standing });
    if (isByStrangers) put(memory.strangers, { repo, at, standing });
    if (commit !== undefined) put(memory.commits, { repo, at, standing: undefined }, commit);
  }
}

function put(map: Map<string, Seen>, seen: Seen, sha = ""): void {
  const name = `${nameOf(seen.repo)} ${sha}`.toLowerCase();
  map.delete(name);
  map.set(map.size < MOST_REMEMBERED ? name : WITHOUT_ROOM, seen);
}

const unavailable = (message: string, cause: unknown): Fault =>
  new Fault("unavailable", message, { hint: "Try again in a second.", retryAfterMs: 1000, cause });
