import { Fault, isObject } from "@suite/server-kit/domain";

import { type Fields, toFields, toText } from "../projection.ts";
import type { Repo } from "./repositories.ts";

/** Lookups for lockdown. Fails closed: an author of unknown access counts as having none. */
export interface Trust {
  isPublic(repo: Repo): Promise<boolean | undefined>;
  canPush(repo: Repo, login: string): Promise<boolean>;
}

const HIDDEN = "[hidden: lockdown]";
/** Fields with text by users, in issues, comments, reviews, pull requests, runs and notifications. */
const WORDS = ["title", "body", "display_title", "bodyText"] as const;

/** Removes what people without push access wrote from every answer. */
export class Lockdown {
  readonly #trust: Trust;

  constructor(trust: Trust) {
    this.#trust = trust;
  }

  /** Returns the data without what strangers wrote; throws if the whole object is theirs. `repoOf` finds the repository of an item. */
  async sift(data: unknown, repoOf: (item: unknown) => Repo | undefined): Promise<unknown> {
    if (Array.isArray(data)) return this.#siftList(data, repoOf);
    if (!isObject(data)) return data;
    for (const author of authorsOf(data)) {
      if (await this.#isTrusted(data, author, repoOf)) continue;
      throw new Fault(
        "permission_denied",
        `This was written by ${author}, who may not push here: lockdown hides it.`,
        {
          hint: "Only the operator can switch --lockdown off.",
        },
      );
    }
    const entries = await Promise.all(
      Object.entries(data).map(async ([key, value]): Promise<[string, unknown]> => [
        key,
        key === "subject" && isObject(value)
          ? { ...value, title: HIDDEN }
          : await this.#siftWithin(value, data, repoOf),
      ]),
    );
    return Object.fromEntries(entries);
  }

  async #siftWithin(
    value: unknown,
    parent: unknown,
    repoOf: (item: unknown) => Repo | undefined,
  ): Promise<unknown> {
    const above = repoOf(parent);
    if (Array.isArray(value)) return this.#siftList(value, (item) => repoOf(item) ?? above);
    return isObject(value) ? this.sift(value, (item) => repoOf(item) ?? above) : value;
  }

  async #siftList(
    items: readonly unknown[],
    repoOf: (item: unknown) => Repo | undefined,
  ): Promise<readonly unknown[]> {
    const sifted = await Promise.all(
      items.map(async (item) => {
        try {
          return await this.sift(item, repoOf);
        } catch (thrown) {
          if (thrown instanceof Fault && thrown.code === "permission_denied") return undefined;
          throw thrown;
        }
      }),
    );
    return sifted.filter((item) => item !== undefined);
  }

  async #isTrusted(
    item: unknown,
    author: string,
    repoOf: (item: unknown) => Repo | undefined,
  ): Promise<boolean> {
    const repo = repoOf(item);
    if (repo === undefined) return false;
    if ((await this.#trust.isPublic(repo)) === false) return true;
    return author.toLowerCase() === repo.owner.toLowerCase() || this.#trust.canPush(repo, author);
  }
}

/** The authors of an object's text, if it has any. A deleted account has no push access. */
function authorsOf(data: Fields): readonly string[] {
  if (!WORDS.some((name) => typeof data[name] === "string")) return [];
  const { user, author, actor, triggering_actor: trigger, head_repository: head } = data;
  const isPost = "user" in data || "author_association" in data || "authorAssociation" in data;
  // Someone who re-runs a run did not write it, so all accounts count.
  const accounts = isPost ? [user ?? author ?? null] : [actor, trigger, head && toFields(head)["owner"]];
  return accounts
    .filter((account) => account !== undefined)
    .map((account) => toText(toFields(account)["login"]) || "a deleted account");
}
