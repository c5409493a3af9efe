import type { ToolDefinition } from "@suite/server-kit";
import { diffTexts, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type NamedRepo, repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { type Fields, project, readPath, toFields, toList, toText } from "../domain/answers/projection.ts";
import type { GithubState, GithubToolContext } from "../state.ts";
import { commentWrite } from "./comment-writes.ts";
import type { Input } from "./reading.ts";
import { ISSUE_ALIASES, NonEmpty, Num, OptionalNum, type Shape, Text, Texts } from "./schemas.ts";
import { type FamilyPlan, ISSUE_ROUTE, planFamily } from "./sub-issues.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

const ISSUE = ["number", "state", "id"];
/** To GitHub, a pull request is also an issue. */
const ANY_ISSUE_ALIASES = { issue_number: [...ISSUE_ALIASES.issue_number, "pull_number", "pullNumber"] };

export const createIssueWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  issueWrite(shape),
  defineWrite({
    name: "add_issue_comment",
    version: 2,
    alsoKnownAs: ["create_issue_comment"],
    title: "Comment",
    description: "Comments on an issue or pull request.",
    group: "issues",
    affects: "comments",
    input: { ...shape.repo, issue_number: Num, body: NonEmpty },
    aliases: { ...ANY_ISSUE_ALIASES, body: ["comment", "text"] },
    plan(input, _, context) {
      const { issue_number, body } = input;
      const repo = repoOf(input, context);
      return {
        changed: [`A comment on ${nameOf(repo)}#${issue_number}`],
        request: {
          route: "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
          params: { ...repo, issue_number, body },
        },
        spec: ["id"],
      };
    },
  }),
  commentWrite(shape),
  labelWrite(shape),
];

const issueEntries = {
  method: v.picklist(["create", "update"]),
  issue_number: OptionalNum,
  title: Text,
  body: Text,
  state: v.optional(v.picklist(["open", "closed"])),
  state_reason: v.optional(v.picklist(["completed", "not_planned", "duplicate", "reopened"])),
  labels: Texts,
  assignees: Texts,
  milestone: OptionalNum,
  type: Text,
  parent: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  after: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
};

/** As GitHub's own server names them. */
const SUB_ISSUE_TOOLS = ["sub_issue_write", "add_sub_issue", "remove_sub_issue", "reprioritize_sub_issue"];

const issueWrite = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "issue_write",
    version: 3,
    alsoKnownAs: ["create_issue", "update_issue", "close_issue", ...SUB_ISSUE_TOOLS],
    title: "Create or update an issue",
    description:
      "Creates an issue, or updates one or a pull request. On update, labels and assignees replace the whole list. parent: issue to be a sub-issue of (0: none); after: sub-issue to follow there (0: first).",
    group: "issues",
    affects: "issues",
    effects: "destructive",
    hasDiff: true,
    input: { ...shape.repo, ...issueEntries },
    aliases: ANY_ISSUE_ALIASES,
    plan: planIssue,
  });

type IssueInput = NamedRepo & Input<typeof issueEntries> & { readonly dry_run?: boolean };

async function planIssue(input: IssueInput, api: Api, context: GithubToolContext): Promise<WritePlan> {
  const { method, issue_number, title, body, state, state_reason, labels, assignees, milestone, type } =
    input;
  const repo = repoOf(input, context);
  const fields = { title, body, labels, assignees, milestone, type };
  if (method === "create") {
    if (title === undefined) throw new Fault("invalid_input", "A new issue needs a title.");
    if ((state ?? state_reason ?? issue_number) !== undefined) {
      throw new Fault("invalid_input", "A new issue is open, and gets its number from GitHub.", {
        hint: 'To change one, use method "update".',
      });
    }
    const family = await planFamily(api, repo, input);
    const request = { route: "POST /repos/{owner}/{repo}/issues", params: { ...repo, ...fields } };
    return {
      changed: [`A new issue in ${nameOf(repo)}: ${JSON.stringify(title)}`, ...family.changed],
      request,
      spec: ISSUE,
      run: async (on) => {
        const issue = toFields(await sendIssue(on, request, fields));
        const words = `${toText(issue["html_url"])} is there`;
        const hint = 'Do not make it again: use method "update" with parent.';
        await family.send(on, issue, { words, hint, details: { number: issue["number"] } });
        return issue;
      },
    };
  }
  if (issue_number === undefined) throw new Fault("invalid_input", "Which issue? Give issue_number.");
  const given = Object.entries({ ...fields, state, state_reason }).filter(([, value]) => value !== undefined);
  if (given.length === 0 && (input.parent ?? input.after) === undefined)
    throw new Fault("invalid_input", "Nothing to change was given.");
  const family = await planFamily(api, repo, input);
  const params = { ...repo, issue_number };
  if (given.length === 0) return planPlace(api, params, family);
  const words = `${given.map(([name]) => name).join(", ")} of ${nameOf(repo)}#${issue_number}`;
  const request = { route: `PATCH ${ISSUE_ROUTE}`, params: { ...params, ...Object.fromEntries(given) } };
  const diff = input.dry_run === true ? await diffLists(api, params, fields) : "";
  return {
    changed: [`${words}, changed`, ...family.changed],
    request,
    spec: ISSUE,
    ...(diff !== "" && { diff }),
    run: async (on) => {
      const issue = toFields(await sendIssue(on, request, fields));
      const hint = "Give only parent and after again.";
      await family.send(on, issue, { words: `${words} changed`, hint, details: {} });
      return issue;
    },
  };
}

