/** Named as in GitHub's own MCP server, which has no `releases`. */
export const TOOLSETS = [
  "context",
  "repos",
  "releases",
  "git",
  "issues",
  "labels",
  "pull_requests",
  "actions",
  "notifications",
  "discussions",
  "code_security",
  "users",
  "projects",
] as const;
/** Toolsets of GitHub's own server whose tools are in others here. */
export const TOOLSET_ALIASES: { readonly [name: string]: string } = {
  dependabot: "code_security",
  secret_protection: "code_security",
  orgs: "users",
};
/** Those that it has besides. */
export const OTHER_TOOLSETS: readonly string[] = [
  "code_quality",
  "copilot",
  "copilot_issue_intents",
  "copilot_spaces",
  "gists",
  "github_support_docs_search",
  "security_advisories",
  "stargazers",
];
export const DEFAULT_TOOLSETS: readonly string[] = ["context", "repos", "issues", "pull_requests"];

/** A classic token needs one of these scopes to use a tool. */
const SCOPES: { readonly [tool: string]: readonly string[] } = {
  list_notifications: ["notifications", "repo"],
  notification_write: ["notifications", "repo"],
  alerts_read: ["security_events", "repo", "public_repo"],
  projects_list: ["read:project", "project"],
  projects_write: ["project"],
  ...Object.fromEntries(
    [
      "issue_write",
      "add_issue_comment",
      "comment_write",
      "release_write",
      "discussion_comment_write",
      "label_write",
      "create_branch",
      "create_or_update_file",
      "edit_file",
      "push_files",
      "delete_file",
      "create_pull_request",
      "update_pull_request",
      "merge_pull_request",
      "pull_request_review_write",
      "add_reply_to_pull_request_comment",
      "actions_run_trigger",
      "create_repository",
      "fork_repository",
    ].map((name) => [name, ["repo", "public_repo"]]),
  ),
};

export const SCOPED_TOOLS: readonly string[] = Object.keys(SCOPES);

/** Why a token with these scopes cannot use a tool. Without scopes, it is not known. */
export function whyOutOfScope(tool: string, scopes: readonly string[] | undefined): string | undefined {
  const accepted = SCOPES[tool];
  const isUsable = !scopes || !accepted || accepted.some((scope) => scopes.includes(scope));
  return isUsable ? undefined : `the token needs one of the scopes ${accepted.join(", ")}`;
}
