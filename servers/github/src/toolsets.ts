/** Named as in GitHub's own MCP server. */
export const TOOLSETS = [
  "context",
  "repos",
  "git",
  "issues",
  "labels",
  "pull_requests",
  "actions",
  "notifications",
] as const;
/** Those that it has besides. */
export const OTHER_TOOLSETS: readonly string[] = [
  "code_quality",
  "code_security",
  "copilot",
  "copilot_issue_intents",
  "copilot_spaces",
  "dependabot",
  "discussions",
  "gists",
  "github_support_docs_search",
  "orgs",
  "projects",
  "secret_protection",
  "security_advisories",
  "stargazers",
  "users",
];
export const DEFAULT_TOOLSETS: readonly string[] = ["context", "repos", "issues", "pull_requests"];

/** A classic token needs one of these scopes to use a tool. */
const SCOPES: { readonly [tool: string]: readonly string[] } = {
  list_notifications: ["notifications", "repo"],
  ...Object.fromEntries(
    [
      "issue_write",
      "add_issue_comment",
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
