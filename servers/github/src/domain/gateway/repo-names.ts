// Imports nothing, because the command line is parsed before the rest is loaded.

export interface Repo {
  readonly owner: string;
  readonly repo: string;
}

const OWNER = /^[a-z\d](?:[a-z\d_]|-(?=[a-z\d_]))*$/i;
const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
const MAX_OWNER = 80;

export const nameOf = ({ owner, repo }: Repo): string => `${owner}/${repo}`;

export const isRepo = (owner: string, repo: string): boolean =>
  owner.length <= MAX_OWNER && OWNER.test(owner) && NAME.test(repo);

/** `owner/name`, or `owner/*` for all of an owner; undefined for anything else. */
export function parseRepoPattern(text: string): Repo | undefined {
  const [owner = "", repo = "", ...rest] = text.trim().toLowerCase().split("/");
  const isGood = rest.length === 0 && owner.length <= MAX_OWNER && OWNER.test(owner);
  return isGood && (repo === "*" || NAME.test(repo)) ? { owner, repo } : undefined;
}

const parseAll = (list: readonly string[]): Repo[] =>
  list.map(parseRepoPattern).filter((pattern) => pattern !== undefined);

/** Undefined means every repository. What may be written may also be read. */
export interface Patterns {
  readonly read: readonly Repo[] | undefined;
  readonly write: readonly Repo[] | undefined;
}

export function toPatterns(repos: readonly string[], writeRepos: readonly string[]): Patterns {
  const write = parseAll(writeRepos);
  const read = repos.length > 0 ? [...parseAll(repos), ...write] : undefined;
  return { read, write: writeRepos.length > 0 ? write : read };
}

/** The repository, if the patterns allow exactly one. */
export function singleOf({ read = [] }: Patterns): Repo | undefined {
  const [only] = read;
  const isOne = new Set(read.map(nameOf)).size === 1 && only?.repo !== "*";
  return isOne ? only : undefined;
}
