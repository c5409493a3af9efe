import { isObject } from "@suite/server-kit/domain";

import { type Fields, toFields, toText } from "../projection.ts";
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
  readonly target?: "public" | "private";
  readonly repo?: Repo;
}

export function repoOf({ params }: Placed): Repo | undefined {
  const { owner, repo } = params ?? {};
  return typeof owner === "string" && typeof repo === "string" ? { owner, repo } : undefined;
}

/** Where a write goes, or who can see it there. */
export type Target = Repo | "public" | "private";

export const targetOf = (request: Placed): Target =>
  request.target ?? request.repo ?? repoOf(request) ?? "public";

/** The repository that an item says it is in. GitHub's own name, so its syntax is not checked. */
export function repoOfItem(item: unknown): Repo | undefined {
  if (!isObject(item)) return undefined;
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
