import { Fault, type JsonValue } from "@suite/server-kit/domain";

import type { Api } from "../domain/api.ts";
import { isDiffOf, splitDiff, takeDiff } from "../domain/diff.ts";
import { REVIEW_THREADS, THREAD_COMMENTS } from "../domain/gateway/documents.ts";
import type { Repo } from "../domain/gateway/repositories.ts";
import { project, readPath, toFields, toList } from "../domain/answers/projection.ts";
import { PULL_ROUTE, type PullParams } from "../domain/reviews.ts";
import { fromVersionedCursor, toVersionedCursor } from "../domain/versioned-cursor.ts";
import type { GithubToolContext } from "../state.ts";
import { JOB } from "./projections.ts";
import { type PageInput, readConnection, readPage } from "./reading.ts";
import type { ReadOutput } from "./schemas.ts";

export async function readDiff(
  api: Api,
  params: PullParams,
  { path, cursor }: { readonly path: string | undefined; readonly cursor: string | undefined },
  { budget }: GithubToolContext,
  about: JsonValue,
): Promise<ReadOutput> {
  const diff = await api.text(PULL_ROUTE, { ...params }, { accept: "application/vnd.github.diff" });
  const files = splitDiff(diff).filter((file) => path === undefined || isDiffOf(file, path));
  if (files.length === 0 && path !== undefined) {
    throw new Fault("not_found", `${path} is not changed by this pull request.`, {
      hint: "get_files lists what is.",
    });
  }
  const from = fromVersionedCursor(cursor, about, diff, [0, 0] as const);
  const { text, next } = takeDiff(files, from, budget);
  return { text, total: files.length, ...(next && { next_cursor: toVersionedCursor(next, about, diff) }) };
}

/** Statuses or check runs of the newest commit. */
export async function readChecks(
  api: Api,
  repo: Repo,
  ref: string,
  input: PageInput & { readonly method: "get_status" | "get_check_runs" },
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
  // GitHub says "pending" even if there is nothing to wait for.
  const isNone = found.item !== undefined && found.items?.length === 0;
  return isNone ? { ...found, item: { ...found.item, state: "none" } } : found;
}

export function readThreads(
  api: Api,
  repo: Repo,
  { pull_number: number, ...input }: PageInput & { readonly pull_number: number },
  context: GithubToolContext,
  about: JsonValue,
): Promise<ReadOutput> {
  const path = "repository.pullRequest.reviewThreads";
  const asked = { document: REVIEW_THREADS, variables: { ...repo, number }, repo, path };
  return readConnection(api, asked, input, context, about, async (thread) =>
    toComments(await withAllComments(api, repo, thread)),
  );
}

/** Of a thread with more comments than that, the number is told. */
const MOST_COMMENT_PAGES = 10;

/** With the comments that did not fit among those of the other threads. */
async function withAllComments(api: Api, repo: Repo, thread: unknown): Promise<unknown> {
  const { id, comments } = toFields(thread);
  const nodes = [...toList(toFields(comments)["nodes"])];
  let { hasNextPage, endCursor } = toFields(toFields(comments)["pageInfo"]);
  for (let page = 1; hasNextPage === true && page < MOST_COMMENT_PAGES; page += 1) {
    const variables = { id, after: endCursor };
    const { node } = await api.graphql({ document: THREAD_COMMENTS, variables, repo });
    const more = toFields(readPath(node, "comments"));
    nodes.push(...toList(more["nodes"]));
    ({ hasNextPage, endCursor } = toFields(more["pageInfo"]));
  }
  return { ...toFields(thread), comments: { ...toFields(comments), nodes } };
}

/** Repeats the thread's fields in each comment, so that a long thread can be paged like any list. */
function toComments(thread: unknown): Record<string, unknown>[] {
  // GitHub gives outdated threads only their original line.
  const line = readPath(thread, "line") ?? readPath(thread, "originalLine");
  const comments = toList(readPath(thread, "comments.nodes"));
  const total = Number(readPath(thread, "comments.totalCount"));
  const place = {
    ...project({ ...toFields(thread), line }, [
      "thread_id=id",
      "path",
      "line",
      "resolved=isResolved",
      "outdated=isOutdated",
    ]),
    ...(total > comments.length && { total_comments: total }),
  };
  return comments.map((comment) => ({
    ...place,
    ...project(comment, ["id=databaseId", "author=author.login", "created_at=createdAt", "body"]),
  }));
}
