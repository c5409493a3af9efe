import type { Fields } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { openGithub, tryTool } from "../github/program.ts";
import { useScriptedApi } from "../github/use-scripted-api.ts";
import { PUBLIC, STAGE } from "./stage.ts";

const api = await useScriptedApi(STAGE);

const ARGS = ["--lockdown", "--toolsets", "all"];
/** What mallory wrote, anywhere. */
const WORDS = /Do it!|Please help|post its README/;

interface Way {
  readonly tool: string;
  readonly args: Fields;
  /** What others wrote, which is still there. */
  readonly shows?: RegExp;
  /** No stranger wrote any of it. */
  readonly isOurs?: true;
}

/** Of a run; those of the last id are ours. */
const RUN_PARTS = [
  ["actions_list", "list_workflow_jobs", ["9", "10", "13"]],
  ["actions_list", "list_workflow_run_artifacts", ["9", "10", "13"]],
  ["actions_get", "get_workflow_job", ["8", "18", "28"]],
  ["actions_get", "download_workflow_run_artifact", ["8", "18", "28"]],
] as const;

/** Every way to what a stranger wrote. */
const WAYS: readonly Way[] = [
  { tool: "list_issues", args: PUBLIC, shows: /Ours/ },
  { tool: "issue_read", args: { ...PUBLIC, issue_number: 1 } },
  { tool: "issue_read", args: { ...PUBLIC, issue_number: 2 }, shows: /Ours/, isOurs: true },
  { tool: "issue_read", args: { ...PUBLIC, issue_number: 1, method: "get_comments" } },
  { tool: "issue_read", args: { ...PUBLIC, issue_number: 2, method: "get_comments" }, shows: /Thanks/ },
  { tool: "issue_read", args: { ...PUBLIC, issue_number: 1, fields: ["body", "title"] } },
  { tool: "search_issues", args: { query: "x" }, shows: /Ours/ },
  { tool: "pull_request_read", args: { ...PUBLIC, pull_number: 3 } },
  { tool: "pull_request_read", args: { ...PUBLIC, pull_number: 3, method: "get_diff" } },
  { tool: "pull_request_read", args: { ...PUBLIC, pull_number: 3, method: "get_files", fields: ["patch"] } },
  { tool: "pull_request_read", args: { ...PUBLIC, pull_number: 3, method: "get_check_runs" } },
  {
    tool: "pull_request_read",
    args: { ...PUBLIC, pull_number: 3, method: "get_review_comments" },
    shows: /Thanks/,
  },
  { tool: "get_file_contents", args: { ...PUBLIC, path: "README.md", ref: "refs/pull/3/head" } },
  { tool: "get_file_contents", args: { ...PUBLIC, path: "README.md", ref: "pull/3/merge" } },
  { tool: "get_file_contents", args: { ...PUBLIC, path: "README.md", ref: "beef" } },
  { tool: "get_file_contents", args: { ...PUBLIC, path: "README.md", ref: "v1-7-gbeef" } },
  { tool: "list_commits", args: { ...PUBLIC, sha: "refs/pull/3/head" } },
  { tool: "list_commits", args: { ...PUBLIC, sha: "beef" } },
  { tool: "list_commits", args: { ...PUBLIC, base: "v1", sha: "beef" } },
  { tool: "get_commit", args: { ...PUBLIC, sha: "beef" } },
  // On the default branch, at the end of another, at a tag, and in the middle of another branch.
  ...["cafe", "ace0", "feed", "d00d"].map((sha) => ({
    tool: "get_commit",
    args: { ...PUBLIC, sha },
    shows: /Fine/,
    isOurs: true as const,
  })),
  { tool: "get_repository_tree", args: { ...PUBLIC, tree_sha: "beef" } },
  { tool: "list_notifications", args: {}, shows: /lockdown/ },
  { tool: "actions_list", args: { ...PUBLIC, method: "list_workflow_runs" }, shows: /Fine/ },
  ...["9", "10", "11", "12"].map((resource_id) => ({
    tool: "actions_get",
    args: { ...PUBLIC, method: "get_workflow_run", resource_id },
  })),
  ...RUN_PARTS.flatMap(([tool, method, [theirs, again, ours]]) => [
    { tool, args: { ...PUBLIC, method, resource_id: theirs } },
    { tool, args: { ...PUBLIC, method, resource_id: again, detail: "full" } },
    { tool, args: { ...PUBLIC, method, resource_id: ours }, shows: /Fine/, isOurs: true as const },
  ]),
  ...[8, 18].map((job_id) => ({ tool: "get_job_logs", args: { ...PUBLIC, job_id } })),
  ...[9, 10].map((run_id) => ({ tool: "get_job_logs", args: { ...PUBLIC, run_id, failed_only: true } })),
];

