import type { ToolDefinition } from "@suite/server-kit";
import { countOf, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { ADD_REVIEW_THREAD, RESOLVE_THREAD, UNRESOLVE_THREAD } from "../domain/gateway/documents.ts";
import {
  addComment,
  findStart,
  pendingReview,
  PULL_ROUTE,
  pullName,
  type PullParams,
  type ReviewComment,
  REVIEWS_ROUTE,
  toRestComment,
  WHERE_THREADS_ARE,
} from "../domain/reviews.ts";
import type { GithubState } from "../state.ts";
import { NonEmpty, Num, OptionalNum, PULL_ALIASES, type Shape, Text } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

const REVIEW = ["id", "state"];
const Side = v.optional(v.picklist(["LEFT", "RIGHT"]));

const Comment = v.strictObject({
  path: v.string(),
  body: v.string(),
  line: OptionalNum,
  start_line: OptionalNum,
  side: Side,
});

export const createReviewWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  writeReview(shape),
  defineWrite({
    name: "add_reply_to_pull_request_comment",
    version: 3,
    title: "Reply in a review thread",
    description: "Replies in a review thread: thread_id, or comment_id of its first comment.",
    group: "pull_requests",
    affects: "review comments",
    input: {
      ...shape.repo,
      pull_number: Num,
      thread_id: Text,
      comment_id: OptionalNum,
      body: NonEmpty,
    },
    aliases: PULL_ALIASES,
    async plan(input, api, context) {
      const { pull_number, thread_id: thread, comment_id: comment, body } = input;
      const params = { ...repoOf(input, context), pull_number };
      const comment_id = thread === undefined ? comment : await findStart(api, params, thread);
      if (comment_id === undefined) throw toUnnamed("thread_id, or comment_id of its first comment");
      return {
        changed: [`A reply to comment ${comment_id} on ${pullName(params)}`],
        request: {
          route: `POST ${PULL_ROUTE}/comments/{comment_id}/replies`,
          params: { ...params, comment_id, body },
        },
        spec: ["id", "line"],
      };
    },
  }),
];

const toUnnamed = (wanted: string): Fault =>
  new Fault("invalid_input", `Which thread? Give ${wanted}.`, { hint: WHERE_THREADS_ARE });

function planCreate(
  params: PullParams,
  given: { event?: string | undefined; body?: string | undefined; commit_id?: string | undefined },
  comments: readonly ReviewComment[],
): WritePlan {
  const { event, body } = given;
  if (event !== undefined && event !== "APPROVE" && body === undefined && comments.length === 0) {
    throw new Fault("invalid_input", `A review with event ${event} needs a body or comments.`);
  }
  const what = event === undefined ? "A pending review" : `A review (${event})`;
  return {
    changed: [
      `${what} of ${pullName(params)}${comments.length === 0 ? "" : `, ${countOf(comments.length, "comment")}`}`,
    ],
    request: {
      route: `POST ${REVIEWS_ROUTE}`,
      params: { ...params, ...given, ...(comments.length > 0 && { comments: comments.map(toRestComment) }) },
    },
    spec: REVIEW,
  };
}

async function planComments(
  api: Api,
  params: PullParams,
  comments: readonly ReviewComment[],
): Promise<WritePlan> {
  if (comments.length === 0) throw new Fault("invalid_input", "There are no comments to add.");
  const review = await pendingReview(api, params);
  return {
    changed: comments.map(
      ({ path, line }) =>
        `A pending comment on ${path}${line === undefined ? "" : `:${line}`} of ${pullName(params)}`,
    ),
    request: { document: ADD_REVIEW_THREAD, variables: { id: review["node_id"], comments }, repo: params },
    spec: REVIEW,
    run: async (on) => {
      for (const [at, comment] of comments.entries()) await addComment(on, params, review, comment, at);
      return review;
    },
  };
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
        ? `Your pending review of ${pullName(params)}, deleted`
        : `Your review of ${pullName(params)} (${event ?? ""})`,
    ],
    request: isDelete
      ? { route: `DELETE ${REVIEWS_ROUTE}/{review_id}`, params: { ...params, review_id } }
      : { route: `POST ${REVIEWS_ROUTE}/{review_id}/events`, params: { ...params, review_id, event, body } },
    spec: REVIEW,
  };
}

function planThread(
  params: PullParams,
  method: "resolve_thread" | "unresolve_thread",
  thread: string | undefined,
): WritePlan {
  if (thread === undefined) throw toUnnamed("thread_id");
  const isResolve = method === "resolve_thread";
  return {
    changed: [`The thread ${thread} of ${pullName(params)}, ${isResolve ? "resolved" : "open again"}`],
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
    version: 2,
    alsoKnownAs: [
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
    affects: "reviews",
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
    aliases: { ...PULL_ALIASES, commit_id: ["commitID"] },
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
