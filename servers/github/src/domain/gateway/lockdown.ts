import { Fault, isObject } from "@suite/server-kit/domain";

import { type Fields, toFields, toText } from "../answers/projection.ts";
import type { Facts } from "./facts.ts";
import type { Repo } from "./repositories.ts";

/** Finds the repository of an item. */
type WhereIs = (item: unknown) => Repo | undefined;

const HIDDEN = "[hidden: lockdown]";
/** Fields with text by users, in issues, comments, reviews, pull requests, runs and notifications. */
const WORDS = ["title", "body", "display_title", "bodyText"] as const;

/** Removes what people without push access wrote from every answer. */
export class Lockdown {
  readonly #facts: Facts;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** Returns the data without what strangers wrote; throws if the whole object is theirs. */
  async sift(data: unknown, whereIs: WhereIs): Promise<unknown> {
    if (Array.isArray(data)) return this.#siftList(data, whereIs);
    if (!isObject(data)) return data;
    const repo = whereIs(data);
    for (const author of authorsOf(data)) {
      if (await this.#isTrusted(author, repo)) continue;
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
          : await this.sift(value, (item) => whereIs(item) ?? repo),
      ]),
    );
    return Object.fromEntries(entries);
  }

  async #siftList(items: readonly unknown[], whereIs: WhereIs): Promise<readonly unknown[]> {
    const sifted = await Promise.all(
      items.map(async (item) => {
        try {
          return await this.sift(item, whereIs);
        } catch (thrown) {
          if (thrown instanceof Fault && thrown.code === "permission_denied") return undefined;
          throw thrown;
        }
      }),
    );
    return sifted.filter((item) => item !== undefined);
  }

  async #isTrusted(author: string, repo: Repo | undefined): Promise<boolean> {
    if (repo === undefined) return false;
    if ((await this.#facts.isPublic(repo)) === false) return true;
    return author.toLowerCase() === repo.owner.toLowerCase() || this.#facts.canPush(repo, author);
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
