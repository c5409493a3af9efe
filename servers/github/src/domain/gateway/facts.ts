import { type Fields, toFields, toText } from "../projection.ts";
import type { Lookups } from "./admission.ts";
import type { Trust } from "./lockdown.ts";
import { nameOf, parseRepo, type Repo } from "./repositories.ts";

type Get = (path: string) => Promise<Fields>;

interface Kept<T> {
  readonly value: Promise<T>;
  readonly until: number;
}

const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 5000;

export interface Quota {
  readonly resource: string;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
}

/** What is known of repositories, people and the token, for some minutes: the guards ask for it again and again. */
export class Facts implements Lookups, Trust {
  readonly #get: Get;
  readonly #onScopes: ((scopes: readonly string[]) => void) | undefined;
  readonly #kept = new Map<string, Kept<unknown>>();
  /** As the last answer had them. Tokens that are not classic say none. */
  scopes: readonly string[] | undefined;
  readonly quotas: Map<string, Quota> = new Map<string, Quota>();

  constructor(get: Get, onScopes: ((scopes: readonly string[]) => void) | undefined) {
    this.#get = get;
    this.#onScopes = onScopes;
  }

  observe(headers: ReadonlyMap<string, string>): void {
    const scopes = headers.get("x-oauth-scopes");
    if (scopes !== undefined && this.scopes === undefined) {
      this.scopes = scopes
        .split(",")
        .map((scope) => scope.trim())
        .filter((scope) => scope !== "");
      this.#onScopes?.(this.scopes);
    }
    const resource = headers.get("x-ratelimit-resource");
    const limit = headers.get("x-ratelimit-limit");
    if (resource === undefined || limit === undefined) return;
    const [remaining, reset] = ["remaining", "reset"].map((name) =>
      Number(headers.get(`x-ratelimit-${name}`)),
    );
    this.quotas.set(resource, {
      resource,
      limit: Number(limit),
      remaining: remaining ?? 0,
      reset: reset ?? 0,
    });
  }

  async repoById(id: string): Promise<Repo> {
    return this.#keep(`id ${id}`, async () => {
      const { full_name: name } = await this.#get(`/repositories/${encodeURIComponent(id)}`);
      return parseRepo(toText(name));
    });
  }

  async viewer(): Promise<string> {
    return this.#keep("viewer", async () => toText((await this.#get("/user"))["login"]));
  }

  async isPublic(repo: Repo): Promise<boolean | undefined> {
    return this.#keep(`visibility ${nameOf(repo).toLowerCase()}`, async () => {
      const { private: isPrivate, visibility } = await this.#get(`/repos/${nameOf(repo)}`);
      return isPrivate === false && visibility !== "internal";
    }).catch(() => undefined);
  }

  async canPush(repo: Repo, login: string): Promise<boolean> {
    return this.#keep(`push ${nameOf(repo).toLowerCase()} ${login}`, async () => {
      const path = `/repos/${nameOf(repo)}/collaborators/${encodeURIComponent(login)}/permission`;
      const { permission, user } = await this.#get(path);
      const { push } = toFields(toFields(user)["permissions"]);
      return permission === "admin" || permission === "write" || push === true;
    }).catch(() => false);
  }

  #keep<T>(key: string, find: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(key) as Kept<T> | undefined;
    if (kept !== undefined && kept.until > Date.now()) return kept.value;
    const value = find();
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(key, { value, until: Date.now() + KEPT_MS });
    // A failure is no fact.
    value.catch(() => this.#kept.delete(key));
    return value;
  }
}
