import { Fault } from "@suite/server-kit/domain";

import { AnswerCache } from "../answers/answer-cache.ts";
import { readPath, toFields, toList, toText } from "../answers/projection.ts";
import { type Standing, toStanding } from "./belonging.ts";
import { nameOf, parseRepo, type Repo } from "./repositories.ts";

/** `owner` selects the token if the path does not. */
type Get = (path: string, owner?: string) => Promise<unknown>;

/** Where a project is in GitHub's API, and whether everybody may see it. */
export interface Project {
  readonly kind: "orgs" | "users";
  readonly isPublic: boolean;
}

const KEPT_MS = 5 * 60_000;
/** How many branches a commit is searched on, besides the default one. */
const MOST_BRANCHES = 10;

/** GitHub refused to answer, for good. */
export class Untold extends Fault {}

/** A failure that passes must not count as an answer: the guards would refuse, or hide, what is in order. */
const orUntold =
  <T>(value: T) =>
  (thrown: unknown): T => {
    if (thrown instanceof Untold) return value;
    throw thrown;
  };

/** Facts about repositories, people and the token, cached for some minutes because the guards need them often. */
export class Facts {
  readonly #get: Get;
  readonly #onScopes: () => void;
  readonly #answers = new AnswerCache(KEPT_MS);
  /** From the first response that has them. Only classic tokens have scopes. */
  scopes: readonly string[] | undefined;

  constructor(get: Get, onScopes: () => void) {
    this.#get = get;
    this.#onScopes = onScopes;
  }

  observe(headers: ReadonlyMap<string, string>): void {
    const scopes = (headers.get("x-oauth-scopes") ?? "").split(/[\s,]+/).filter((scope) => scope !== "");
    // Tokens of other kinds may come with an empty list, which says nothing.
    if (scopes.length === 0 || this.scopes !== undefined) return;
    this.scopes = scopes;
    this.#onScopes();
  }

  /** The repository with this id, under its current name. */
  async repoById(id: string, owner?: string): Promise<Repo> {
    return this.#answers.keep(`id ${id}`, async () => {
      const { full_name: name } = toFields(await this.#get(`/repositories/${encodeURIComponent(id)}`, owner));
      return parseRepo(toText(name));
    });
  }

  /** The repository that a notification is about. */
  async repoOfThread(id: string): Promise<Repo> {
    return this.#answers.keep(`thread ${id}`, async () => {
      const thread = await this.#get(`/notifications/threads/${encodeURIComponent(id)}`);
      return parseRepo(toText(readPath(thread, "repository.full_name")));
    });
  }

  /** Whether a project belongs to an organization or a user, and who may see it. */
  async project(owner: string, number: number): Promise<Project> {
    return this.#answers.keep(`project ${owner.toLowerCase()} ${number}`, async () => {
      const read = (kind: Project["kind"]): Promise<Project> =>
        this.#get(`/${kind}/${encodeURIComponent(owner)}/projectsV2/${number}`, owner).then((found) => ({
          kind,
          isPublic: toFields(found)["public"] === true,
        }));
      return read("orgs").catch((thrown: unknown) => {
        if (thrown instanceof Untold && thrown.code === "not_found") return read("users");
        throw thrown;
      });
    });
  }

  /** The user of the token for this owner, or of the general one. */
  async viewer(owner?: string): Promise<string> {
    return this.#answers.keep(`viewer ${owner?.toLowerCase() ?? ""}`, async () =>
      toText(toFields(await this.#get("/user", owner))["login"]),
    );
  }

  /** Undefined if GitHub does not tell. Throws if GitHub could not be asked. */
  async standing(repo: Repo): Promise<Standing | undefined> {
    return this.#answers
      .keep(`standing ${nameOf(repo).toLowerCase()}`, async () =>
        toStanding(toFields(await this.#get(`/repos/${nameOf(repo)}`))),
      )
      .catch(orUntold(undefined));
  }

  async isPublic(repo: Repo): Promise<boolean | undefined> {
    return (await this.standing(repo))?.isPublic;
  }

  /** Someone of unknown access counts as having none. */
  async canPush(repo: Repo, login: string): Promise<boolean> {
    return this.#answers
      .keep(`push ${nameOf(repo).toLowerCase()} ${login}`, async () => {
        const path = `/repos/${nameOf(repo)}/collaborators/${encodeURIComponent(login)}/permission`;
        const { permission, user } = toFields(await this.#get(path));
        const { push } = toFields(toFields(user)["permissions"]);
        return permission === "admin" || permission === "write" || push === true;
      })
      .catch(orUntold(false));
  }

  /**
   * Whether a commit is on a branch or at a tag, and so was pushed by someone with push access: GitHub also finds commits of
   * forks in a repository. No endpoint tells, so the likely places are checked. A commit that is in none of them counts as
   * foreign: a mistake hides a commit of ours or asks a person once too often, but never lets a stranger's through.
   */
  async isOwnCommit(repo: Repo, sha: string): Promise<boolean> {
    const at = `/repos/${nameOf(repo)}`;
    return this.#answers.keep(`own ${at.toLowerCase()} ${sha}`, async () => {
      const get = (path: string): Promise<unknown> => this.#get(at + path).catch(orUntold(undefined));
      const isOn = async (branch: string): Promise<boolean> => {
        const compared = await get(`/compare/${encodeURIComponent(branch)}...${sha}?per_page=1`);
        return ["behind", "identical"].includes(toText(toFields(compared)["status"]));
      };
      if (await isOn("HEAD")) return true;
      if (toList(await get(`/commits/${sha}/branches-where-head`)).length > 0) return true;
      const isTagged = (tag: unknown): boolean => toText(readPath(tag, "commit.sha")).startsWith(sha);
      if (toList(await get("/tags?per_page=100")).some(isTagged)) return true;
      // Protected branches first: release branches usually are, and the list by name may not reach them.
      const lists = ["protected=true&", ""].map((filter) =>
        get(`/branches?${filter}per_page=${MOST_BRANCHES}`),
      );
      const names = (await Promise.all(lists)).flatMap((list) =>
        toList(list).map((each) => toText(readPath(each, "name"))),
      );
      for (const name of [...new Set(names)].slice(0, MOST_BRANCHES)) if (await isOn(name)) return true;
      return false;
    });
  }
}
