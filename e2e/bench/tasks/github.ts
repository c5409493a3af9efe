import { startDescribedApi } from "../../github/described-api.ts";
import { ANSWERS } from "../../github/request-rows.ts";
import { undoAtEnd } from "../../support/afterwards.ts";
import type { BenchTask } from "./task.ts";

/** A stand-in that answers with GitHub's own examples. */
export async function prepareGithub(): Promise<readonly string[]> {
  const api = await startDescribedApi(ANSWERS);
  undoAtEnd(() => api.close());
  return ["--api-url", api.url, "--toolsets", "all"];
}

const repo = { owner: "octocat", repo: "Hello-World" };
const pull = { ...repo, pull_number: 1347 };
const issue = { ...repo, issue_number: 1347 };

/** Each as few calls as a careful model needs. */
export const GITHUB_TASKS: readonly BenchTask[] = [
  {
    name: "triage a new issue",
    steps: [
      { tool: "list_issues", args: repo },
      { tool: "issue_read", args: issue },
      { tool: "issue_read", args: { ...issue, method: "get_comments" } },
      { tool: "list_label", args: repo },
    ],
    tokens: 250,
  },
  {
    name: "review a pull request",
    steps: [
      { tool: "pull_request_read", args: pull },
      { tool: "pull_request_read", args: { ...pull, method: "get_files" } },
      { tool: "pull_request_read", args: { ...pull, method: "get_diff" } },
      { tool: "pull_request_read", args: { ...pull, method: "get_review_comments" } },
    ],
    tokens: 550,
  },
  {
    name: "why did CI fail",
    steps: [
      { tool: "actions_list", args: { ...repo, method: "list_workflow_runs", status: "failure" } },
      { tool: "get_job_logs", args: { ...repo, run_id: 42, failed_only: true } },
    ],
    tokens: 270,
  },
  {
    name: "reply in a thread",
    steps: [{ tool: "add_reply_to_pull_request_comment", args: { ...pull, comment_id: 10, body: "Done" } }],
    tokens: 80,
  },
  {
    name: "edit one line of a file",
    steps: [
      {
        tool: "edit_file",
        args: {
          ...repo,
          path: "README.md",
          branch: "main",
          message: "Fix",
          edits: [{ old_text: "Hello", new_text: "Bye" }],
        },
      },
    ],
    tokens: 120,
  },
  {
    name: "open a pull request from a patch",
    steps: [
      { tool: "create_branch", args: { ...repo, branch: "x" } },
      {
        tool: "push_files",
        args: { ...repo, branch: "x", message: "m", files: [{ path: "a", content: "b" }] },
      },
      { tool: "create_pull_request", args: { ...repo, title: "t", head: "x", base: "main" } },
    ],
    tokens: 280,
  },
  {
    name: "who owns a file",
    steps: [{ tool: "list_commits", args: { ...repo, path: "README.md" } }],
    tokens: 120,
  },
  {
    name: "release notes",
    steps: [
      { tool: "get_latest_release", args: repo },
      { tool: "list_commits", args: repo },
    ],
    tokens: 270,
  },
  {
    name: "where is a function used",
    steps: [
      { tool: "search_code", args: { query: "addClass repo:octocat/Hello-World" } },
      { tool: "get_file_contents", args: { ...repo, path: "README.md", start_line: 1, end_line: 1 } },
    ],
    tokens: 160,
  },
  {
    name: "merge what is ready",
    steps: [
      { tool: "pull_request_read", args: { ...pull, method: "get_check_runs" } },
      { tool: "pull_request_read", args: { ...pull, method: "get_reviews" } },
      // The wrong method is a mistake that is read, and mended.
      { tool: "merge_pull_request", args: { ...pull, merge_method: "fast-forward" }, fails: true },
      { tool: "merge_pull_request", args: { ...pull, merge_method: "squash" } },
    ],
    tokens: 320,
  },
  {
    name: "close a duplicate",
    steps: [
      { tool: "search_issues", args: { query: "windows", ...repo } },
      {
        tool: "issue_write",
        args: { ...issue, method: "update", state: "closed", state_reason: "duplicate" },
      },
      { tool: "add_issue_comment", args: { ...issue, body: "This is #1." } },
    ],
    tokens: 280,
  },
  {
    name: "mend a comment",
    steps: [
      { tool: "comment_write", args: { ...repo, method: "update", comment_id: 1, body: "Me, too" } },
      { tool: "comment_write", args: { ...repo, method: "delete", comment_id: 1 } },
    ],
    tokens: 100,
  },
  {
    name: "publish a release",
    steps: [
      {
        tool: "release_write",
        args: { ...repo, method: "create", tag: "v1.0.0", generate_notes: true, draft: true },
      },
      { tool: "release_write", args: { ...repo, method: "update", tag: "v1.0.0", draft: false } },
    ],
    tokens: 250,
  },
  {
    name: "commit a picture",
    steps: [
      {
        tool: "push_files",
        args: {
          ...repo,
          branch: "main",
          message: "A picture",
          files: [{ path: "a.png", content: "iVBORw0KGgo=", encoding: "base64" }],
        },
      },
    ],
    tokens: 150,
  },
  {
    name: "what happened since Monday",
    steps: [
      { tool: "list_notifications", args: { since: "2026-01-05T00:00:00Z" } },
      { tool: "list_issues", args: { ...repo, state: "all", since: "2026-01-05T00:00:00Z", limit: 5 } },
      { tool: "list_pull_requests", args: { ...repo, state: "open", sort: "updated", limit: 5 } },
      { tool: "list_commits", args: { ...repo, since: "2026-01-05T00:00:00Z", limit: 5 } },
    ],
    tokens: 380,
  },
];
