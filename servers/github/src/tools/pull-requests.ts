import type { ToolDefinition } from "@suite/server-kit";
import {
  countOf,
  Fault,
  type JsonValue,
  fromCursor,
  isCount,
  isListOf,
  isText,
  toCursor,
} from "@suite/server-kit/domain";
import { MaxBytes } from "@suite/server-kit/schemas";
import * as v from "valibot";

import { type Api, repoOf } from "../api.ts";
import { splitDiff } from "../domain/diff.ts";
import { REVIEW_THREADS } from "../domain/documents.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { project, readPath, toFields, toList, toText } from "../domain/projection.ts";
import type { GithubToolContext, GithubState } from "../state.ts";
import {
  COMMENT,
  COMMENT_FULL,
  COMMIT,
  COMMIT_FULL,
  FILE,
  JOB,
  PULL,
  PULL_DETAIL,
  PULL_FULL,
  REVIEW,
} from "./projections.ts";
import { defineRead, fitPage, fitText, listHeader, readPage, toItem } from "./reading.ts";
import { placeOf } from "./repositories.ts";
import { Detail, Num, page, PULL_ALIASES, type ReadOutput, type Shape, Text, Texts } from "./schemas.ts";

const METHODS = [
  "get",
  "get_diff",
  "get_files",
  "get_commits",
  "get_status",
  "get_check_runs",
  "get_reviews",
  "get_review_comments",
  "get_comments",
] as const;
type Method = (typeof METHODS)[number];

/** Lists that belong to a pull request. */
const PARTS: {
  readonly [method: string]: {
    readonly path: string;
    readonly spec: readonly string[];
    readonly full: readonly string[];
    readonly one: string;
  };
} = {
  get_files: {
    path: "pulls/{pull_number}/files",
    spec: [...FILE, "sha"],
    full: [...FILE, "sha", "patch"],
    one: "file",
  },
  get_commits: { path: "pulls/{pull_number}/commits", spec: COMMIT, full: COMMIT_FULL, one: "commit" },
  get_reviews: { path: "pulls/{pull_number}/reviews", spec: REVIEW, full: REVIEW, one: "review" },
  get_comments: { path: "issues/{pull_number}/comments", spec: COMMENT, full: COMMENT_FULL, one: "comment" },
};

const PULL_ROUTE = "/repos/{owner}/{repo}/pulls/{pull_number}";

export const createPullRequestTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "list_pull_requests",
    version: 2,
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
      return readPage(api, rest, context, {
        route: "/repos/{owner}/{repo}/pulls",
        params: { ...repoOf(input, context), state, head, base, sort, direction },
        spec: detail === "full" ? PULL_FULL : PULL,
      });
    },
  }),
  readPullRequest(shape),
];

const readPullRequest = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "pull_request_read",
    version: 2,
    formerly: [
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
    input: {
      ...shape.repo,
      pull_number: Num,
      method: v.optional(v.picklist(METHODS)),
      path: Text,
      detail: Detail,
      fields: Texts,
      ...page,
      max_bytes: MaxBytes,
    },
    aliases: PULL_ALIASES,
    header: ({ pull_number: number, method = "get", ...input }, output) => {
      const place = `${placeOf(input)}#${number}`;
      if (method === "get") return `Pull request ${place}:`;
      if (method === "get_diff") return `Diff of ${place}, ${countOf(output.total ?? 0, "file")}:`;
      if (method === "get_status" && output.item?.["state"] === "none")
        return `${place} has no commit statuses; see get_check_runs:`;
      return listHeader(output, PARTS[method]?.one ?? ONES[method] ?? "entry", place);
    },
    read: readPull,
  });

const ONES: { readonly [method: string]: string } = {
  get_status: "status",
  get_check_runs: "check run",
  get_review_comments: "review thread",
};

interface PullInput {
  readonly owner?: string;
  readonly repo?: string;
  readonly pull_number: number;
  readonly method?: Method | undefined;
  readonly path?: string | undefined;
  readonly detail?: "full" | undefined;
  readonly fields?: string[] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

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
  if (method === "get" || method === "get_diff" || api.gateway.lockdown) {
    // What strangers sent is behind this wall: in lockdown, their pull request is refused here.
    const { data } =
      method === "get_diff" && !api.gateway.lockdown
        ? { data: undefined }
        : await api.get(PULL_ROUTE, params);
    if (method === "get") return toItem(data, isFull ? PULL_DETAIL : PULL_FULL, rest, context, about);
  }
  if (method === "get_diff") return readDiff(api, params, { path, cursor: rest.cursor }, context, about);
  const { path: part = "", spec = [], full = [] } = PARTS[method] ?? {};
  const strangers = method === "get_files" || method === "get_commits";
  return readPage(api, rest, context, {
    route: `/repos/{owner}/{repo}/${part}`,
    params,
    spec: isFull ? full : spec,
    ...(strangers && { request: { strangers } }),
    ...(path !== undefined && { keep: (item) => toFields(item)["filename"] === path }),
  });
}

