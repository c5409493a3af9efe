import { Fault } from "@suite/server-kit/domain";

export interface Repo {
  readonly owner: string;
  readonly repo: string;
}

const OWNER = /^[a-z\d](?:[a-z\d_]|-(?=[a-z\d_]))*$/i;
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
const MAX_OWNER = 80;

export const nameOf = ({ owner, repo }: Repo): string => `${owner}/${repo}`;

/** Throws for what cannot be the name of a repository, and so could lead anywhere in a URL. */
export function requireRepo(owner: string, repo: string): Repo {
  if (owner.length <= MAX_OWNER && OWNER.test(owner) && NAME.test(repo)) return { owner, repo };
  throw new Fault("invalid_input", `${JSON.stringify(`${owner}/${repo}`)} is not the name of a repository.`, {
    hint: 'Give owner and repo apart: owner: "octo", repo: "app".',
  });
}

export function parseRepo(fullName: string): Repo {
  const [owner = "", repo = "", ...rest] = fullName.split("/");
  return requireRepo(owner, [repo, ...rest].join("/"));
}

/** `owner/name`, or `owner/*` for all of an owner; undefined for anything else. */
export function parseRepoPattern(text: string): Repo | undefined {
  const [owner = "", repo = "", ...rest] = text.trim().toLowerCase().split("/");
  const isGood = rest.length === 0 && owner.length <= MAX_OWNER && OWNER.test(owner);
  return isGood && (repo === "*" || NAME.test(repo)) ? { owner, repo } : undefined;
}

/** Which repositories may be read, and which written. GitHub's names know no capitals. */
export class RepositoryLists {
  readonly #read: readonly Repo[] | undefined;
  readonly #write: readonly Repo[] | undefined;

  /** Empty lists allow everything. What may be written may be read. */
  constructor(repos: readonly string[], writeRepos: readonly string[]) {
    const parse = (list: readonly string[]): Repo[] =>
      list.map(parseRepoPattern).filter((pattern) => pattern !== undefined);
    const write = parse(writeRepos);
    this.#read = repos.length > 0 ? [...parse(repos), ...write] : undefined;
    this.#write = writeRepos.length > 0 ? write : this.#read;
  }

  get isReadLimited(): boolean {
    return this.#read !== undefined;
  }

  /** The one repository that there is, if there is one. */
  get single(): Repo | undefined {
    const names = new Set(this.#read?.map(nameOf));
    const [only] = this.#read ?? [];
    return names.size === 1 && only !== undefined && only.repo !== "*" ? only : undefined;
  }

  allows(access: "read" | "write", { owner, repo }: Repo): boolean {
    const list = access === "read" ? this.#read : this.#write;
    const [ownerName, repoName] = [owner.toLowerCase(), repo.toLowerCase()];
    return (
      list === undefined ||
      list.some((entry) => entry.owner === ownerName && (entry.repo === "*" || entry.repo === repoName))
    );
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
    const list = access === "read" ? this.#read : this.#write;
    return list === undefined ? "any" : list.map(nameOf).join(", ");
  }

  /** For a search: it finds nothing elsewhere then. */
  toQualifiers(): readonly string[] {
    return (this.#read ?? []).map(({ owner, repo }) =>
      repo === "*" ? `user:${owner}` : `repo:${owner}/${repo}`,
    );
  }
}
