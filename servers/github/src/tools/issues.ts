import type { ToolDefinition } from "@suite/server-kit";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import type { GithubState } from "../state.ts";
import { readIssues } from "./issue-list.ts";
import { COMMENT, COMMENT_FULL, ISSUE, ISSUE_DETAIL, ISSUE_FULL, LABEL } from "./projections.ts";
import { defineRead, listHeader, readPage, toItem } from "./reading.ts";
import { placeOf } from "./repositories.ts";
import { Detail, ISSUE_ALIASES, Num, page, type Shape, Text, Texts, toTime } from "./schemas.ts";

/** Lists that belong to an issue. */
const PARTS = {
  get_comments: { path: "comments", spec: COMMENT, full: COMMENT_FULL, one: "comment" },
  get_sub_issues: { path: "sub_issues", spec: ISSUE, full: ISSUE_FULL, one: "sub-issue" },
  get_labels: { path: "labels", spec: LABEL, full: LABEL, one: "label" },
} as const;

export const createIssueTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "list_issues",
    version: 3,
    title: "List issues",
    description: "Issues of a repository, without pull requests. since: ISO time. detail full adds bodies.",
    group: "issues",
    input: {
      ...shape.repo,
      state: v.optional(v.picklist(["open", "closed", "all"])),
      labels: Texts,
      assignee: Text,
      since: Text,
      sort: v.optional(v.picklist(["created", "updated", "comments"])),
      direction: v.optional(v.picklist(["asc", "desc"])),
      detail: Detail,
      fields: Texts,
      ...page,
    },
    aliases: { sort: ["orderBy"] },
    header: (input, output) => listHeader(output, "issue", placeOf(input)),
    read: (input, api, context) => {
      const { state, labels, assignee, since, sort, direction, detail, ...rest } = input;
      return readIssues(api, rest, context, {
        route: "/repos/{owner}/{repo}/issues",
        params: {
          ...repoOf(input, context),
          state,
          labels: labels?.join(","),
          assignee,
          since: toTime("since", since),
          sort,
          direction,
        },
        spec: detail === "full" ? ISSUE_FULL : ISSUE,
        order: {
          field: sort === "comments" ? sort : `${sort ?? "created"}_at`,
          isAscending: direction === "asc",
        },
      });
    },
  }),
  readIssue(shape),
];

const readIssue = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "issue_read",
    version: 3,
    alsoKnownAs: ["get_issue", "get_issue_comments", "list_sub_issues"],
    title: "Read an issue",
    description: "An issue with its body (get), or its comments, sub-issues, parent or labels.",
    group: "issues",
    input: {
      ...shape.repo,
      issue_number: Num,
      method: v.optional(v.picklist(["get", "get_comments", "get_sub_issues", "get_parent", "get_labels"])),
      detail: Detail,
      fields: Texts,
      ...page,
    },
    aliases: ISSUE_ALIASES,
    header: ({ issue_number: number, method = "get", ...input }, output) => {
      const place = `${placeOf(input)}#${number}`;
      if (method === "get" || method === "get_parent")
        return method === "get" ? `Issue ${place}:` : `Parent of ${place}:`;
      return listHeader(output, PARTS[method].one, place);
    },
    async read(input, api, context) {
      const { issue_number, method = "get", detail, ...rest } = input;
      const isFull = detail === "full";
      const repo = repoOf(input, context);
      const params = { ...repo, issue_number };
      const route = "/repos/{owner}/{repo}/issues/{issue_number}";
      if (method === "get" || method === "get_parent") {
        const { data } = await api.get(method === "get" ? route : `${route}/parent`, params);
        const spec = isFull ? ISSUE_DETAIL : ISSUE_FULL;
        return toItem(data, spec, rest, context, [method, nameOf(repo), issue_number]);
      }
      const { path, spec, full } = PARTS[method];
      return readPage(api, rest, context, {
        route: `${route}/${path}`,
        params,
        spec: isFull ? full : spec,
      });
    },
  });
