import type { Fields } from "../support/message.ts";
import type { CannedAnswers } from "./described-api.ts";

/** A call, and the operation of GitHub's API that it is made for. */
export interface RequestRow {
  readonly tool: string;
  readonly args: Fields;
  readonly operation: string;
}

const repo = { owner: "octocat", repo: "Hello-World" };
const issue = { ...repo, issue_number: 1347 };
const pull = { ...repo, pull_number: 1347 };
const file = { ...repo, path: "README.md", branch: "main", message: "Change" };

const row = (tool: string, args: Fields, operation: string): RequestRow => ({ tool, args, operation });

/** Every tool, with every method that it has. */
export const ROWS: readonly RequestRow[] = [
  row("get_me", {}, "users/get-authenticated"),
  row("get_rate_limit", {}, "rate-limit/get"),
  row("search_repositories", { query: "tetris", sort: "stars", order: "desc", limit: 5 }, "search/repos"),
  row("search_code", { query: "addClass repo:octocat/Hello-World" }, "search/code"),
  row("search_issues", { query: "windows", ...repo, sort: "created" }, "search/issues-and-pull-requests"),
  row("search_pull_requests", { query: "is:open" }, "search/issues-and-pull-requests"),
  row("get_file_contents", { ...repo, path: "README.md", ref: "main" }, "repos/get-content"),
  row("get_repository_tree", { ...repo, tree_sha: "main", recursive: true }, "git/get-tree"),
  row("list_branches", repo, "repos/list-branches"),
  row("list_tags", repo, "repos/list-tags"),
  row("list_releases", { ...repo, limit: 10 }, "repos/list-releases"),
  row("get_latest_release", repo, "repos/get-latest-release"),
  row("list_label", repo, "issues/list-labels-for-repo"),
  row(
    "list_commits",
    { ...repo, sha: "main", path: "a", author: "octocat", since: "2026-01-01T00:00:00Z" },
    "repos/list-commits",
  ),
  row("list_commits", { ...repo, base: "v1", sha: "main" }, "repos/compare-commits"),
  row("get_commit", { ...repo, sha: "main", detail: "full" }, "repos/get-commit"),
  row("get_commit", { ...repo, sha: "main", detail: "none" }, "repos/get-commit"),
  row("get_commit", { ...repo, sha: "main", base: "v1" }, "repos/compare-commits"),
  row(
    "list_issues",
    {
      ...repo,
      state: "all",
      labels: ["bug", "ui"],
      sort: "updated",
      direction: "asc",
      since: "2026-01-01T00:00:00Z",
    },
    "issues/list-for-repo",
  ),
  row("issue_read", issue, "issues/get"),
  row("issue_read", { ...issue, method: "get" }, "issues/get"),
  row("issue_read", { ...issue, method: "get_comments" }, "issues/list-comments"),
  row("issue_read", { ...issue, method: "get_sub_issues" }, "issues/list-sub-issues"),
  row("issue_read", { ...issue, method: "get_parent" }, "issues/get-parent"),
  row("issue_read", { ...issue, method: "get_labels" }, "issues/list-labels-on-issue"),
  row(
    "list_pull_requests",
    { ...repo, state: "open", head: "octocat:x", base: "main", sort: "popularity", direction: "desc" },
    "pulls/list",
  ),
  row("pull_request_read", { ...pull, method: "get" }, "pulls/get"),
  row("pull_request_read", { ...pull, method: "get_diff" }, "pulls/get"),
  row("pull_request_read", { ...pull, method: "get_files" }, "pulls/list-files"),
  row("pull_request_read", { ...pull, method: "get_commits" }, "pulls/list-commits"),
  row("pull_request_read", { ...pull, method: "get_status" }, "repos/get-combined-status-for-ref"),
  row("pull_request_read", { ...pull, method: "get_check_runs" }, "checks/list-for-ref"),
  row("pull_request_read", { ...pull, method: "get_reviews" }, "pulls/list-reviews"),
  row("pull_request_read", { ...pull, method: "get_comments" }, "issues/list-comments"),
  row("pull_request_read", { ...pull, method: "get_review_comments" }, "graphql"),
  row("actions_list", { ...repo, method: "list_workflows" }, "actions/list-repo-workflows"),
  row(
    "actions_list",
    {
      ...repo,
      method: "list_workflow_runs",
      branch: "main",
      status: "failure",
      event: "push",
      actor: "octocat",
    },
    "actions/list-workflow-runs-for-repo",
  ),
  row(
    "actions_list",
    { ...repo, method: "list_workflow_runs", resource_id: "ci.yml" },
    "actions/list-workflow-runs",
  ),
  row(
    "actions_list",
    { ...repo, method: "list_workflow_jobs", resource_id: "42" },
    "actions/list-jobs-for-workflow-run",
  ),
  row(
    "actions_list",
    { ...repo, method: "list_workflow_run_artifacts", resource_id: "42" },
    "actions/list-workflow-run-artifacts",
  ),
  row("actions_get", { ...repo, method: "get_workflow", resource_id: "ci.yml" }, "actions/get-workflow"),
  row("actions_get", { ...repo, method: "get_workflow_run", resource_id: "42" }, "actions/get-workflow-run"),
  row(
    "actions_get",
    { ...repo, method: "get_workflow_job", resource_id: "42" },
    "actions/get-job-for-workflow-run",
  ),
  row(
    "actions_get",
    { ...repo, method: "get_workflow_run_usage", resource_id: "42" },
    "actions/get-workflow-run-usage",
  ),
  row(
    "actions_get",
    { ...repo, method: "download_workflow_run_artifact", resource_id: "11" },
    "actions/get-artifact",
  ),
  row(
    "actions_get",
    { ...repo, method: "get_workflow_run_logs_url", resource_id: "42" },
    "actions/get-workflow-run",
  ),
  row(
    "get_job_logs",
    { ...repo, job_id: 399444496, grep: "error" },
    "actions/download-job-logs-for-workflow-run",
  ),
  row("get_job_logs", { ...repo, run_id: 42, job_name: "build" }, "actions/list-jobs-for-workflow-run"),
  row(
    "list_notifications",
    { filter: "only_participating", since: "2026-01-01T00:00:00Z" },
    "activity/list-notifications-for-authenticated-user",
  ),
  row(
    "list_notifications",
    { ...repo, filter: "include_read_notifications" },
    "activity/list-repo-notifications-for-authenticated-user",
  ),
  row(
    "issue_write",
    {
      ...repo,
      method: "create",
      title: "A",
      body: "b",
      labels: ["bug"],
      assignees: ["octocat"],
      milestone: 1,
    },
    "issues/create",
  ),
  row(
    "issue_write",
    { ...issue, method: "update", state: "closed", state_reason: "not_planned" },
    "issues/update",
  ),
  row("add_issue_comment", { ...issue, body: "Me too" }, "issues/create-comment"),
  row(
    "label_write",
    { ...repo, method: "create", name: "bug", color: "#f29513", description: "d" },
    "issues/create-label",
  ),
  row("label_write", { ...repo, method: "update", name: "bug", new_name: "defect" }, "issues/update-label"),
  row("label_write", { ...repo, method: "delete", name: "bug" }, "issues/delete-label"),
  row("create_branch", { ...repo, branch: "feature/x" }, "git/create-ref"),
  row(
    "create_or_update_file",
    { ...file, content: "new", sha: "802992c4220de19a90767f3000a79a31b98d0df7" },
    "repos/create-or-update-file-contents",
  ),
  row(
    "edit_file",
    { ...file, edits: [{ old_text: "Hello", new_text: "Bye" }] },
    "repos/create-or-update-file-contents",
  ),
  row("delete_file", file, "repos/delete-file"),
  row(
    "push_files",
    {
      ...repo,
      branch: "main",
      message: "Both",
      files: [
        { path: "a/b", content: "x" },
        { path: "c", delete: true },
      ],
    },
    "git/update-ref",
  ),
  row(
    "create_pull_request",
    {
      ...repo,
      title: "A",
      head: "x",
      base: "main",
      body: "b",
      draft: true,
      reviewers: ["octocat", "acme/team"],
    },
    "pulls/request-reviewers",
  ),
  row(
    "update_pull_request",
    { ...pull, title: "B", state: "open", draft: true, reviewers: ["octocat"] },
    "pulls/update",
  ),
  row(
    "merge_pull_request",
    { ...pull, merge_method: "squash", commit_title: "t", sha: "6dcb09b5b57875f334f61aebed695e2e4193db5e" },
    "pulls/merge",
  ),
  row(
    "pull_request_review_write",
    {
      ...pull,
      method: "create",
      event: "COMMENT",
      body: "b",
      comments: [{ path: "a", body: "c", line: 3, start_line: 1 }],
    },
    "pulls/create-review",
  ),
  row(
    "pull_request_review_write",
    { ...pull, method: "add_comments", comments: [{ path: "a", body: "c", line: 3 }] },
    "graphql",
  ),
  row(
    "pull_request_review_write",
    { ...pull, method: "submit_pending", event: "APPROVE" },
    "pulls/submit-review",
  ),
  row("pull_request_review_write", { ...pull, method: "delete_pending" }, "pulls/delete-pending-review"),
  row("pull_request_review_write", { ...pull, method: "resolve_thread", thread_id: "PRRT_1" }, "graphql"),
  row("pull_request_review_write", { ...pull, method: "unresolve_thread", thread_id: "PRRT_1" }, "graphql"),
  row(
    "add_reply_to_pull_request_comment",
    { ...pull, comment_id: 10, body: "Done" },
    "pulls/create-reply-for-review-comment",
  ),
  row(
    "add_reply_to_pull_request_comment",
    { ...pull, thread_id: "PRRT_1", body: "Done" },
    "pulls/create-reply-for-review-comment",
  ),
  row(
    "actions_run_trigger",
    { ...repo, method: "run_workflow", workflow_id: "ci.yml", ref: "main", inputs: { a: "b" } },
    "actions/create-workflow-dispatch",
  ),
  row(
    "actions_run_trigger",
    { ...repo, method: "rerun_workflow_run", run_id: 42 },
    "actions/re-run-workflow",
  ),
  row(
    "actions_run_trigger",
    { ...repo, method: "rerun_failed_jobs", run_id: 42 },
    "actions/re-run-workflow-failed-jobs",
  ),
  row(
    "actions_run_trigger",
    { ...repo, method: "cancel_workflow_run", run_id: 42 },
    "actions/cancel-workflow-run",
  ),
  row(
    "actions_run_trigger",
    { ...repo, method: "delete_workflow_run_logs", run_id: 42 },
    "actions/delete-workflow-run-logs",
  ),
  row(
    "create_repository",
    { name: "fresh", description: "d", auto_init: true },
    "repos/create-for-authenticated-user",
  ),
  row("create_repository", { name: "fresh", organization: "acme", private: false }, "repos/create-in-org"),
  row("fork_repository", { ...repo, organization: "acme" }, "repos/create-fork"),
];

