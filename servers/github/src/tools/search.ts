import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type NamedRepo, repoOf } from "../api.ts";
import { inBrackets } from "../domain/gateway/admission.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import type { GithubToolContext, GithubState } from "../state.ts";
import { ISSUE, ISSUE_FULL, REPOSITORY } from "./projections.ts";
import { defineRead, listHeader, readPage } from "./reading.ts";
import { Detail, page, type Shape, Text, Texts, withoutPlace } from "./schemas.ts";

const QUERY_ALIASES = { query: ["q"] };
const ORDER = v.optional(v.picklist(["asc", "desc"]));
const MOST_FOUND = 1000;
/** Makes GitHub return the text around a match. */
const TEXT_MATCH = "application/vnd.github.text-match+json";

export const createSearchTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  withoutPlace(searchRepositories(shape)),
  withoutPlace(searchCode(shape)),
  searchIssues(shape, "issue"),
  searchIssues(shape, "pull_request"),
];

const searchRepositories = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "search_repositories",
    version: 2,
    title: "Search repositories",
    description: "Repositories by name, topic, language:, user:, stars:>n.",
    group: "repos",
    input: {
      query: v.string(),
      owner: shape.optionalRepo.owner,
      sort: Text,
      order: ORDER,
      fields: Texts,
      ...page,
    },
    aliases: QUERY_ALIASES,
    header: (_, output) => listHeader(output, "repository found"),
    read: ({ query, owner, sort, order, ...rest }, api, context) =>
      readPage(api, rest, context, {
        route: "/search/repositories",
        params: { q: [query, ...toQualifiers({ owner }, context)].join(" "), sort, order },
        itemsIn: "items",
        most: MOST_FOUND,
        spec: REPOSITORY,
      }),
  });

const searchCode = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "search_code",
    version: 2,
    title: "Search code",
    description:
      "Code on default branches, with surrounding lines. Qualifiers: repo:, org:, path:, language:, filename:.",
    group: "repos",
    input: { query: v.string(), ...shape.optionalRepo, fields: Texts, ...page },
    aliases: QUERY_ALIASES,
    header: (_, output) => listHeader(output, "file found"),
    read: ({ query, owner, repo, ...rest }, api, context) =>
      readPage(api, rest, context, {
        route: "/search/code",
        params: { q: [query, ...toQualifiers({ owner, repo }, context)].join(" ") },
        itemsIn: "items",
        most: MOST_FOUND,
        spec: ["repository=repository.full_name", "path", "sha", "fragments=text_matches[].fragment"],
        request: { accept: TEXT_MATCH, strangers: true },
      }),
  });

function toQualifiers({ owner, repo }: NamedRepo, context: GithubToolContext): readonly string[] {
  if (owner === undefined && repo === undefined) return [];
  const isWhole = repo === undefined && context.state.gateway.lists.single === undefined;
  return [isWhole ? `user:${owner}` : `repo:${nameOf(repoOf({ owner, repo }, context))}`];
}

function searchIssues(shape: Shape, kind: "issue" | "pull_request"): ToolDefinition<GithubState> {
  const words = kind === "issue" ? "issue" : "pull request";
  return defineRead({
    name: `search_${kind}s`,
    version: 3,
    title: `Search ${words}s`,
    description: `${words === "issue" ? "Issues" : "Pull requests"} by words and qualifiers: is:open, author:, label:, repo:.`,
    group: kind === "issue" ? "issues" : "pull_requests",
    input: {
      query: v.string(),
      ...shape.optionalRepo,
      sort: Text,
      order: ORDER,
      detail: Detail,
      fields: Texts,
      ...page,
    },
    aliases: QUERY_ALIASES,
    header: (_, output) => listHeader(output, `${words} found`),
    read: ({ query, owner, repo, sort, order, detail, ...rest }, api, context) => {
      const type = kind === "issue" ? "is:issue" : "is:pr";
      const other = kind === "issue" ? /(^|\s)(is|type):(pr|pull-request)\b/i : /(^|\s)(is|type):issue\b/i;
      const wrong = other.exec(query)?.[0].trim();
      if (wrong !== undefined) {
        throw new Fault("invalid_input", `search_${kind}s finds only ${words}s, so ${wrong} finds nothing`, {
          hint: `Use ${kind === "issue" ? "search_pull_requests" : "search_issues"}.`,
        });
      }
      return readPage(api, rest, context, {
        route: "/search/issues",
        params: {
          q: [inBrackets(query), type, ...toQualifiers({ owner, repo }, context)].join(" "),
          sort,
          order,
        },
        itemsIn: "items",
        most: MOST_FOUND,
        spec: [
          "repository=repository_url",
          ...(detail === "full" ? ISSUE_FULL : ISSUE),
          "merged_at=pull_request.merged_at",
        ],
      });
    },
  });
}
