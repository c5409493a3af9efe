import type { ToolDefinition } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { repoOf } from "../api.ts";
import { nameOf } from "../domain/gateway/repositories.ts";
import type { GithubState } from "../state.ts";
import { RUN_ROUTE } from "./actions.ts";
import { Flag, keysOf, OptionalNum, type Shape, Text } from "./schemas.ts";
import { defineWrite } from "./writing.ts";

const REPOSITORY = ["full_name", "private", "default_branch"];

const RUN_ROUTES = {
  rerun_workflow_run: `POST ${RUN_ROUTE}/rerun`,
  rerun_failed_jobs: `POST ${RUN_ROUTE}/rerun-failed-jobs`,
  cancel_workflow_run: `POST ${RUN_ROUTE}/cancel`,
  delete_workflow_run_logs: `DELETE ${RUN_ROUTE}/logs`,
} as const;

export const createOtherWrites = (shape: Shape): readonly ToolDefinition<GithubState>[] => [
  triggerRun(shape),
  createRepository(),
  defineWrite({
    name: "fork_repository",
    title: "Fork a repository",
    description: "Forks a repository to you or an organization.",
    group: "repos",
    affects: "repositories",
    input: { ...shape.repo, organization: Text },
    async plan(input, api, context) {
      const { organization } = input;
      const repo = repoOf(input, context);
      return {
        changed: [
          `A fork of ${nameOf(repo)} in ${organization ?? (await api.gateway.facts.viewer(repo.owner))}`,
        ],
        request: {
          route: "POST /repos/{owner}/{repo}/forks",
          params: { ...repo, organization },
          target: "public",
        },
        spec: REPOSITORY,
      };
    },
  }),
];

const triggerRun = (shape: Shape): ToolDefinition<GithubState> =>
  defineWrite({
    name: "actions_run_trigger",
    version: 2,
    alsoKnownAs: ["run_workflow", "rerun_workflow_run", "rerun_failed_jobs", "cancel_workflow_run"],
    title: "Run or cancel a workflow",
    description:
      "Runs a workflow (workflow_id, ref, inputs), or re-runs, cancels or clears the logs of a run (run_id).",
    group: "actions",
    affects: "workflow runs",
    effects: "destructive",
    input: {
      ...shape.repo,
      method: v.picklist(["run_workflow", ...keysOf(RUN_ROUTES)]),
      workflow_id: Text,
      ref: Text,
      inputs: v.optional(v.record(v.string(), v.any())),
      run_id: OptionalNum,
    },
    plan(input, _, context) {
      const { method, workflow_id, ref, inputs, run_id } = input;
      const repo = repoOf(input, context);
      if (method === "run_workflow") {
        if (workflow_id === undefined || ref === undefined)
          throw new Fault("invalid_input", "Running a workflow needs workflow_id and ref.");
        return {
          changed: [`A run of ${workflow_id} on ${ref} in ${nameOf(repo)}`],
          request: {
            route: "POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches",
            params: { ...repo, workflow_id, ref, inputs },
          },
        };
      }
      if (run_id === undefined) throw new Fault("invalid_input", `${method} needs run_id.`);
      return {
        changed: [`Run ${run_id} of ${nameOf(repo)}: ${method.replaceAll("_", " ")}`],
        request: { route: RUN_ROUTES[method], params: { ...repo, run_id } },
      };
    },
  });

const createRepository = (): ToolDefinition<GithubState> =>
  defineWrite({
    name: "create_repository",
    title: "Create a repository",
    description: "Creates a repository, private unless private is false, for you or an organization.",
    group: "repos",
    affects: "repositories",
    input: { name: v.string(), organization: Text, description: Text, private: Flag, auto_init: Flag },
    async plan({ name, organization, description, private: isPrivate = true, auto_init }, api) {
      const facts = { name, description, private: isPrivate, auto_init };
      return {
        changed: [
          `The repository ${organization === undefined ? "" : `${organization}/`}${name}, created${isPrivate ? ", private" : ""}`,
        ],
        request: {
          route: organization === undefined ? "POST /user/repos" : "POST /orgs/{org}/repos",
          params: organization === undefined ? facts : { ...facts, org: organization },
          target: isPrivate ? { owner: organization ?? (await api.gateway.facts.viewer()) } : "public",
        },
        spec: REPOSITORY,
      };
    },
  });
