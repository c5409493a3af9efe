import { Fault, isObject } from "@suite/server-kit/domain";

import { toFields, toList } from "../answers/projection.ts";
import type { Standing, Target } from "./belonging.ts";
import type { Facts } from "./facts.ts";
import { isRepo } from "./repo-names.ts";
import { nameOf, type Repo } from "./repositories.ts";
import {
  type TaintRecord,
  OwnTaintMemory,
  SharedTaintMemory,
  type SharedValues,
  type Sighting,
  type TaintMemory,
  WITHOUT_ROOM,
} from "./taint-memory.ts";

/** What the guard has to look up before a write. */
type Lookups = Pick<Facts, "standing" | "isOwnCommit">;

/** Asks a person; undefined if the client cannot. */
export type Ask = ((question: string) => Promise<boolean>) | undefined;

export interface TaintSettings {
  readonly mode: "ask" | "refuse" | "off";
  readonly memoryMs: number;
  /** Shared by replicas; undefined for a single process. */
  readonly shared?: SharedValues | undefined;
}

/** People with push access, or invited by someone who has it. */
const INSIDERS: ReadonlySet<unknown> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
const MOST_ASKED_ABOUT = 100;
const MOST_COMMITS = 20;

/**
 * All of the guard's policy: what text in a place, and a write to it, count as for a secret (a private repository that was
 * read). What is private of an owner without being in a repository (a new repository, a project, the members of a team)
 * counts as a private repository of that owner, and so do the alerts of a public repository, which few people see. Whatever the
 * place, a write that GitHub may run counts as public: a workflow can send the secret anywhere. So does a fork; gists and
 * transfers are not offered. What nobody but the token's own account sees (whether a notification was read) is no place at all.
 */
const POLICY = {
  public: { text: "its author's", write: "public", words: "is public" },
  /** Public, and the token may not push to it. */
  foreign: { text: "strangers'", write: "public", words: "is public" },
  "of the same owner": {
    text: "trusted",
    write: "private",
    words: "has workflows that can send it anywhere",
  },
  "of another owner": { text: "strangers'", write: "public", words: "has another owner" },
  /** GitHub does not say whether it is public. */
  unknown: { text: "strangers'", write: "public", words: "may be public" },
} as const;

type View = keyof typeof POLICY;

function viewFrom(secret: Place, owner: string, standing: Standing | undefined): View {
  if (standing === undefined) return "unknown";
  if (standing.isPublic) return standing.mayPush ? "public" : "foreign";
  const isSame = secret.isKnown && secret.repo.owner.toLowerCase() === owner.toLowerCase();
  return isSame ? "of the same owner" : "of another owner";
}

/** A repository that was read, as far as GitHub tells about it. */
interface Place {
  readonly repo: Repo;
  readonly standing: Standing | undefined;
  /** False for the entry that stands for all that there was no room for. */
  readonly isKnown: boolean;
}

/**
 * Against the confused deputy: a stranger's issue tells the agent to read something private, and to publish it. A principal
 * that has read both may write to a public place only with a person's consent. Calls without a principal share one record.
 */
export class TaintGuard {
  readonly #mode: TaintSettings["mode"];
  readonly #known: Lookups;
  readonly #memory: TaintMemory;

  constructor({ mode, memoryMs, shared }: TaintSettings, known: Lookups) {
    this.#mode = mode;
    this.#known = known;
    this.#memory = shared ? new SharedTaintMemory(shared, memoryMs) : new OwnTaintMemory(memoryMs);
  }

