import type { ToolDefinition } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { MaxBytes } from "@suite/server-kit/schemas";
import * as v from "valibot";

import { type NamedRepo, repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { readPath, toFields, toText } from "../domain/answers/projection.ts";
import { PULL_ROUTE } from "../domain/reviews.ts";
import type { GithubToolContext, GithubState } from "../state.ts";
import {
  COMMENT,
  COMMENT_FULL,
  COMMIT,
  COMMIT_FULL,
  FILE,
  PULL,
  PULL_DETAIL,
  PULL_FULL,
  REVIEW,
} from "./projections.ts";
import { readChecks, readDiff, readThreads } from "./pull-request-parts.ts";
import { defineRead, type Input, listHeader, MOST_FILES, readPage, toItem } from "./reading.ts";
import { placeOf } from "./repositories.ts";
import {
  Detail,
  keysOf,
  Num,
  page,
  PULL_ALIASES,
  type ReadOutput,
  type Shape,
  Text,
  Texts,
} from "./schemas.ts";

/** Lists that belong to a pull request. */
const PARTS = {
  get_files: {
    path: "pulls/{pull_number}/files",
    spec: FILE,
    full: [...FILE, "sha", "patch"],
    most: MOST_FILES,
  },
  get_commits: { path: "pulls/{pull_number}/commits", spec: COMMIT, full: COMMIT_FULL, most: 250 },
  get_reviews: { path: "pulls/{pull_number}/reviews", spec: REVIEW, full: REVIEW, most: Infinity },
  get_comments: { path: "issues/{pull_number}/comments", spec: COMMENT, full: COMMENT_FULL, most: Infinity },
} as const;

/** What each method lists. */
const ONES = {
  get_files: "file",
  get_commits: "commit",
  get_status: "status",
  get_check_runs: "check run",
  get_reviews: "review",
  get_review_comments: "review comment",
  get_comments: "comment",
} as const;

export const createPullRequestTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "list_pull_requests",
    version: 3,
    title: "List pull requests",
    description: "Pull requests of a repository. head: user:branch.",
    group: "pull_requests",
    input: {
      ...shape.repo,
      state: v.optional(v.picklist(["open", "closed", "all"])),
      head: Text,
      base: Text,
      sort: v.optional(v.picklist(["created", "updated", "popularity", "long-running"])),
      direction: v.optional(v.picklist(["asc", "desc"])),
      detail: Detail,
      fields: Texts,
      ...page,
    },
    header: (input, output) => listHeader(output, "pull request", placeOf(input)),
    read: (input, api, context) => {
      const { state, head, base, sort, direction, detail, ...rest } = input;
      const repo = repoOf(input, context);
      // GitHub ignores a branch without its owner.
      const source = head === undefined || head.includes(":") ? head : `${repo.owner}:${head}`;
      return readPage(api, rest, context, {
        route: "/repos/{owner}/{repo}/pulls",
        params: { ...repo, state, head: source, base, sort, direction },
        spec: detail === "full" ? PULL_FULL : PULL,
      });
    },
  }),
  readPullRequest(shape),
];

const pullEntries = {
  pull_number: Num,
  method: v.optional(v.picklist(["get", "get_diff", ...keysOf(ONES)])),
  path: Text,
  detail: Detail,
  fields: Texts,
  ...page,
  max_bytes: MaxBytes,
};

const readPullRequest = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "pull_request_read",
    version: 4,
    alsoKnownAs: [
      "get_pull_request",
      "get_pull_request_diff",
      "get_pull_request_files",
      "get_pull_request_status",
      "get_pull_request_reviews",
      "get_pull_request_comments",
      "get_pull_request_review_comments",
    ],
    title: "Read a pull request",
    description:
      "A pull request (get), its diff (of one path if given), files, commits, status, check runs, reviews, review threads or comments.",
    group: "pull_requests",
    view: "pull_request",
    input: { ...shape.repo, ...pullEntries },
    aliases: PULL_ALIASES,
    header: ({ pull_number: number, method = "get", ...input }, output) => {
      const place = `${placeOf(input)}#${number}`;
      if (method === "get") return `Pull request ${place}:`;
      if (method === "get_diff") return `Diff of ${place}, ${countOf(output.total ?? 0, "file")}:`;
      return listHeader(output, ONES[method], place);
    },
    advice: ({ item }) =>
      item?.["state"] === "none" && "There are no commit statuses: CI may report to get_check_runs instead.",
    read: readPull,
  });

type PullInput = NamedRepo & Input<typeof pullEntries>;

async function readPull(input: PullInput, api: Api, context: GithubToolContext): Promise<ReadOutput> {
  const { pull_number, method = "get", path, detail, ...rest } = input;
  const isFull = detail === "full";
  const repo = repoOf(input, context);
  const params = { ...repo, pull_number };
  const about = [method, nameOf(repo), pull_number, path ?? null];
  if (method === "get_review_comments") return readThreads(api, repo, input, context, about);
  if (method === "get_status" || method === "get_check_runs") {
    const { data } = await api.get(PULL_ROUTE, params);
    return readChecks(api, repo, toText(readPath(data, "head.sha")), { ...rest, method }, context);
  }
  // In lockdown, reading the pull request first refuses those of strangers.
  if (method === "get" || api.gateway.lockdown) {
    const { data } = await api.get(PULL_ROUTE, params);
    if (method === "get") return toItem(data, isFull ? PULL_DETAIL : PULL_FULL, rest, context, about);
  }
  if (method === "get_diff") return readDiff(api, params, { path, cursor: rest.cursor }, context, about);
  const { path: part, spec, full, most } = PARTS[method];
  const strangers = method === "get_files" || method === "get_commits";
  return readPage(api, rest, context, {
    route: `/repos/{owner}/{repo}/${part}`,
    params,
    spec: isFull ? full : spec,
    most,
    ...(strangers && { request: { strangers } }),
    ...(path !== undefined &&
      method === "get_files" && { keep: (item) => toFields(item)["filename"] === path }),
  });
}
