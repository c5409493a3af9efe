import { Fault } from "@suite/server-kit/domain";

import type { Api } from "./api.ts";
import { ADD_REVIEW_THREAD, THREAD_START } from "./gateway/documents.ts";
import { OFF_THE_DIFF } from "./gateway/explain.ts";
import { nameOf, type Repo } from "./gateway/repositories.ts";
import { type Fields, readPath, toFields, toList } from "./answers/projection.ts";
import { proceed } from "./steps.ts";

export const PULL_ROUTE = "/repos/{owner}/{repo}/pulls/{pull_number}";
export const REVIEWS_ROUTE: string = `${PULL_ROUTE}/reviews`;
export const WHERE_THREADS_ARE = "pull_request_read with get_review_comments has them.";

export type PullParams = Repo & { readonly pull_number: number };
export const pullName = (params: PullParams): string => `${nameOf(params)}#${params.pull_number}`;

export interface ReviewComment {
  readonly path: string;
  readonly body: string;
  readonly line?: number | undefined;
  readonly start_line?: number | undefined;
  readonly side?: "LEFT" | "RIGHT" | undefined;
}

/** Lines count in the new version unless `side` says otherwise. */
export const toRestComment = ({ side = "RIGHT", start_line, ...comment }: ReviewComment): Fields => ({
  ...comment,
  ...(comment.line !== undefined && { side }),
  ...(start_line !== undefined && { start_line, start_side: side }),
});

/** The id of the first comment of a thread. */
export async function findStart(api: Api, params: PullParams, thread: string): Promise<number> {
  const { owner, repo, pull_number: number } = params;
  const { node } = await api.graphql({
    document: THREAD_START,
    variables: { id: thread },
    repo: { owner, repo },
  });
  const start = readPath(toList(readPath(node, "comments.nodes"))[0], "databaseId");
  if (typeof start === "number" && readPath(node, "pullRequest.number") === number) return start;
  throw new Fault(
    "not_found",
    `There is no review thread ${JSON.stringify(thread)} on ${pullName(params)}.`,
    {
      hint: WHERE_THREADS_ARE,
    },
  );
}

/** GitHub shows pending reviews only to their author, so one that is listed is ours. */
export async function pendingReview(api: Api, params: PullParams): Promise<Fields> {
  const { items, isWhole } = await api.all(REVIEWS_ROUTE, { ...params });
  const found = items.find((review) => toFields(review)["state"] === "PENDING");
  if (found !== undefined) return toFields(found);
  throw new Fault("not_found", `You have no pending review on ${pullName(params)}.`, {
    hint: isWhole
      ? 'Start one with method "create" and without event.'
      : `Only the first ${items.length} reviews were checked: a person has to look for it on GitHub.`,
  });
}

/** Adds a comment to a pending review. */
export async function addComment(
  api: Api,
  repo: Repo,
  review: Fields,
  comment: ReviewComment,
  at: number,
): Promise<void> {
  const { path, body, line, start_line: startLine, side = "RIGHT" } = comment;
  const subjectType = line === undefined ? "FILE" : "LINE";
  const before = {
    words: at === 0 ? "" : at === 1 ? "The first comment was added" : `The first ${at} comments were added`,
    hint: "Add only the others again.",
    details: { added: at },
  };
  await proceed(before, `comments[${at}] failed`, async () => {
    const startSide = startLine === undefined ? undefined : side;
    const variables = { id: review["node_id"], path, body, line, startLine, startSide, side, subjectType };
    const added = await api.graphql({ document: ADD_REVIEW_THREAD, variables, repo });
    // For a line outside the diff, GitHub adds nothing and reports no error.
    if (readPath(added, "addPullRequestReviewThread.thread") === null) {
      const place = line === undefined ? path : `line ${line} of ${path}`;
      throw new Fault("invalid_input", `GitHub did not accept a comment on ${place}.`, {
        hint: OFF_THE_DIFF,
      });
    }
  });
}