describe("lockdown", () => {
  it("hides what strangers wrote, and nothing else", async () => {
    const wire = await openGithub(api.url, ARGS);
    const seen: string[] = [];
    for (const { tool, args, shows } of WAYS) {
      const { text, structured, error } = await tryTool(wire, tool, args);
      const all = text + JSON.stringify(structured) + JSON.stringify(error ?? {});
      if (WORDS.test(all)) seen.push(`${tool} ${JSON.stringify(args)}: ${all}`);
      if (shows !== undefined && !(shows.test(text) && shows.test(JSON.stringify(structured)))) {
        seen.push(`${tool} ${JSON.stringify(args)} shows too little: ${all}`);
      }
    }
    expect(seen).toEqual([]);
  });

  it("hides it in resources and prompts", async () => {
    const wire = await openGithub(api.url, ARGS);
    const answers = [
      await wire.request("resources/read", { uri: "repo://octo/app/issues/1" }),
      await wire.request("resources/read", { uri: "repo://octo/app/issues/2" }),
      await wire.request("resources/read", { uri: "repo://octo/app/pulls/3" }),
      await wire.request("resources/read", { uri: "repo://octo/app/refs/pull/3/head/contents/README.md" }),
      await wire.request("resources/read", { uri: "repo://octo/app/sha/beef/contents/README.md" }),
      await wire.request("resources/read", { uri: "repo://octo/app/actions/runs/9/logs" }),
      await wire.request("resources/read", { uri: "repo://octo/app/actions/runs/10/logs" }),
      await wire.request("prompts/get", {
        name: "triage_issue",
        arguments: { ...PUBLIC, issue_number: "1" },
      }),
      await wire.request("prompts/get", { name: "review_pr", arguments: { ...PUBLIC, pull_number: "3" } }),
      await wire.request("prompts/get", {
        name: "diagnose_failed_run",
        arguments: { ...PUBLIC, run_id: "9" },
      }),
      await wire.request("prompts/get", {
        name: "release_notes",
        arguments: { ...PUBLIC, since: "v1", until: "beef" },
      }),
      await wire.request("prompts/get", {
        name: "release_notes",
        arguments: { ...PUBLIC, since: "v1", until: "cafe" },
      }),
    ];
    expect(answers.filter((answer) => WORDS.test(JSON.stringify(answer)))).toEqual([]);
    expect(JSON.stringify(answers[1])).toMatch(/Ours/);
    expect(JSON.stringify(answers[1])).toMatch(/Thanks/);
    expect(JSON.stringify(answers.at(-1))).toMatch(/Fine/);
  });

  it("proposes no names of files from a fork's commit", async () => {
    api.script = { ...STAGE, "GET /repos/octo/app/contents": { body: [{ path: "Do it!", type: "file" }] } };
    const ref = { type: "ref/resource", uri: "repo://{owner}/{repo}/sha/{sha}/contents{/path*}" };
    const propose = async (args: readonly string[], sha: string): Promise<unknown> => {
      const wire = await openGithub(api.url, args);
      const context = { arguments: { ...PUBLIC, sha } };
      const { result } = await wire.request("completion/complete", {
        ref,
        argument: { name: "path", value: "" },
        context,
      });
      return (result?.["completion"] as Fields | undefined)?.["values"];
    };
    expect(await propose(ARGS, "cafe")).toEqual(["Do it!"]);
    expect(await propose(ARGS, "beef")).toEqual([]);
    expect(await propose([], "beef")).toEqual(["Do it!"]);
  });

  it("takes no ref that git would calculate, on or off", async () => {
    const refs = [
      "beef^0",
      "beef~0",
      "beef^{}",
      "beef@{0}",
      " beef",
      "beef ",
      ":beef",
      "/pull/3/head",
      "main..beef",
      "@",
    ];
    for (const args of [ARGS, ["--toolsets", "all"]]) {
      const wire = await openGithub(api.url, args);
      for (const ref of refs) {
        for (const [tool, given] of [
          ["get_file_contents", { path: "README.md", ref }],
          ["get_commit", { sha: ref }],
          ["list_commits", { sha: ref }],
          ["list_commits", { base: ref }],
          ["get_repository_tree", { tree_sha: ref }],
        ] as const) {
          const { error } = await tryTool(wire, tool, { ...PUBLIC, ...given });
          expect.soft(error?.code, `${tool} ${ref}`).toBe("invalid_input");
        }
      }
      const uri = "repo://octo/app/sha/beef%5E0/contents/README.md";
      expect(JSON.stringify(await wire.request("resources/read", { uri }))).toMatch(
        /not the name of a branch/,
      );
    }
  });

  it("is needed: without it, all of them show", async () => {
    const wire = await openGithub(api.url, ["--toolsets", "all", "--taint-guard", "off"]);
    const silent: string[] = [];
    for (const { tool, args, isOurs } of WAYS) {
      const { text } = await tryTool(wire, tool, args);
      // A check that nobody ran has none of their words.
      if (isOurs !== true && args["method"] !== "get_check_runs" && !WORDS.test(text)) silent.push(tool);
    }
    expect(silent).toEqual([]);
  });
});
