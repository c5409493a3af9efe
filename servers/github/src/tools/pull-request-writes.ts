import type { ToolDefinition } from "@suite/server-kit";
import { Fault, isObject } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type NamedRepo, repoOf } from "../api.ts";
import type { Api } from "../domain/api.ts";
import { DISABLE_AUTO_MERGE, ENABLE_AUTO_MERGE, FROM_DRAFT, TO_DRAFT } from "../domain/gateway/documents.ts";
import type { ApiRequest } from "../domain/gateway/gateway.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import { type Fields, project, readPath, toFields, toText } from "../domain/answers/projection.ts";
import { PULL_ROUTE, pullName, type PullParams } from "../domain/reviews.ts";
import { type DoneBefore, proceed } from "../domain/steps.ts";
import type { GithubState, GithubToolContext } from "../state.ts";
import type { Input } from "./reading.ts";
import { Flag, Num, PULL_ALIASES, type Shape, Text, Texts } from "./schemas.ts";
import { defineWrite, type WritePlan } from "./writing.ts";

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

/** Fails if somebody has pushed to the branch meanwhile. */
const toUpdate = (params: PullParams, pull: Fields): ApiRequest => ({
  route: `PUT ${PULL_ROUTE}/update-branch`,
  params: { ...params, expected_head_sha: toText(readPath(pull, "head.sha")) || undefined },
});

const pullEntries = {
  pull_number: Num,
  title: Text,
  body: Text,
  state: v.optional(v.picklist(["open", "closed"])),
  base: Text,
  draft: Flag,
  reviewers: Texts,
  update_branch: Flag,
};

const updatePull = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "update_pull_request",
    version: 2,
    alsoKnownAs: ["update_pull_request_branch"],
    title: "Change a pull request",
    description:
      "Changes title, body, state, base or draft, requests reviews, or merges base into its branch (update_branch). For labels: issue_write.",
    group: "pull_requests",
    affects: "pull requests",
    effects: "destructive",
    input: {
      ...shape.repo,
      ...pullEntries,
    },
    aliases: PULL_ALIASES,
    plan: planUpdate,
  });

type PullInput = NamedRepo & Input<typeof pullEntries>;

async function planUpdate(input: PullInput, reader: Api, context: GithubToolContext): Promise<WritePlan> {
  const { pull_number, title, body, state, base, draft, reviewers = [], update_branch = false } = input;
  const params = { ...repoOf(input, context), pull_number };
  const given = Object.entries({ title, body, state, base }).filter(([, value]) => value !== undefined);
  if (given.length === 0 && draft === undefined && reviewers.length === 0 && !update_branch)
    throw new Fault("invalid_input", "Nothing to change was given.");
  const place = pullName(params);
  const change = { route: `PATCH ${PULL_ROUTE}`, params: { ...params, ...Object.fromEntries(given) } };
  const isRead = given.length === 0 || draft !== undefined;
  const now = isRead ? toFields((await reader.get(PULL_ROUTE, params)).data) : {};
  const [document, kind] = draft === true ? [TO_DRAFT, "a draft"] : [FROM_DRAFT, "ready for review"];
  const toggle = ({ node_id: id }: Fields) => ({ document, variables: { id }, repo: params });
  const isToggled = draft !== undefined && now["draft"] !== draft;
  if (given.length === 0 && !isToggled && reviewers.length === 0 && !update_branch)
    return { changed: [], request: toggle(now), same: project(now, PULL) };
  return {
    changed: [
      ...(given.length === 0 ? [] : [`${given.map(([name]) => name).join(", ")} of ${place}, changed`]),
      ...(isToggled ? [`${place}, ${kind}`] : []),
      ...reviewers.map((reviewer) => `${reviewer} asked for a review of ${place}`),
      ...(update_branch ? [`The branch of ${place}, with what is new in its base`] : []),
    ],
    request:
      given.length > 0
        ? change
        : isToggled
          ? toggle(now)
          : reviewers.length > 0
            ? toRequest(params, reviewers)
            : toUpdate(params, now),
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
      if (reviewers.length > 0) done.push("reviewers");
      if (update_branch)
        await proceed(before(), "its branch could not be updated", () => api.send(toUpdate(params, pull)));
      // GitHub merges later: the head that it knows is still the old one.
      const head = update_branch ? undefined : pull["head"];
      return { ...pull, head, ...(draft !== undefined && { draft }) };
    },
  };
}

/** GitHub has nothing to wait for, or may not wait. */
function explainAuto(thrown: unknown): never {
  if (!(thrown instanceof Fault) || thrown.hint !== undefined) throw thrown;
  const { code, message, details } = thrown;
  const hint = /clean status/i.test(message)
    ? "Nothing keeps it from being merged: call again without auto."
    : "Auto-merge needs to be allowed in the repository's settings, and a rule of the branch that is not met yet.";
  throw new Fault(code, message, { hint, details, cause: thrown });
}

interface AutoInput {
  readonly merge_method?: "merge" | "squash" | "rebase" | undefined;
  readonly commit_title?: string | undefined;
  readonly commit_message?: string | undefined;
  readonly sha?: string | undefined;
}

async function planAuto(
  api: Api,
  params: PullParams,
  { merge_method: method = "merge", commit_title: title, commit_message: body, sha: head }: AutoInput,
  isOn: boolean,
): Promise<WritePlan> {
  const { data } = await api.get(PULL_ROUTE, { ...params });
  const { node_id: id, merged, auto_merge } = toFields(data);
  const place = pullName(params);
  if (merged === true) throw new Fault("conflict", `${place} is merged already.`);
  const request = {
    document: isOn ? ENABLE_AUTO_MERGE : DISABLE_AUTO_MERGE,
    variables: isOn ? { id, method: method.toUpperCase(), title, body, head } : { id },
    repo: params,
  };
  if (!isOn && !isObject(auto_merge)) return { changed: [], request, same: {} };
  const words = isOn
    ? `to be merged (${method}) as soon as its requirements are met`
    : "no longer merged by itself";
  return { changed: [`${place}, ${words}`], request, run: (on) => on.graphql(request).catch(explainAuto) };
}

const mergePull = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "merge_pull_request",
    title: "Merge a pull request",
    version: 2,
    alsoKnownAs: ["enable_auto_merge", "enable_pull_request_auto_merge", "disable_auto_merge"],
    description:
      "Merges a pull request, or with auto enable once checks and reviews allow it. sha: fail if its head has moved.",
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
      auto: v.optional(v.picklist(["enable", "disable"])),
    },
    aliases: { ...PULL_ALIASES, merge_method: ["method"], auto: ["auto_merge"] },
    async plan(input, api, context) {
      const { pull_number, merge_method, commit_title, commit_message, sha, auto } = input;
      const params = { ...repoOf(input, context), pull_number };
      if (auto !== undefined) return planAuto(api, params, input, auto === "enable");
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
