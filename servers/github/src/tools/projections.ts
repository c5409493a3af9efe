/** What is told of each kind of thing unless `fields` asks for more: `name=path` of GitHub's own fields. */

export const REPOSITORY = [
  "full_name",
  "description",
  "private",
  "fork",
  "archived",
  "language",
  "stars=stargazers_count",
  "open_issues=open_issues_count",
  "default_branch",
  "pushed_at",
  "url=html_url",
] as const;

export const ISSUE = [
  "number",
  "title",
  "state",
  "state_reason",
  "author=user.login",
  "association=author_association",
  "labels=labels[].name",
  "assignees=assignees[].login",
  "comments",
  "created_at",
  "updated_at",
  "url=html_url",
] as const;

export const ISSUE_FULL = [
  ...ISSUE,
  "milestone=milestone.title",
  "closed_at",
  "sub_issues=sub_issues_summary.total",
  "body",
] as const;

export const FOUND_ISSUE = ["repository=repository_url", ...ISSUE] as const;

export const COMMENT = [
  "id",
  "author=user.login",
  "association=author_association",
  "created_at",
  "body",
  "url=html_url",
] as const;

export const PULL = [
  "number",
  "title",
  "state",
  "draft",
  "author=user.login",
  "association=author_association",
  "head=head.ref",
  "base=base.ref",
  "labels=labels[].name",
  "reviewers=requested_reviewers[].login",
  "updated_at",
  "url=html_url",
] as const;

export const PULL_FULL = [
  ...PULL,
  "head_sha=head.sha",
  "head_repo=head.repo.full_name",
  "merged",
  "mergeable",
  "mergeable_state",
  "commits",
  "changed_files",
  "additions",
  "deletions",
  "comments",
  "review_comments",
  "created_at",
  "merged_at",
  "body",
] as const;

export const FILE = ["filename", "status", "additions", "deletions", "previous_filename"] as const;

export const COMMIT = [
  "sha",
  "message=commit.message",
  "author=commit.author.name",
  "login=author.login",
  "date=commit.author.date",
] as const;

export const REVIEW = [
  "id",
  "author=user.login",
  "state",
  "submitted_at",
  "commit_id",
  "body",
  "url=html_url",
] as const;

export const RELEASE = [
  "id",
  "tag_name",
  "name",
  "draft",
  "prerelease",
  "author=author.login",
  "published_at",
  "assets=assets[].name",
  "body",
  "url=html_url",
] as const;

export const WORKFLOW = ["id", "name", "path", "state", "url=html_url"] as const;

export const RUN = [
  "id",
  "name",
  "display_title",
  "run_number",
  "run_attempt",
  "event",
  "status",
  "conclusion",
  "head_branch",
  "head_sha",
  "actor=actor.login",
  "created_at",
  "updated_at",
  "workflow_id",
  "url=html_url",
] as const;

export const JOB = [
  "id",
  "name",
  "status",
  "conclusion",
  "run_id",
  "started_at",
  "completed_at",
  "url=html_url",
] as const;

export const JOB_FULL = [...JOB, "runner_name", "labels", "steps"] as const;

export const ARTIFACT = ["id", "name", "size_in_bytes", "expired", "created_at", "expires_at"] as const;

export const NOTIFICATION = [
  "id",
  "reason",
  "unread",
  "repository=repository.full_name",
  "type=subject.type",
  "title=subject.title",
  "subject_url=subject.url",
  "updated_at",
] as const;

export const ME = [
  "login",
  "name",
  "company",
  "location",
  "bio",
  "public_repos",
  "followers",
  "created_at",
  "url=html_url",
] as const;
