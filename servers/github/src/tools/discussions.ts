import type { ToolDefinition } from "@suite/server-kit";
import { diffTexts, Fault, suggest } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import {
  ADD_DISCUSSION_COMMENT,
  DELETE_DISCUSSION_COMMENT,
  DISCUSSION,
  DISCUSSION_CATEGORIES,
  DISCUSSION_COMMENT,
  DISCUSSION_COMMENTS,
  DISCUSSIONS,
  MARK_ANSWER,
  UNMARK_ANSWER,
  UPDATE_DISCUSSION_COMMENT,
} from "../domain/gateway/documents.ts";
import { nameOf, type Repo } from "../domain/gateway/repositories.ts";
import { type Fields, project, readPath, toFields, toList, toText } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { fields } from "./projections.ts";
import { defineRead, listHeader, readConnection, toItem } from "./reading.ts";
import { placeOf } from "./repositories.ts";
import { Flag, Num, OptionalNum, page, type Shape, Text } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

const LISTED = fields(
  "number title category=category.name author=author.login association=authorAssociation answered=isAnswered closed comments=comments.totalCount created_at=createdAt updated_at=updatedAt url",
);
const WHOLE = [...LISTED, ...fields("upvotes=upvoteCount answer_id=answer.id body")];
const COMMENT = fields(
  "id author=author.login association=authorAssociation created_at=createdAt is_answer=isAnswer upvotes=upvoteCount body",
);
const NUMBER_ALIASES = { discussion_number: ["number", "discussionNumber"] };
const COMMENT_ALIASES = { comment_id: ["commentNodeID", "comment_node_id"] };

export const createDiscussionTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "list_discussions",
    alsoKnownAs: ["list_discussion_categories"],
    title: "List discussions",
    description: "Discussions of a repository, newest first. category: its name.",
    group: "discussions",
    input: {
      ...shape.repo,
      category: Text,
      state: v.optional(v.picklist(["open", "closed"])),
      answered: Flag,
      sort: v.optional(v.picklist(["created", "updated"])),
      ...page,
    },
    header: (input, output) => listHeader(output, "discussion", placeOf(input)),
    async read(input, api, context) {
      const { category, state, answered = null, sort = "updated", ...rest } = input;
      const repo = repoOf(input, context);
      const variables = {
        ...repo,
        category: category === undefined ? null : await findCategory(api, repo, category),
        answered,
        states: state === undefined ? [] : [state.toUpperCase()],
        field: `${sort.toUpperCase()}_AT`,
      };
      const asked = { document: DISCUSSIONS, variables, repo, path: "repository.discussions" };
      const about = ["discussions", nameOf(repo), category ?? null, state ?? null, answered, sort];
      return readConnection(api, asked, rest, context, about, async (node) => [project(node, LISTED)]);
    },
  }),
  readDiscussion(shape),
];

const readDiscussion = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "discussion_read",
    alsoKnownAs: ["get_discussion", "get_discussion_comments"],
    title: "Read a discussion",
    description:
      "A discussion with its body (get), or its comments, each followed by its replies (reply_to).",
    group: "discussions",
    input: {
      ...shape.repo,
      discussion_number: Num,
      method: v.optional(v.picklist(["get", "get_comments"])),
      ...page,
    },
    aliases: NUMBER_ALIASES,
    header: ({ discussion_number: number, method, ...input }, output) =>
      method === "get_comments"
        ? listHeader(output, "comment", `discussion ${placeOf(input)}#${number}`)
        : `Discussion ${placeOf(input)}#${number}:`,
    async read(input, api, context) {
      const { discussion_number: number, method = "get", ...rest } = input;
      const repo = repoOf(input, context);
      const about = [method, nameOf(repo), number];
      if (method === "get")
        return toItem(await findDiscussion(api, repo, number), WHOLE, rest, context, about);
      const asked = {
        document: DISCUSSION_COMMENTS,
        variables: { ...repo, number },
        repo,
        path: "repository.discussion.comments",
      };
      return readConnection(api, asked, rest, context, about, withReplies);
    },
  });

/** GitHub gives at most 100 replies with a comment. */
async function withReplies(node: unknown): Promise<Record<string, unknown>[]> {
  const replies = toList(readPath(node, "replies.nodes"));
  const total = Number(readPath(node, "replies.totalCount") ?? 0);
  const comment = project(node, COMMENT);
  return [
    { ...comment, ...(total > replies.length && { replies: total }) },
    ...replies.map((reply) => ({ reply_to: comment["id"], ...project(reply, COMMENT) })),
  ];
}

async function findDiscussion(api: Api, repo: Repo, number: number): Promise<Fields> {
  const data = await api.graphql({ document: DISCUSSION, variables: { ...repo, number }, repo });
  const found = readPath(data, "repository.discussion");
  if (found !== null && found !== undefined) return toFields(found);
  throw new Fault("not_found", `There is no discussion ${nameOf(repo)}#${number}.`, {
    hint: "list_discussions has them; issues have numbers of their own.",
  });
}

