import type { ToolDefinition } from "@suite/server-kit";
import { countOf, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type Api, repoOf } from "../api.ts";
import { ADD_REVIEW_THREAD, RESOLVE_THREAD, THREAD_START, UNRESOLVE_THREAD } from "../domain/documents.ts";
import { OFF_THE_DIFF } from "../domain/gateway/explain.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { type Fields, readPath, toFields, toList } from "../domain/projection.ts";
import type { GithubState } from "../state.ts";
import { NonEmpty, Num, OptionalNum, PULL_ALIASES, type Shape, Text } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

const ROUTE = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews";
const REVIEW = ["id", "state"];
const Side = v.optional(v.picklist(["LEFT", "RIGHT"]));

const Comment = v.strictObject({
  path: v.string(),
  body: v.string(),
  line: OptionalNum,
  start_line: OptionalNum,
  side: Side,
});
type Comment = v.InferOutput<typeof Comment>;

export const createReviewWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  writeReview(shape),
  defineWrite({
    name: "add_reply_to_pull_request_comment",
    version: 2,
    title: "Reply in a review thread",
    description: "Replies in a review thread: thread_id, or comment_id of its first comment.",
    group: "pull_requests",
    touches: "review comments",
    input: {
      ...shape.repo,
      pull_number: Num,
      thread_id: Text,
      comment_id: OptionalNum,
      body: NonEmpty,
    },
    aliases: { ...PULL_ALIASES, comment_id: ["commentId"], thread_id: ["threadId"] },
    async plan(input, api, context) {
      const { pull_number, thread_id: thread, comment_id: comment, body } = input;
      const params = { ...repoOf(input, context), pull_number };
      const comment_id = thread === undefined ? comment : await findStart(api, params, thread);
      if (comment_id === undefined) throw toUnnamed("thread_id, or comment_id of its first comment");
      return {
        changed: [`A reply to comment ${comment_id} on ${placeOf(params)}`],
        request: {
          route: "POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies",
          params: { ...params, comment_id, body },
        },
        spec: ["id", "path", "line"],
      };
    },
  }),
];

/** The first comment of a thread. */
async function findStart(api: Api, params: PullParams, thread: string): Promise<number> {
  const { owner, repo, pull_number: number } = params;
  const { node } = await api.graphql({
    document: THREAD_START,
    variables: { id: thread },
    repo: { owner, repo },
  });
  const start = readPath(toList(readPath(node, "comments.nodes"))[0], "databaseId");
  if (typeof start === "number" && readPath(node, "pullRequest.number") === number) return start;
  throw new Fault("not_found", `There is no review thread ${JSON.stringify(thread)} on ${placeOf(params)}.`, {
    hint: WHERE_THREADS_ARE,
  });
}

const toUnnamed = (wanted: string): Fault =>
  new Fault("invalid_input", `Which thread? Give ${wanted}.`, { hint: WHERE_THREADS_ARE });

const WHERE_THREADS_ARE = "pull_request_read with get_review_comments has them.";

type PullParams = Repo & { readonly pull_number: number };
const placeOf = (params: PullParams): string => `${nameOf(params)}#${params.pull_number}`;

function planCreate(
  params: PullParams,
  given: { event?: string | undefined; body?: string | undefined; commit_id?: string | undefined },
  comments: readonly Comment[],
): WritePlan {
  const { event, body } = given;
  if (event !== undefined && event !== "APPROVE" && body === undefined && comments.length === 0) {
    throw new Fault("invalid_input", `A review with event ${event} needs a body or comments.`);
  }
  const what = event === undefined ? "A pending review" : `A review (${event})`;
  return {
    changed: [
      `${what} of ${placeOf(params)}${comments.length === 0 ? "" : `, ${countOf(comments.length, "comment")}`}`,
    ],
    request: {
      route: `POST ${ROUTE}`,
      params: { ...params, ...given, ...(comments.length > 0 && { comments: comments.map(toRestComment) }) },
    },
    spec: REVIEW,
  };
}

/** Without a side, lines are those of the new version. */
const toRestComment = ({ side = "RIGHT", start_line, ...comment }: Comment): Fields => ({
  ...comment,
  ...(comment.line !== undefined && { side }),
  ...(start_line !== undefined && { start_line, start_side: side }),
});

async function planComments(api: Api, params: PullParams, comments: readonly Comment[]): Promise<WritePlan> {
  if (comments.length === 0) throw new Fault("invalid_input", "There are no comments to add.");
  const review = await pendingReview(api, params);
  return {
    changed: comments.map(
      ({ path, line }) =>
        `A pending comment on ${path}${line === undefined ? "" : `:${line}`} of ${placeOf(params)}`,
    ),
    request: { document: ADD_REVIEW_THREAD, variables: { id: review["node_id"], comments }, repo: params },
    spec: REVIEW,
    run: async (on) => {
      for (const [at, comment] of comments.entries()) await addComment(on, params, review, comment, at);
      return review;
    },
  };
}

