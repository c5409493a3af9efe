import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { type Client, spawnServer } from "@suite/core/client";
import { countTokens } from "gpt-tokenizer";

import { startDescribedApi } from "../../github/described-api.ts";
import { ANSWERS } from "../../github/request-rows.ts";
import { BenchFailure } from "../measure/failure.ts";
import { formatTable } from "../measure/table.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";

type Calls = readonly (readonly [tool: string, args: object])[];

const repo = { owner: "octocat", repo: "Hello-World" };
const pull = { ...repo, pull_number: 1347 };
const issue = { ...repo, issue_number: 1347 };

/** What a careful model calls for a task. */
const TASKS: readonly (readonly [task: string, calls: Calls])[] = [
  [
    "triage a new issue",
    [
      ["list_issues", repo],
      ["issue_read", issue],
      ["issue_read", { ...issue, method: "get_comments" }],
      ["list_label", repo],
    ],
  ],
  [
    "review a pull request",
    [
      ["pull_request_read", pull],
      ["pull_request_read", { ...pull, method: "get_files" }],
      ["pull_request_read", { ...pull, method: "get_diff" }],
      ["pull_request_read", { ...pull, method: "get_review_comments" }],
    ],
  ],
  [
    "why did CI fail",
    [
      ["actions_list", { ...repo, method: "list_workflow_runs", status: "failure" }],
      ["get_job_logs", { ...repo, run_id: 42, failed_only: true }],
    ],
  ],
  ["reply in a thread", [["add_reply_to_pull_request_comment", { ...pull, comment_id: 10, body: "Done" }]]],
  [
    "edit one line of a file",
    [
      [
        "edit_file",
        {
          ...repo,
          path: "README.md",
          branch: "main",
          message: "Fix",
          edits: [{ old_text: "Hello", new_text: "Bye" }],
        },
      ],
    ],
  ],
  [
    "open a pull request from a patch",
    [
      ["create_branch", { ...repo, branch: "x" }],
      ["push_files", { ...repo, branch: "x", message: "m", files: [{ path: "a", content: "b" }] }],
      ["create_pull_request", { ...repo, title: "t", head: "x", base: "main" }],
    ],
  ],
  ["who owns a file", [["list_commits", { ...repo, path: "README.md" }]]],
  [
    "release notes",
    [
      ["get_latest_release", repo],
      ["list_commits", repo],
    ],
  ],
];

interface Cost {
  calls: number;
  text: number;
  structured: number;
  requests: number;
  rest: number;
}

const { resolve } = createRequire(import.meta.url);
const program = join(dirname(resolve("@suite/server-github/package.json")), "dist/main.js");

/** What tasks cost a model, beside what GitHub answers to the same requests, on GitHub's own examples. */
export async function runGithubSuite({ signal, showProgress }: SuiteOptions): Promise<SuiteReport> {
  const api = await startDescribedApi(ANSWERS);
  const costs = new Map<string, Cost>();
  try {
    for (const [task, calls] of TASKS) {
      showProgress(task);
      signal.throwIfAborted();
      const client = await spawnServer(process.execPath, {
        args: [program, "--api-url", api.url, "--toolsets", "all"],
      });
      try {
        costs.set(
          task,
          await measure(client, calls, () => ({
            requests: api.operations.length + api.documents.length,
            rest: api.sent(),
          })),
        );
      } finally {
        await client.close();
      }
    }
  } finally {
    await api.close();
  }
  const rows = [...costs].map(([task, cost]) => [task, ...Object.values(cost).map(String)]);
  const header = ["task", "calls", "tokens of text", "of structured", "requests", "bytes of REST"];
  return { text: formatTable(header, rows), data: { tasks: Object.fromEntries(costs) } };
}

async function measure(
  client: Client,
  calls: Calls,
  spent: () => Pick<Cost, "requests" | "rest">,
): Promise<Cost> {
  const before = spent();
  const cost = { calls: calls.length, text: 0, structured: 0 };
  for (const [tool, args] of calls) {
    const { content, structuredContent, isError } = await client.callTool(tool, args);
    const text = content.map((block) => ("text" in block ? block.text : "")).join("\n");
    if (isError === true) throw new BenchFailure(`${tool}: ${text}`);
    cost.text += countTokens(text);
    cost.structured += countTokens(JSON.stringify(structuredContent));
  }
  const after = spent();
  return { ...cost, requests: after.requests - before.requests, rest: after.rest - before.rest };
}
