import type { ToolDefinition } from "@suite/server-kit";
import { Fault, type JsonValue } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type NamedRepo, repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { isMissing } from "../domain/gateway/explain.ts";
import type { GatewayAnswer } from "../domain/gateway/gateway.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { project, toFields, toList, toText } from "../domain/answers/projection.ts";
import { fromVersionedCursor, toVersionedCursor } from "../domain/versioned-cursor.ts";
import type { GithubState } from "../state.ts";
import { readSubtree, TREE_ROUTE } from "./branch-state.ts";
import { originOf, requireOwnHistory } from "./origins.ts";
import { COMMIT, COMMIT_FULL, FILE, LABEL, RELEASE } from "./projections.ts";
import { defineRead, fitPage, listHeader, MOST_FILES, readPage, readWholeList, toItem } from "./reading.ts";
import { Detail, Flag, page, relist, type Shape, Text, Texts, toTime } from "./schemas.ts";

/** Lists that take nothing but a repository. */
const LISTS = [
  { name: "list_branches", one: "branch", path: "branches", spec: ["name", "sha=commit.sha", "protected"] },
  { name: "list_tags", one: "tag", path: "tags", spec: ["name", "sha=commit.sha"] },
  {
    name: "list_releases",
    one: "release",
    path: "releases",
    spec: RELEASE.filter((field) => field !== "body"),
    full: RELEASE,
  },
  { name: "list_label", one: "label", path: "labels", spec: LABEL },
] as const;

export const placeOf = ({ owner, repo }: NamedRepo): string =>
  owner === undefined ? "" : `${owner}/${repo ?? ""}`;

export const createRepositoryTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  ...LISTS.map(({ name, one, path, spec, ...more }) =>
    defineRead({
      name,
      version: "full" in more ? 3 : 2,
      title: `List ${path}`,
      description: `${path[0]?.toUpperCase()}${path.slice(1)} of a repository.`,
      group: one === "label" ? "labels" : "repos",
      input: { ...shape.repo, ...("full" in more && { detail: Detail }), ...page },
      header: (input, output) => listHeader(output, one, placeOf(input)),
      read: (input, api, context) =>
        readPage(api, input, context, {
          route: `/repos/{owner}/{repo}/${path}`,
          params: { ...repoOf(input, context) },
          spec: "full" in more && input.detail === "full" ? more.full : spec,
        }),
    }),
  ),
  listCommits(shape),
  relist(getCommit(shape), (all) => ({ ...all, detail: { enum: ["none", "stats", "full"] } })),
  defineRead({
    name: "get_latest_release",
    version: 2,
    alsoKnownAs: ["get_release_by_tag", "get_release"],
    title: "A release",
    description: "The latest release, or that of a tag, with its notes.",
    group: "repos",
    input: { ...shape.repo, tag: Text, cursor: Text },
    aliases: { tag: ["tag_name"] },
    header: ({ tag, ...input }) =>
      tag === undefined ? `Latest release of ${placeOf(input)}:` : `Release of ${placeOf(input)}:`,
    async read(input, api, context) {
      const repo = repoOf(input, context);
      const { data } = await findRelease(api, repo, input.tag);
      return toItem(data, RELEASE, input, context, ["release", nameOf(repo), input.tag ?? null]);
    },
  }),
  getTree(shape),
];

/** The release of a tag, or the latest one. A tag may have none, and a draft has no tag yet. */
export const findRelease = (api: Api, repo: Repo, tag: string | undefined): Promise<GatewayAnswer> =>
  api
    .get(`/repos/{owner}/{repo}/releases/${tag === undefined ? "latest" : "tags/{tag}"}`, { ...repo, tag })
    .catch((thrown: unknown) => {
      if (!isMissing(thrown)) throw thrown;
      const which = tag === undefined ? "" : ` for the tag ${JSON.stringify(tag)}`;
      const words = `There is no published release${which} in ${nameOf(repo)} that this server can see.`;
      const hint = "list_releases has drafts and prereleases, too; list_tags has the tags.";
      throw new Fault("not_found", words, { hint, cause: thrown });
    });

const listCommits = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "list_commits",
    version: 4,
    alsoKnownAs: ["compare_branches"],
    title: "List commits",
    description:
      "Commits of sha (branch, tag or commit), newest first; with base, only those not in base, oldest first.",
    group: "repos",
    input: {
      ...shape.repo,
      sha: Text,
      base: Text,
      path: Text,
      author: Text,
      since: Text,
      until: Text,
      detail: Detail,
      fields: Texts,
      ...page,
    },
    aliases: { sha: ["ref", "branch", "head"] },
    header: (input, output) => listHeader(output, "commit", placeOf(input)),
    read: async (input, api, context) => {
      const { sha, base, path, author, since, until, detail, ...rest } = input;
      const repo = repoOf(input, context);
      for (const ref of [sha, base]) await requireOwnHistory(api, repo, ref);
      const common = { spec: detail === "full" ? COMMIT_FULL : COMMIT, request: originOf(sha) };
      if (base !== undefined) {
        if ((path ?? author ?? since ?? until) !== undefined)
          throw new Fault("invalid_input", "base cannot be combined with path, author, since or until.");
        return readPage(api, rest, context, {
          ...common,
          ...toComparison(repo, base, sha),
          itemsIn: "commits",
        });
      }
      return readPage(api, rest, context, {
        ...common,
        route: "/repos/{owner}/{repo}/commits",
        params: { ...repo, sha, path, author, since: toTime("since", since), until: toTime("until", until) },
      });
    },
  });