  /** Call this before returning what was read. */
  async saw(principal: string, sightings: readonly Sighting[]): Promise<void> {
    if (this.#mode !== "off" && sightings.length > 0) await this.#memory.add(principal, sightings);
  }

  /** Call this before a write. Throws unless it is harmless, or a person agrees. */
  async requireHarmless(principal: string, target: Target, ask: Ask): Promise<void> {
    const mode = this.#mode;
    if (mode === "off") return;
    const record = await this.#memory.recall(principal);
    const { strangers, read } = record;
    // A single repository is not both a secret and a stranger's, so most writes need no lookup.
    if (strangers.size === 0 && read.size < 2 && !read.has(WITHOUT_ROOM)) return;
    const places = await this.#lookUp(read);
    for (const secret of places.values()) {
      if (secret.standing?.isPublic === true) continue;
      const goal = await this.#goalFrom(secret, target);
      const source = goal && (await this.#findSource(secret, places, record));
      if (source) return this.#requireConsent(secret, source, goal, mode === "ask" ? ask : undefined);
    }
  }

  /** What a person would be asked before a write. Throws if it would be refused. */
  async questionBefore(principal: string, target: Target, ask: Ask): Promise<string | undefined> {
    let question: string | undefined;
    const listen = (words: string): Promise<boolean> => {
      question = words;
      return Promise.resolve(true);
    };
    await this.requireHarmless(principal, target, ask && listen);
    return question;
  }

  async #requireConsent({ repo, standing }: Place, source: Repo, goal: Goal, ask: Ask): Promise<void> {
    const hidden = nameOf(repo);
    const from =
      standing === undefined
        ? `${hidden}, which may be private,`
        : isRepo(repo.owner, repo.repo)
          ? `the private repository ${hidden}`
          : `${hidden}, which is private,`;
    const words = `Text by strangers in ${nameOf(source)} and something in ${from} were read earlier.`;
    const to = goal.why === "" ? goal.name : `${goal.name}, which ${goal.why}`;
    if (ask !== undefined) {
      if (await ask(`${words} Write to ${to}?`)) return;
      throw new Fault("cancelled", `A person was asked, and did not agree to write to ${goal.name}.`, {
        retryable: false,
      });
    }
    throw new Fault("permission_denied", `${words} So nothing is written to ${to}.`, {
      hint: "If a person wants this, they can do it themselves. What was read is forgotten after --taint-memory; the operator can shorten that, narrow --repos, or set --taint-guard off.",
      details: { guard: "taint", strangers: nameOf(source), private: hidden },
    });
  }

  /** Undefined if the write stays as private as the secret. */
  async #goalFrom(secret: Place, { place, isRun }: Target): Promise<Goal | undefined> {
    if (place === "public") return { name: "a public place", why: "" };
    if (place === "account") return undefined;
    const isNew = !("repo" in place);
    const standing = isNew ? { isPublic: false, mayPush: true } : await this.#known.standing(place);
    const { write, words } = POLICY[viewFrom(secret, place.owner, standing)];
    if (write === "private" && !isRun) return undefined;
    const name = isNew ? `${place.what ?? "a new repository"} of ${place.owner}` : nameOf(place);
    return { name, why: words };
  }

  /** Where something was read that a stranger may have written. */
  async #findSource(
    secret: Place,
    places: ReadonlyMap<string, Place>,
    { strangers, commits }: TaintRecord,
  ): Promise<Repo | undefined> {
    for (const [name, { repo, standing, isKnown }] of places) {
      const { text } = POLICY[viewFrom(secret, repo.owner, standing)];
      const isTheirs = text === "strangers'" && (places.size > 1 || !isKnown);
      if (isTheirs || (text !== "trusted" && strangers.has(name))) return repo;
    }
    return places.size > 1 ? this.#findForeign(commits) : undefined;
  }

  /** A repository where a commit was read that is on none of its branches or tags. */
  async #findForeign(commits: TaintRecord["commits"]): Promise<Repo | undefined> {
    let asked = 0;
    for (const [name, { repo }] of commits) {
      if (name === WITHOUT_ROOM) return repo;
      if ((await this.#known.standing(repo))?.isPublic === false) continue;
      asked += 1;
      const sha = name.slice(name.indexOf(" ") + 1);
      if (asked > MOST_COMMITS || !(await this.#known.isOwnCommit(repo, sha))) return repo;
    }
    return undefined;
  }

  /** What cannot be determined counts as the worst case. */
  async #lookUp(read: TaintRecord["read"]): Promise<ReadonlyMap<string, Place>> {
    let asked = 0;
    const places = [...read].map(async ([name, { repo, standing }]): Promise<[string, Place]> => {
      const isKnown = name !== WITHOUT_ROOM;
      if (isKnown && standing !== undefined) return [name, { repo, isKnown, standing }];
      const mayAsk = isKnown && ++asked <= MOST_ASKED_ABOUT;
      return [name, { repo, isKnown, standing: mayAsk ? await this.#known.standing(repo) : undefined }];
    });
    return new Map(await Promise.all(places));
  }
}

/** Where a write goes, and why that is not as private as the secret. */
interface Goal {
  readonly name: string;
  readonly why: string;
}

/** Whether any part of an answer was written by an outsider. */
export function hasStrangers(data: unknown, depth = 4): boolean {
  if (depth === 0) return false;
  if (Array.isArray(data)) return data.some((item) => hasStrangers(item, depth));
  if (!isObject(data)) return false;
  const association = data["author_association"] ?? data["authorAssociation"];
  if (association !== undefined && !INSIDERS.has(association)) return true;
  return Object.values(data).some((value) => typeof value === "object" && hasStrangers(value, depth - 1));
}

/** The items of a list or of a search. */
export const itemsOf = (data: unknown): readonly unknown[] =>
  Array.isArray(data) ? data : toList(toFields(data)["items"]);
