import { Fault } from "@suite/server-kit/domain";

import { isRepo, nameOf, type Patterns, type Repo, singleOf } from "./repo-names.ts";

export { nameOf, type Repo } from "./repo-names.ts";

/** Throws for an invalid name, which could change the path of a URL. */
export function requireRepo(owner: string, repo: string): Repo {
  if (isRepo(owner, repo)) return { owner, repo };
  throw new Fault("invalid_input", `${JSON.stringify(`${owner}/${repo}`)} is not the name of a repository.`, {
    hint: 'Give owner and repo separately: owner: "octo", repo: "app".',
  });
}

export function parseRepo(fullName: string): Repo {
  const [owner = "", repo = "", ...rest] = fullName.split("/");
  return requireRepo(owner, [repo, ...rest].join("/"));
}

/** Which repositories may be read and written. GitHub's names are case-insensitive. */
export class RepositoryLists {
  readonly single: Repo | undefined;
  readonly #patterns: Patterns;

  constructor(patterns: Patterns) {
    this.#patterns = patterns;
    this.single = singleOf(patterns);
  }

  get isReadLimited(): boolean {
    return this.#patterns.read !== undefined;
  }

  get isWriteLimited(): boolean {
    return this.#patterns.write !== undefined;
  }

  allows(access: "read" | "write", { owner, repo }: Repo): boolean {
    const list = this.#patterns[access];
    const [ownerName, repoName] = [owner.toLowerCase(), repo.toLowerCase()];
    return (
      list === undefined ||
      list.some((entry) => entry.owner === ownerName && (entry.repo === "*" || entry.repo === repoName))
    );
  }

  /** Whether some repository of the owner may be read. */
  knows(owner: string): boolean {
    const { read } = this.#patterns;
    return read === undefined || read.some((entry) => entry.owner === owner.toLowerCase());
  }

  require(access: "read" | "write", repo: Repo): void {
    if (this.allows(access, repo)) return;
    const flag = access === "read" ? "--repos" : "--write-repos or --repos";
    throw new Fault(
      "permission_denied",
      `${nameOf(repo)} is not among the repositories that this server may ${access}.`,
      {
        hint: `The operator names them with ${flag}: ${this.describe(access)}.`,
      },
    );
  }

  describe(access: "read" | "write"): string {
    const list = this.#patterns[access];
    return list === undefined ? "any" : list.map(nameOf).join(", ");
  }

  /** Limits a search to the repositories that may be read. */
  toQualifiers(): readonly string[] {
    return (this.#patterns.read ?? []).map(({ owner, repo }) =>
      repo === "*" ? `user:${owner}` : `repo:${owner}/${repo}`,
    );
  }
}