const toComparison = (repo: Repo, base: string, sha = "HEAD") => ({
  route: "/repos/{owner}/{repo}/compare/{basehead}",
  params: { ...repo, basehead: `${base}...${sha}` },
  head: ["status", "ahead_by", "behind_by"],
});

/** GitHub lists no more files of a comparison, and all of them on its first page. */
const MOST_COMPARED = 300;

const getCommit = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "get_commit",
    version: 4,
    alsoKnownAs: ["compare", "compare_commits", "get_diff"],
    title: "A commit",
    description:
      "A commit and its files, or those changed since base (branch, tag or commit); detail full adds patches.",
    group: "repos",
    input: {
      ...shape.repo,
      sha: v.string(),
      base: Text,
      // GitHub's own server calls the full one full_patch.
      detail: v.optional(v.picklist(["none", "stats", "full", "full_patch"])),
      ...page,
    },
    aliases: { sha: ["ref", "head"] },
    argumentHints: { include_diff: 'detail: "full" gives the patches.' },
    header: ({ sha, base }, output) => {
      const what = base === undefined ? `Commit ${sha}` : `From ${base} to ${sha}`;
      return `${what}${output.items === undefined ? ":" : `, ${listHeader(output, "file")}`}`;
    },
    async read(input, api, context) {
      const { sha, base, detail = "stats", ...rest } = input;
      const repo = repoOf(input, context);
      for (const ref of [sha, base]) await requireOwnHistory(api, repo, ref);
      const request = originOf(sha);
      const { head, ...asked } =
        base === undefined
          ? { route: "/repos/{owner}/{repo}/commits/{ref}", params: { ...repo, ref: sha }, head: COMMIT }
          : toComparison(repo, base, sha);
      if (detail === "none") {
        const { data } = await api.get(asked.route, asked.params, request);
        return toItem(data, head, rest, context, [nameOf(repo), sha, base ?? null]);
      }
      const list = base === undefined ? readPage : readWholeList;
      return list(api, rest, context, {
        ...asked,
        request,
        itemsIn: "files",
        head: [...head, "additions=stats.additions", "deletions=stats.deletions", "url=html_url"],
        spec: detail === "stats" ? FILE : [...FILE, "patch"],
        most: base === undefined ? MOST_FILES : MOST_COMPARED,
      });
    },
  });

const getTree = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "get_repository_tree",
    version: 2,
    title: "Files of a repository",
    description: "Paths at tree_sha (a branch, tag or commit); recursive goes into directories.",
    group: "git",
    input: { ...shape.repo, tree_sha: Text, path_filter: Text, recursive: Flag, cursor: Text },
    aliases: { tree_sha: ["ref", "sha"] },
    header: (input, output) => listHeader(output, "entry", placeOf(input)),
    async read(input, api, context) {
      const { tree_sha: sha = "HEAD", path_filter: prefix = "", recursive = false, cursor } = input;
      const repo = repoOf(input, context);
      const isDeep = recursive || prefix.includes("/");
      const params = { ...repo, tree_sha: sha, ...(isDeep && { recursive: "1" }) };
      await requireOwnHistory(api, repo, sha);
      const { data } = await api.get(TREE_ROUTE, params, originOf(sha));
      const whole = toFields(data);
      const isPart = whole["truncated"] === true && prefix !== "";
      const part = isPart ? await readSubtree(api, repo, sha, { prefix, recursive }) : undefined;
      const { tree, truncated } = part ?? whole;
      const all = toList(tree).filter((entry) => {
        const path = toText(toFields(entry)["path"]);
        return path.startsWith(prefix) && (recursive || !path.includes("/", prefix.length));
      });
      const about = [params, prefix, recursive] as unknown as JsonValue;
      const version = toText(whole["sha"]);
      const [start] = fromVersionedCursor(cursor, about, version, [0] as const);
      const wanted = all.slice(start).map((entry) => project(entry, ["path", "type", "size", "sha"]));
      const { items } = fitPage(wanted, context.budget);
      const end = start + items.length;
      return {
        items,
        total: all.length,
        ...(truncated === true && { truncated: true }),
        ...(end < all.length && { next_cursor: toVersionedCursor([end], about, version) }),
      };
    },
  });
