import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { toFields, toList } from "../domain/answers/projection.ts";
import type { GithubState } from "../state.ts";
import { defineRead, type ListConfig, listHeader, readPage, takePage } from "./reading.ts";
import { placeOf } from "./repositories.ts";
import { keysOf, page, type Shape, Text } from "./schemas.ts";

interface Choice {
  readonly one: string;
  readonly route: string;
  readonly spec: readonly string[];
  /** GitHub gives all of them at once, and takes no page. */
  readonly isWhole?: true;
  readonly request?: (owner: string, team: string | undefined) => Partial<ApiRequest>;
}

/** What can be put into an issue or pull request, or asked for a review. */
const CHOICES = {
  assignees: { one: "person to assign", route: "/repos/{owner}/{repo}/assignees", spec: ["login"] },
  collaborators: {
    one: "collaborator",
    route: "/repos/{owner}/{repo}/collaborators",
    spec: ["login", "role=role_name"],
  },
  teams: {
    one: "team",
    route: "/repos/{owner}/{repo}/teams",
    spec: ["slug", "name", "description", "permission", "parent=parent.slug"],
    // Members of the organization see which teams there are, but not those that are secret.
    request: (owner) => ({
      within: (data) =>
        toList(data).some((team) => toFields(team)["privacy"] === "secret")
          ? { owner, what: "secret teams", isPublic: false }
          : undefined,
    }),
  },
  team_members: {
    one: "member",
    route: "/orgs/{owner}/teams/{team_slug}/members",
    spec: ["login"],
    request: (owner, team) => ({ within: () => ({ owner, what: `team ${team ?? ""}`, isPublic: false }) }),
  },
  issue_types: {
    one: "type",
    route: "/orgs/{owner}/issue-types",
    spec: ["name", "description"],
    isWhole: true,
  },
  milestones: {
    one: "milestone",
    route: "/repos/{owner}/{repo}/milestones",
    spec: ["number", "title", "due_on", "open_issues", "closed_issues"],
  },
} as const satisfies { readonly [kind: string]: Choice };

export const createChoiceTools = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineRead({
    name: "search_users",
    alsoKnownAs: ["search_orgs"],
    title: "Search people",
    description: "People and organizations by name, in:email, location:, type:org, followers:>n.",
    group: "users",
    input: {
      query: v.string(),
      sort: v.optional(v.picklist(["followers", "repositories", "joined"])),
      order: v.optional(v.picklist(["asc", "desc"])),
      ...page,
    },
    aliases: { query: ["q"] },
    header: (_, output) => listHeader(output, "account found"),
    read: ({ query, sort, order, ...rest }, api, context) =>
      readPage(api, rest, context, {
        route: "/search/users",
        params: { q: query, sort, order },
        itemsIn: "items",
        most: 1000,
        spec: ["login", "type", "url=html_url"],
      }),
  }),
  listChoices(shape),
];

const listChoices = (shape: Shape): ToolDefinition<GithubState> =>
  defineRead({
    name: "list_choices",
    alsoKnownAs: [
      "list_repository_collaborators",
      "list_assignees",
      "get_teams",
      "get_team_members",
      "list_issue_types",
      "list_milestones",
    ],
    title: "Who and what to choose from",
    description:
      "What issues and pull requests of a repository can be given: assignees, collaborators with their roles, teams to review, members of team_slug, issue types of the organization, open milestones.",
    group: "users",
    input: { ...shape.repo, kind: v.picklist(keysOf(CHOICES)), team_slug: Text, ...page },
    aliases: { kind: ["method"] },
    header: ({ kind, ...input }, output) => listHeader(output, CHOICES[kind].one, placeOf(input)),
    async read(input, api, context) {
      const { kind, team_slug, owner: _owner, repo: _repo, ...rest } = input;
      const { owner, repo } = repoOf(input, context);
      if ((kind === "team_members") !== (team_slug !== undefined))
        throw new Fault("invalid_input", "team_slug goes with kind team_members.", {
          hint: "kind teams lists them.",
        });
      const { route, spec, isWhole, request }: Choice = CHOICES[kind];
      const params = { owner, ...(route.includes("{repo}") && { repo }), ...(team_slug && { team_slug }) };
      const list: ListConfig = {
        route,
        params,
        spec,
        request: { strangers: false, ...request?.(owner, team_slug) },
      };
      if (isWhole !== true) return readPage(api, rest, context, list);
      const { data } = await api.get(route, params, list.request);
      const all = toList(data);
      return takePage({ data, head: undefined, all, isWhole, spec }, rest, context.budget, [kind, owner]);
    },
  });
