import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { FROM_DRAFT, TO_DRAFT } from "../domain/gateway/documents.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { type Fields, project, toFields, toText } from "../domain/answers/projection.ts";
import { PULL_ROUTE, pullName, type PullParams } from "../domain/reviews.ts";
import { type DoneBefore, proceed } from "../domain/steps.ts";
import type { GithubState } from "../state.ts";
import { Flag, Num, PULL_ALIASES, type Shape, Text, Texts } from "./schemas.ts";
import { defineWrite } from "./writing.ts";

const PULL = ["number", "state", "draft", "head=head.sha"];

export const createPullRequestWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  defineWrite({
    name: "create_pull_request",
    title: "Open a pull request",
    description: "Opens a pull request from head (branch, or owner:branch) into base.",
    group: "pull_requests",
    affects: "pull requests",
    input: {
      ...shape.repo,
      title: v.string(),
      head: v.string(),
      base: v.string(),
      body: Text,
      draft: Flag,
      reviewers: Texts,
    },
    plan(input, _, context) {
      const { title, head, base, body, draft, reviewers = [] } = input;
      const repo = repoOf(input, context);
      const request = {
        route: "POST /repos/{owner}/{repo}/pulls",
        params: { ...repo, title, head, base, body, draft },
      };
      return {
        changed: [
          `A new pull request in ${nameOf(repo)}: ${JSON.stringify(title)}, ${head} into ${base}`,
          ...reviewers.map((reviewer) => `${reviewer} asked for a review`),
        ],
        request,
        spec: PULL,
        run: async (api) => {
          const pull = toFields(await api.send(request));
          const { number, html_url: url } = pull;
          await askReviewers(api, { ...repo, pull_number: Number(number) }, reviewers, {
            words: `${toText(url)} is there`,
            hint: "Do not make it again: use update_pull_request with other reviewers.",
            details: { number },
          });
          return pull;
        },
      };
    },
  }),
  updatePull(shape),
  mergePull(shape),
];

async function askReviewers(
  api: Api,
  params: PullParams,
  reviewers: readonly string[],
  before: DoneBefore,
): Promise<void> {
  if (reviewers.length === 0) return;
  await proceed(before, "its reviewers could not be asked", () => api.send(toRequest(params, reviewers)));
}

const toRequest = (params: PullParams, reviewers: readonly string[]): ApiRequest => ({
  route: `POST ${PULL_ROUTE}/requested_reviewers`,
  params: {
    ...params,
    reviewers: reviewers.filter((name) => !name.includes("/")),
    team_reviewers: reviewers.filter((name) => name.includes("/")).map((name) => name.split("/")[1] ?? name),
  },
});

const updatePull = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "update_pull_request",
    title: "Change a pull request",
    description: "Changes title, body, state, base or draft, or requests reviews. For labels: issue_write.",
    group: "pull_requests",
    affects: "pull requests",
    effects: "destructive",
    input: {
      ...shape.repo,
      pull_number: Num,
      title: Text,
      body: Text,
      state: v.optional(v.picklist(["open", "closed"])),
      base: Text,
      draft: Flag,
      reviewers: Texts,
    },
    aliases: PULL_ALIASES,
    async plan(input, reader, context) {
      const { pull_number, title, body, state, base, draft, reviewers = [] } = input;
      const params = { ...repoOf(input, context), pull_number };
      const given = Object.entries({ title, body, state, base }).filter(([, value]) => value !== undefined);
      if (given.length === 0 && draft === undefined && reviewers.length === 0)
        throw new Fault("invalid_input", "Nothing to change was given.");
      const place = pullName(params);
      const change = { route: `PATCH ${PULL_ROUTE}`, params: { ...params, ...Object.fromEntries(given) } };
      const isRead = given.length === 0 || draft !== undefined;
      const now = isRead ? toFields((await reader.get(PULL_ROUTE, params)).data) : {};
      const [document, kind] = draft === true ? [TO_DRAFT, "a draft"] : [FROM_DRAFT, "ready for review"];
      const toggle = ({ node_id: id }: Fields) => ({ document, variables: { id }, repo: params });
      const isToggled = draft !== undefined && now["draft"] !== draft;
      if (given.length === 0 && !isToggled && reviewers.length === 0)
        return { changed: [], request: toggle(now), same: project(now, PULL) };
      return {
        changed: [
          ...(given.length === 0 ? [] : [`${given.map(([name]) => name).join(", ")} of ${place}, changed`]),
          ...(isToggled ? [`${place}, ${kind}`] : []),
          ...reviewers.map((reviewer) => `${reviewer} asked for a review of ${place}`),
        ],
        request: given.length > 0 ? change : isToggled ? toggle(now) : toRequest(params, reviewers),
        spec: PULL,
        run: async (api) => {
          const pull = given.length > 0 ? toFields(await api.send(change)) : now;
          const done = given.map(([name]) => name);
          const before = (): DoneBefore => ({
            words: done.length === 0 ? "" : `${done.join(", ")} of ${place} changed`,
            hint: "Give only the rest again.",
            details: { changed: [...done] },
          });
          if (draft !== undefined && pull["draft"] !== draft) {
            await proceed(before(), `it could not become ${kind}`, () => api.graphql(toggle(pull)));
            done.push("draft");
          }
          await askReviewers(api, params, reviewers, before());
          return { ...pull, ...(draft !== undefined && { draft }) };
        },
      };
    },
  });

const mergePull = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "merge_pull_request",
    title: "Merge a pull request",
    description: "Merges a pull request. sha: fail if its head has moved.",
    group: "pull_requests",
    affects: "the base branch",
    effects: "destructive",
    input: {
      ...shape.repo,
      pull_number: Num,
      merge_method: v.optional(v.picklist(["merge", "squash", "rebase"])),
      commit_title: Text,
      commit_message: Text,
      sha: Text,
    },
    aliases: { ...PULL_ALIASES, merge_method: ["method"] },
    plan(input, _, context) {
      const { pull_number, merge_method, commit_title, commit_message, sha } = input;
      const params = { ...repoOf(input, context), pull_number };
      return {
        changed: [`${pullName(params)}, merged`],
        request: {
          route: `PUT ${PULL_ROUTE}/merge`,
          params: { ...params, merge_method, commit_title, commit_message, sha },
        },
        spec: ["sha", "merged", "message"],
      };
    },
  });
