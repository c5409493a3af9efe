import type { ToolDefinition } from "@suite/server-kit";
import { diffTexts, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { toFields, toText } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { keysOf, Num, type Shape, Text } from "./schemas.ts";
import { defineWrite } from "./writing.ts";

/** Comments on issues and pull requests, and those in reviews, have numbers of their own. */
const COMMENTS = {
  issue: { route: "/repos/{owner}/{repo}/issues/comments/{comment_id}", one: "The comment" },
  review: { route: "/repos/{owner}/{repo}/pulls/comments/{comment_id}", one: "The review comment" },
} as const;

export const commentWrite = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "comment_write",
    alsoKnownAs: ["update_issue_comment", "edit_issue_comment", "delete_issue_comment"],
    title: "Change or delete a comment",
    description: "Changes or deletes a comment; kind review: one in a review thread.",
    group: "issues",
    affects: "comments",
    effects: "destructive",
    hasDiff: true,
    input: {
      ...shape.repo,
      method: v.picklist(["update", "delete"]),
      comment_id: Num,
      kind: v.optional(v.picklist(keysOf(COMMENTS))),
      body: Text,
    },
    aliases: { body: ["comment", "text"] },
    async plan(input, api, context) {
      const { method, comment_id, kind = "issue", body } = input;
      const repo = repoOf(input, context);
      const { route, one } = COMMENTS[kind];
      const isDelete = method === "delete";
      if (isDelete === (body !== undefined) || body === "")
        throw new Fault("invalid_input", isDelete ? "What is deleted gets no body." : "Give the new body.");
      const params = { ...repo, comment_id };
      // In lockdown, a stranger's comment can be deleted, but not read.
      const isShown = input.dry_run === true && !api.gateway.lockdown;
      const now = isShown ? toText(toFields((await api.get(route, params)).data)["body"]) : undefined;
      const names = { oldName: "before", newName: "after" };
      return {
        changed: [`${one} ${comment_id} in ${nameOf(repo)}, ${isDelete ? "deleted" : "changed"}`],
        request: isDelete
          ? { route: `DELETE ${route}`, params }
          : { route: `PATCH ${route}`, params: { ...params, body } },
        ...(now !== undefined && { diff: diffTexts(toLines(now), toLines(body ?? ""), names).text }),
      };
    },
  });

const toLines = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