async function findCategory(api: Api, repo: Repo, wanted: string): Promise<string> {
  const data = await api.graphql({ document: DISCUSSION_CATEGORIES, variables: { ...repo }, repo });
  const all = toList(readPath(data, "repository.discussionCategories.nodes")).map(toFields);
  const named = all.find(
    ({ id, name }) => id === wanted || toText(name).toLowerCase() === wanted.toLowerCase(),
  );
  if (named !== undefined) return toText(named["id"]);
  const names = all.map(({ name }) => toText(name));
  const near = suggest(wanted, names);
  throw new Fault("not_found", `There is no category ${JSON.stringify(wanted)} in ${nameOf(repo)}.`, {
    hint: near === undefined ? `There are: ${names.join(", ")}.` : `Did you mean ${near}?`,
  });
}

/** What is done to a comment that is there. */
const CHANGES = {
  update: { document: UPDATE_DISCUSSION_COMMENT, words: "changed", at: "updateDiscussionComment.comment" },
  delete: { document: DELETE_DISCUSSION_COMMENT, words: "deleted", at: "" },
  mark_answer: { document: MARK_ANSWER, words: "the answer", at: "markDiscussionCommentAsAnswer.discussion" },
  unmark_answer: {
    document: UNMARK_ANSWER,
    words: "no longer the answer",
    at: "unmarkDiscussionCommentAsAnswer.discussion",
  },
} as const;
const ADDED = ["id=addDiscussionComment.comment.id", "url=addDiscussionComment.comment.url"];

export const createDiscussionWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineWrite({
    name: "discussion_comment_write",
    title: "Comment in a discussion",
    description:
      "Comments on a discussion (add), replies to, changes or deletes a comment (comment_id), or marks it as the answer.",
    group: "discussions",
    affects: "comments of discussions",
    effects: "destructive",
    hasDiff: true,
    input: {
      ...shape.repo,
      method: v.picklist(["add", "reply", "update", "delete", "mark_answer", "unmark_answer"]),
      discussion_number: OptionalNum,
      comment_id: Text,
      body: Text,
    },
    aliases: { ...NUMBER_ALIASES, ...COMMENT_ALIASES, body: ["comment", "text"] },
    async plan(input, api, context): Promise<WritePlan> {
      const { method, discussion_number: number, comment_id: id, body } = input;
      const repo = repoOf(input, context);
      const needsBody = method === "add" || method === "reply" || method === "update";
      if (needsBody !== (body !== undefined && body.trim() !== ""))
        throw new Fault("invalid_input", `${method} ${needsBody ? "needs a" : "takes no"} body.`);
      if (method === "add") {
        if (number === undefined)
          throw new Fault("invalid_input", "Which discussion? Give discussion_number.");
        const { id: discussion } = await findDiscussion(api, repo, number);
        return {
          changed: [`A comment on the discussion ${nameOf(repo)}#${number}`],
          request: { document: ADD_DISCUSSION_COMMENT, variables: { id: discussion, body }, repo },
          spec: ADDED,
        };
      }
      if (id === undefined)
        throw new Fault("invalid_input", "Which comment? Give comment_id.", {
          hint: "discussion_read with get_comments has them.",
        });
      const { node } = await api.graphql({ document: DISCUSSION_COMMENT, variables: { id }, repo });
      const comment = toFields(node);
      const place = `${nameOf(repo)}#${String(readPath(comment, "discussion.number"))}`;
      if (method === "reply") {
        // Replies have no replies: GitHub puts them below the comment.
        const replyToId = toText(readPath(comment, "replyTo.id")) || id;
        const variables = { id: readPath(comment, "discussion.id"), body, replyToId };
        return {
          changed: [`A reply in the discussion ${place}`],
          request: { document: ADD_DISCUSSION_COMMENT, variables, repo },
          spec: ADDED,
        };
      }
      return planChange(repo, method, comment, { id, place, body });
    },
  }),
];

function planChange(
  repo: Repo,
  method: keyof typeof CHANGES,
  comment: Fields,
  { id, place, body }: { readonly id: string; readonly place: string; readonly body: string | undefined },
): WritePlan {
  const { document, words, at } = CHANGES[method];
  const names = { oldName: "before", newName: "after" };
  const [before, after] = [`${toText(comment["body"])}\n`, body === undefined ? "" : `${body}\n`];
  return {
    changed: [`The comment ${id} in the discussion ${place}, ${words}`],
    request: { document, variables: { id, ...(method === "update" && { body }) }, repo },
    ...(at !== "" && { spec: [`url=${at}.url`] }),
    ...((method === "update" || method === "delete") && { diff: diffTexts(before, after, names).text }),
  };
}