async function addComment(api: Api, repo: Repo, review: Fields, comment: Comment, at: number): Promise<void> {
  const { path, body, line, start_line: startLine, side = "RIGHT" } = comment;
  const subjectType = line === undefined ? "FILE" : "LINE";
  try {
    const variables = { id: review["node_id"], path, body, line, startLine, side, subjectType };
    const added = await api.graphql({ document: ADD_REVIEW_THREAD, variables, repo });
    // Off the diff, GitHub adds nothing and calls it no error.
    if (readPath(added, "addPullRequestReviewThread.thread") === null) {
      const place = line === undefined ? path : `line ${line} of ${path}`;
      throw new Fault("invalid_input", `GitHub took no comment on ${place}.`, { hint: OFF_THE_DIFF });
    }
  } catch (thrown) {
    if (!(thrown instanceof Fault) || at === 0) throw thrown;
    throw new Fault(
      thrown.code,
      `${at === 1 ? "The first comment was" : `The first ${at} comments were`} added, and comments[${at}] failed: ${thrown.message}`,
      {
        retryable: false,
        hint: ["Add only the others again.", ...(thrown.hint === undefined ? [] : [thrown.hint])].join(" "),
        details: { added: at },
        cause: thrown,
      },
    );
  }
}

async function planPending(
  api: Api,
  params: PullParams,
  method: "submit_pending" | "delete_pending",
  { event, body }: { event?: string | undefined; body?: string | undefined },
): Promise<WritePlan> {
  const { id: review_id } = await pendingReview(api, params);
  const isDelete = method === "delete_pending";
  if (!isDelete && event === undefined)
    throw new Fault("invalid_input", "A review is submitted with an event.");
  return {
    changed: [
      isDelete
        ? `Your pending review of ${placeOf(params)}, deleted`
        : `Your review of ${placeOf(params)} (${event ?? ""})`,
    ],
    request: isDelete
      ? { route: `DELETE ${ROUTE}/{review_id}`, params: { ...params, review_id } }
      : { route: `POST ${ROUTE}/{review_id}/events`, params: { ...params, review_id, event, body } },
    spec: REVIEW,
  };
}

/** Others do not see it: the one that is there is ours. */
async function pendingReview(api: Api, params: PullParams): Promise<Fields> {
  const { data } = await api.get(ROUTE, { ...params, per_page: 100 });
  const found = toList(data).find((review) => toFields(review)["state"] === "PENDING");
  if (found !== undefined) return toFields(found);
  throw new Fault("not_found", `There is no pending review of yours on ${placeOf(params)}.`, {
    hint: 'Start one with method "create" and without event.',
  });
}

function planThread(
  params: PullParams,
  method: "resolve_thread" | "unresolve_thread",
  thread: string | undefined,
): WritePlan {
  if (thread === undefined) throw toUnnamed("thread_id");
  const isResolve = method === "resolve_thread";
  return {
    changed: [`The thread ${thread} of ${placeOf(params)}, ${isResolve ? "resolved" : "open again"}`],
    request: {
      document: isResolve ? RESOLVE_THREAD : UNRESOLVE_THREAD,
      variables: { id: thread },
      repo: params,
    },
  };
}

const writeReview = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "pull_request_review_write",
    formerly: [
      "create_pull_request_review",
      "create_pending_pull_request_review",
      "submit_pending_pull_request_review",
      "add_comment_to_pending_review",
      "resolve_review_thread",
    ],
    title: "Review a pull request",
    description:
      "create a review with comments on lines (pending without event); add_comments to, submit or delete your pending one; resolve threads.",
    group: "pull_requests",
    touches: "reviews",
    effects: "destructive",
    input: {
      ...shape.repo,
      pull_number: Num,
      method: v.picklist([
        "create",
        "add_comments",
        "submit_pending",
        "delete_pending",
        "resolve_thread",
        "unresolve_thread",
      ]),
      event: v.optional(v.picklist(["APPROVE", "REQUEST_CHANGES", "COMMENT"])),
      body: Text,
      comments: v.optional(v.array(Comment)),
      commit_id: Text,
      thread_id: Text,
    },
    aliases: {
      ...PULL_ALIASES,
      commit_id: ["commitID"],
      thread_id: ["threadId"],
      "comments[].start_line": ["startLine"],
    },
    plan(input, api, context) {
      const { method, pull_number, event, body, comments = [], commit_id, thread_id: thread } = input;
      const params = { ...repoOf(input, context), pull_number };
      if (method === "create") return planCreate(params, { event, body, commit_id }, comments);
      if (method === "add_comments") return planComments(api, params, comments);
      return method === "submit_pending" || method === "delete_pending"
        ? planPending(api, params, method, { event, body })
        : planThread(params, method, thread);
    },
  });