/** Only its place among other issues changes. */
async function planPlace(api: Api, params: Fields, family: FamilyPlan): Promise<WritePlan> {
  const { data } = await api.get(ISSUE_ROUTE, params, { strangers: false });
  const issue = toFields(data);
  const request = family.toRequest(issue);
  if (request === undefined)
    return { changed: [], request: { route: `PATCH ${ISSUE_ROUTE}`, params }, same: project(issue, ISSUE) };
  return {
    changed: family.changed,
    request,
    spec: ISSUE,
    run: async (on) => {
      await family.send(on, issue, { words: "", hint: "", details: {} });
      return issue;
    },
  };
}

/** Where GitHub's answer shows what it accepted. */
const TAKEN = {
  labels: "labels[].name",
  assignees: "assignees[].login",
  milestone: "milestone.number",
  type: "type.name",
} as const;

/** What replacing the lists would remove and add. */
async function diffLists(api: Api, issue: Fields, given: Fields): Promise<string> {
  const lists = (["labels", "assignees"] as const).filter((name) => given[name] !== undefined);
  // In lockdown, a stranger's issue can be labelled, but not read.
  if (lists.length === 0 || api.gateway.lockdown) return "";
  // Strangers open issues, but do not choose their labels and assignees.
  const { data } = await api.get(ISSUE_ROUTE, issue, { strangers: false });
  const toLines = (names: readonly string[]): string =>
    names
      .map((name) => `${name}\n`)
      .toSorted()
      .join("");
  return lists
    .map((name) => {
      const now = toList(readPath(data, TAKEN[name])).map(toText);
      const known = new Map(now.map((each) => [each.toLowerCase(), each]));
      // GitHub ignores case, and keeps its own.
      const wanted = toList(given[name])
        .map(toText)
        .map((each) => known.get(each.toLowerCase()) ?? each);
      const names = { oldName: `${name} before`, newName: `${name} after` };
      return diffTexts(toLines(now), toLines(wanted), names).text;
    })
    .join("");
}

/** GitHub silently ignores these fields if the caller has no push access. */
async function sendIssue(api: Api, request: ApiRequest, given: Fields): Promise<unknown> {
  const issue = toFields(await api.send(request));
  const toName = (each: unknown): string => (typeof each === "number" ? String(each) : toText(each).trim());
  const toKey = (value: unknown): string =>
    [...new Set([value].flat().map((each) => toName(each).toLowerCase()))].toSorted().join("\n");
  const missing = Object.entries(TAKEN)
    .filter(([name]) => given[name] !== undefined && issue[name] !== undefined)
    // GitHub returns bots under other names.
    .filter(
      ([name, path]) =>
        !/\[bot\]$/m.test(toKey(given[name])) && toKey(given[name]) !== toKey(readPath(issue, path)),
    )
    .map(([name]) => name);
  if (missing.length === 0) return issue;
  const { number, html_url: url } = issue;
  throw new Fault(
    "permission_denied",
    `GitHub ignored ${missing.join(", ")}. The rest was done: ${toText(url)}`,
    {
      hint: "Do not repeat the call. Setting these needs push access, and values that exist in the repository.",
      details: { number, left_out: missing },
    },
  );
}

const labelWrite = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "label_write",
    version: 2,
    alsoKnownAs: ["create_label", "update_label", "delete_label"],
    title: "Create, update or delete a label",
    description: "Creates, changes or deletes a label of a repository. color: six hex digits.",
    group: "labels",
    affects: "labels",
    effects: "destructive",
    input: {
      ...shape.repo,
      method: v.picklist(["create", "update", "delete"]),
      name: NonEmpty,
      new_name: Text,
      color: v.optional(v.pipe(v.string(), v.regex(/^#?[0-9A-Fa-f]{6}$/))),
      description: Text,
    },
    plan(input, _, context) {
      const { method, name, new_name, color, description } = input;
      const repo = repoOf(input, context);
      const facts = { ...(color !== undefined && { color: color.replace("#", "") }), description };
      const route = `/repos/{owner}/{repo}/labels`;
      const label = `The label ${JSON.stringify(name)} of ${nameOf(repo)}`;
      if (method === "create") {
        return {
          changed: [`${label}, created`],
          request: { route: `POST ${route}`, params: { ...repo, name, ...facts } },
          spec: ["id", "name"],
        };
      }
      const isDelete = method === "delete";
      if (!isDelete && (new_name ?? color ?? description) === undefined)
        throw new Fault("invalid_input", "Nothing to change was given.");
      const changes = isDelete ? {} : { new_name, ...facts };
      return {
        changed: [`${label}, ${isDelete ? "deleted" : "changed"}`],
        // The path takes the current name; octokit sends the other parameters as the body.
        request: {
          route: `${isDelete ? "DELETE" : "PATCH"} ${route}/{name}`,
          params: { ...repo, name, ...changes },
        },
        ...(!isDelete && { spec: ["id", "name"] }),
      };
    },
  });
