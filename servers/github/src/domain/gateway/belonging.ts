import { isObject } from "@suite/server-kit/domain";

import { type Fields, toFields, toList, toText } from "../answers/projection.ts";
import type { Repo } from "./repo-names.ts";

/** How the owner of the token relates to a repository. */
export interface Standing {
  readonly isPublic: boolean;
  readonly mayPush: boolean;
}

export const toStanding = ({ private: isPrivate, visibility, permissions }: Fields): Standing => ({
  isPublic: isPrivate === false && visibility !== "internal",
  mayPush: toFields(permissions)["push"] === true,
});

/** Only issues and pull requests may be in another repository than asked for. URLs of files may point to submodules, so they do not count. */
const PAGE = /^https?:\/\/[^/]+\/([^/]+\/[^/]+)\/(?:issues|pull)\//;

/** What a request says about its place. */
interface Placed {
  readonly params?: Fields;
  readonly target?: OtherPlace;
  readonly repo?: Repo;
}

/**
 * Where a write goes that is in no repository: to the public, to nobody but the token's own account (which tells nobody
 * anything), or to something private of an owner, such as a repository that is yet to be made.
 */
export type OtherPlace = "public" | "account" | { readonly owner: string; readonly what?: string };

/** Where something is read that is in no repository, or that not everybody who sees the repository may see. */
export interface ReadPlace {
  readonly owner: string;
  /** In words: "project 5", "alerts of app". */
  readonly what: string;
  readonly isPublic: boolean;
}

/** For the guard, it is like a repository of its owner; anybody may have written what is in a public one. */
export const sightingOf = ({ owner, what, isPublic }: ReadPlace): { repo: Repo; standing: Standing } => ({
  repo: { owner, repo: what },
  standing: { isPublic, mayPush: !isPublic },
});

export function repoOf({ params }: Placed): Repo | undefined {
  const { owner, repo } = params ?? {};
  return typeof owner === "string" && typeof repo === "string" ? { owner, repo } : undefined;
}

/** Where a write goes. */
export interface Target {
  readonly place: Repo | OtherPlace;
  /** Whether GitHub runs something for it, now or later. */
  readonly isRun: boolean;
}

export const targetOf = (
  request: Placed,
  sent?: { readonly path: string; readonly body: unknown },
): Target => ({
  place: request.target ?? request.repo ?? repoOf(request) ?? "public",
  isRun: sent !== undefined && isRun(sent.path, sent.body),
});

const RUN = /^\/repos\/[^/]+\/[^/]+\/(?:contents\/\.github(?:\/|$)|actions\/.*\/(?:dispatches|rerun[^/]*)$)/i;
const RUN_FILE = /^\.github(?:\/|$)/i;

/** Whether a request starts a workflow, or writes where workflows are, by what is really sent. */
const isRun = (path: string, body: unknown): boolean =>
  RUN.test(decodeURIComponent(path)) ||
  toList(toFields(body)["tree"]).some((entry) => RUN_FILE.test(toText(toFields(entry)["path"])));

/** The repository that an item says it is in. GitHub's own name, so its syntax is not checked. */
export function repoOfItem(item: unknown): Repo | undefined {
  if (!isObject(item)) return undefined;
  // An item of a project has the issue or pull request inside.
  if (isObject(item["content"])) return repoOfItem(item["content"]);
  const { repository, repository_url: url, full_name: fullName, html_url: page } = item;
  const name =
    (typeof url === "string"
      ? url.split("/").slice(-2).join("/")
      : toText(isObject(repository) ? repository["full_name"] : fullName)) || PAGE.exec(toText(page))?.[1];
  if (name === undefined) return undefined;
  const [owner = "", ...rest] = name.split("/");
  return { owner, repo: rest.join("/") };
}

/** From the repository in an item, if it has all the fields. */
export function standingIn(item: unknown): Standing | undefined {
  const fields = toFields(item);
  const repository = isObject(fields["repository"]) ? fields["repository"] : fields;
  return "private" in repository && "permissions" in repository ? toStanding(repository) : undefined;
}

/** Removes items that are outside, at any depth. A repository that is only mentioned, such as a fork, keeps its name. */
export function withoutOutside(data: unknown, isOutside: (item: unknown) => boolean): unknown {
  if (Array.isArray(data)) {
    return data.filter((item) => !isOutside(item)).map((item) => withoutOutside(item, isOutside));
  }
  if (!isObject(data) || data instanceof ArrayBuffer) return data;
  const entries = Object.entries(data).map(([key, value]): [string, unknown] => {
    if (!isOutside(value)) return [key, withoutOutside(value, isOutside)];
    const { full_name: name } = toFields(value);
    return [key, typeof name === "string" ? { full_name: name } : null];
  });
  return Object.fromEntries(entries);
}