/** File by file, as the diff is; a file that is too long is continued within. */
async function readDiff(
  api: Api,
  params: Repo & { readonly pull_number: number },
  { path, cursor }: { readonly path: string | undefined; readonly cursor: string | undefined },
  { budget }: GithubToolContext,
  about: JsonValue,
): Promise<ReadOutput> {
  const diff = await api.text(PULL_ROUTE, { ...params }, { accept: "application/vnd.github.diff" });
  const files = splitDiff(diff).filter((file) => path === undefined || isOf(file, path));
  if (files.length === 0 && path !== undefined) {
    throw new Fault("not_found", `${path} is not changed by this pull request.`, {
      hint: "get_files lists what is.",
    });
  }
  let [at, offset] = fromCursor(cursor, about, isListOf(isCount, isCount)) ?? [0, 0];
  let text = "";
  for (let file = files[at]; file !== undefined; file = files[at]) {
    const rest = file.slice(offset);
    const room = budget - JSON.stringify(text).length;
    if (JSON.stringify(rest).length <= room) {
      text += rest;
      [at, offset] = [at + 1, 0];
      continue;
    }
    if (text === "") {
      text = fitText(rest, 0, room);
      offset += text.length;
    }
    break;
  }
  return {
    text,
    total: files.length,
    ...(at < files.length && { next_cursor: toCursor([at, offset], about) }),
  };
}

const isOf = (file: string, path: string): boolean =>
  file.startsWith(`diff --git a/${path} `) || (file.split("\n", 1)[0] ?? "").endsWith(` b/${path}`);

async function readChecks(
  api: Api,
  repo: Repo,
  ref: string,
  input: {
    readonly method: Method;
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
  },
  context: GithubToolContext,
): Promise<ReadOutput> {
  const isStatus = input.method === "get_status";
  const found = await readPage(api, input, context, {
    route: `/repos/{owner}/{repo}/commits/{ref}/${isStatus ? "status" : "check-runs"}`,
    params: { ...repo, ref },
    itemsIn: isStatus ? "statuses" : "check_runs",
    ...(isStatus && { head: ["state", "sha"] }),
    spec: isStatus
      ? ["context", "state", "description", "url=target_url", "updated_at"]
      : [...JOB.filter((field) => field !== "run_id"), "title=output.title", "summary=output.summary"],
  });
  // GitHub calls this pending, as if there were something to wait for.
  const isNone = found.item !== undefined && found.items?.length === 0;
  return isNone ? { ...found, item: { ...found.item, state: "none" } } : found;
}

async function readThreads(
  api: Api,
  repo: Repo,
  { pull_number: number, limit = 30, cursor }: PullInput,
  { budget }: GithubToolContext,
  about: JsonValue,
): Promise<ReadOutput> {
  const [after, skipped] = fromCursor(cursor, about, isListOf(isText, isCount)) ?? [null, 0];
  const variables = { ...repo, number, first: limit, after: after === "" ? null : after };
  const data = await api.graphql({ document: REVIEW_THREADS, variables, repo });
  const threads = toFields(readPath(data, "repository.pullRequest.reviewThreads"));
  const all = toList(threads["nodes"]).slice(skipped);
  const { items, truncated } = fitPage(all.map(toThread), budget);
  const { hasNextPage, endCursor } = toFields(threads["pageInfo"]);
  const next: JsonValue | undefined =
    items.length < all.length
      ? [after ?? "", skipped + items.length]
      : hasNextPage === true
        ? [toText(endCursor), 0]
        : undefined;
  return {
    items,
    ...(truncated && { truncated }),
    ...(next !== undefined && { next_cursor: toCursor(next, about) }),
  };
}

function toThread(thread: unknown): Record<string, unknown> {
  // Once the code has changed, only the line that it was at is known.
  const line = readPath(thread, "line") ?? readPath(thread, "originalLine");
  const comments = toList(readPath(thread, "comments.nodes"));
  const total = Number(readPath(thread, "comments.totalCount"));
  return {
    ...project({ ...toFields(thread), line }, [
      "thread_id=id",
      "path",
      "line",
      "resolved=isResolved",
      "outdated=isOutdated",
    ]),
    ...(total > comments.length && { total_comments: total }),
    comments: comments.map((comment) =>
      project(comment, ["id=databaseId", "author=author.login", "created_at=createdAt", "body"]),
    ),
  };
}
