import type { Fields } from "@suite/check/wires";

import type { CannedAnswers } from "./described-api.ts";

/** A call, and the operation of GitHub's API that it is made for. */
export interface RequestRow {
  readonly tool: string;
  readonly args: Fields;
  readonly operation: string;
}

const repo = { owner: "octocat", repo: "Hello-World" };
const issue = { ...repo, issue_number: 1347 };
const project = { owner: "octocat", project_number: 2 };
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
  row("get_latest_release", { ...repo, tag: "v1.0.0" }, "repos/get-release-by-tag"),
  row("get_file_contents", { ...repo, path: "README.md", blame: true }, "graphql"),
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
  row("list_discussions", { ...repo, category: "q&a", answered: false, state: "open" }, "graphql"),
  row("discussion_read", { ...repo, discussion_number: 90, method: "get" }, "graphql"),
  row("discussion_read", { ...repo, discussion_number: 90, method: "get_comments" }, "graphql"),
  row("alerts_read", { ...repo, kind: "code_scanning" }, "code-scanning/list-alerts-for-repo"),
  row("alerts_read", { ...repo, kind: "dependabot", state: "closed" }, "dependabot/list-alerts-for-repo"),
  row("alerts_read", repo, "secret-scanning/list-alerts-for-repo"),
  row("alerts_read", { ...repo, kind: "code_scanning", alert_number: 42 }, "code-scanning/get-alert"),
  row("alerts_read", { ...repo, kind: "dependabot", alert_number: 1 }, "dependabot/get-alert"),
  row("alerts_read", { ...repo, kind: "secret_scanning", alert_number: 42 }, "secret-scanning/get-alert"),
  row("search_users", { query: "tom", sort: "followers", order: "desc" }, "search/users"),
  row("list_choices", { ...repo, kind: "assignees" }, "issues/list-assignees"),
  row("list_choices", { ...repo, kind: "collaborators" }, "repos/list-collaborators"),
  row("list_choices", { ...repo, kind: "teams" }, "repos/list-teams"),
  row("list_choices", { ...repo, kind: "team_members", team_slug: "core" }, "teams/list-members-in-org"),
  row("list_choices", { ...repo, kind: "issue_types" }, "orgs/list-issue-types"),
  row("list_choices", { ...repo, kind: "milestones" }, "issues/list-milestones"),
  row(
    "projects_list",
    { owner: "octocat", method: "list_projects", query: "is:open" },
    "projects/list-for-org",
  ),
  row("projects_list", { ...project, method: "get_project" }, "projects/get-for-org"),
  row("projects_list", { ...project, method: "list_project_fields" }, "projects/list-fields-for-org"),
  row(
    "projects_list",
    { ...project, method: "list_project_items", query: "status:Todo" },
    "projects/list-items-for-org",
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
  row("issue_write", { ...issue, method: "update", parent: 1 }, "issues/add-sub-issue"),
  row("issue_write", { ...issue, method: "update", parent: 0 }, "issues/remove-sub-issue"),
  row("issue_write", { ...issue, method: "update", parent: 1, after: 1348 }, "issues/reprioritize-sub-issue"),
  row("add_issue_comment", { ...issue, body: "Me too" }, "issues/create-comment"),
  row(
    "comment_write",
    { ...repo, method: "update", comment_id: 1, body: "Me too!" },
    "issues/update-comment",
  ),
  row("comment_write", { ...repo, method: "delete", comment_id: 1 }, "issues/delete-comment"),
  row(
    "comment_write",
    { ...repo, method: "update", comment_id: 1, kind: "review", body: "No" },
    "pulls/update-review-comment",
  ),
  row(
    "comment_write",
    { ...repo, method: "delete", comment_id: 1, kind: "review" },
    "pulls/delete-review-comment",
  ),
  row(
    "release_write",
    {
      ...repo,
      method: "create",
      tag: "v2",
      target: "main",
      name: "Two",
      body: "b",
      draft: true,
      latest: true,
    },
    "repos/create-release",
  ),
  row(
    "release_write",
    { ...repo, method: "create", tag: "v2", generate_notes: true, prerelease: true },
    "repos/create-release",
  ),
  row("release_write", { ...repo, method: "update", tag: "v1.0.0", body: "b" }, "repos/update-release"),
  row("release_write", { ...repo, method: "delete", release_id: 1 }, "repos/delete-release"),
  row("notification_write", { method: "read", thread_ids: ["1", "2"] }, "activity/mark-thread-as-read"),
  row("notification_write", { method: "done", thread_ids: ["1"] }, "activity/mark-thread-as-done"),
  row(
    "notification_write",
    { method: "read_all", until: "2026-01-01" },
    "activity/mark-notifications-as-read",
  ),
  row("notification_write", { ...repo, method: "read_all" }, "activity/mark-repo-notifications-as-read"),
  ...["reply", "update", "delete", "mark_answer", "unmark_answer"].map((method) =>
    row(
      "discussion_comment_write",
      { ...repo, method, comment_id: "DC_1", ...(/reply|update/.test(method) && { body: "Yes" }) },
      "graphql",
    ),
  ),
  row("discussion_comment_write", { ...repo, method: "add", discussion_number: 90, body: "So" }, "graphql"),
  row(
    "projects_write",
    { ...project, method: "add_project_item", item_repo: "octocat/Hello-World", item_number: 3 },
    "projects/add-item-for-org",
  ),
  row(
    "projects_write",
    { ...project, method: "update_project_item", item_id: 13, values: { status: "done", "Story points": 3 } },
    "projects/update-item-for-org",
  ),
  row(
    "projects_write",
    { ...project, method: "delete_project_item", item_id: 13 },
    "projects/delete-item-for-org",
  ),
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
  row("merge_pull_request", { ...pull, merge_method: "squash", auto: "enable" }, "graphql"),
  row("update_pull_request", { ...pull, update_branch: true }, "pulls/update-branch"),
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
  "issues/get": { id: 1, number: 1347, state: "open", title: "Found a bug", user: { login: "octocat" } },
  "issues/list-sub-issues": [{ id: 7, number: 1348, state: "open", title: "Part of it" }],
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