export const isWrite = ({ tool }: RequestRow): boolean =>
  /write|create|edit|delete|push|merge|update|trigger|fork|add_/.test(tool);

/** Where GitHub's own example would not do: a directory for a file, a review that nobody has pending, a log elsewhere. */
export const ANSWERS: CannedAnswers = {
  "repos/get-content": {
    type: "file",
    encoding: "base64",
    size: 12,
    name: "README.md",
    path: "README.md",
    content: Buffer.from("Hello world\n").toString("base64"),
    sha: "802992c4220de19a90767f3000a79a31b98d0df7",
    html_url: "https://github.com/octocat/Hello-World/blob/main/README.md",
  },
  "git/get-tree": { sha: "cd8274d", tree: [{ path: "c", type: "blob", sha: "cd8274d" }], truncated: false },
  "pulls/list-reviews": [
    { id: 80, node_id: "PRR_80", state: "PENDING", user: { login: "octocat" }, body: "" },
  ],
  "actions/download-job-logs-for-workflow-run":
    "2026-01-01T00:00:00.0000000Z fine\n2026-01-01T00:00:01.0000000Z \u001b[31mError: no\u001b[0m\n",
  "actions/list-jobs-for-workflow-run": {
    total_count: 1,
    jobs: [{ id: 399444496, run_id: 42, name: "build", status: "completed", conclusion: "failure" }],
  },
};
