import { Fault, isObject } from "@suite/server-kit/domain";

import { toFields, toList } from "../projection.ts";
import type { Standing, Target } from "./belonging.ts";
import type { Facts } from "./facts.ts";
import { nameOf, type Repo } from "./repositories.ts";
import {
  type TaintRecord,
  OwnTaintMemory,
  type Seen,
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

/** Everything in a public repository that the token's owner may not push to counts as text by strangers. */
const isForeign = (standing: Standing | undefined): boolean =>
  standing === undefined || (standing.isPublic && !standing.mayPush);

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
    if (mode === "off" || target === "private") return;
    const { strangers, read, commits } = await this.#memory.recall(principal);
    // Cheapest checks first. A single repository cannot be both foreign and private, so most writes need no lookup.
    const isMixed = read.size > 1 || read.has(WITHOUT_ROOM);
    const known =
      (await this.#find(strangers, (standing) => standing?.isPublic !== false)) ??
      (isMixed ? await this.#find(read, isForeign) : undefined);
    if (known === undefined && !(isMixed && commits.size > 0)) return;
    const secret = await this.#find(read, (standing) => standing?.isPublic !== true);
    if (secret === undefined) return;
    const source = known?.repo ?? (await this.#findForeign(commits));
    if (source === undefined) return;
    const isPublic = target === "public" || (await this.#known.standing(target))?.isPublic;
    if (isPublic === false) return;
    const place = target === "public" ? "a public place" : nameOf(target);
    const toPlace = target === "public" ? place : `${place}, which ${isPublic ? "is" : "may be"} public`;
    const hidden = nameOf(secret.repo);
    const from = secret.standing ? `the private repository ${hidden}` : `${hidden}, which may be private,`;
    const words = `Text by strangers in ${nameOf(source)} and something in ${from} were read earlier.`;
    if (mode === "ask" && ask !== undefined) {
      if (await ask(`${words} Write to ${toPlace}?`)) return;
      throw new Fault("cancelled", `A person was asked, and did not agree to write to ${place}.`, {
        retryable: false,
      });
    }
    throw new Fault("permission_denied", `${words} So nothing is written to ${toPlace}.`, {
      hint: "If a person wants this, they can do it themselves. What was read is forgotten after --taint-memory; the operator can shorten that, narrow --repos, or set --taint-guard off.",
      details: { guard: "taint", strangers: nameOf(source), private: hidden },
    });
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

  /** What cannot be determined counts as the worse case. */
  async #find(
    seen: TaintRecord["read"],
    fits: (standing: Standing | undefined) => boolean,
  ): Promise<Pick<Seen, "repo" | "standing"> | undefined> {
    let asked = 0;
    for (const [name, { repo, standing }] of seen) {
      if (standing === undefined) asked += 1;
      const isBeyond = name === WITHOUT_ROOM || asked > MOST_ASKED_ABOUT;
      const found = isBeyond ? undefined : (standing ?? (await this.#known.standing(repo)));
      if (fits(found)) return { repo, standing: found };
    }
    return undefined;
  }
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
