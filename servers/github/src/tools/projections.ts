/** The fields returned by default, as `name=path` of GitHub's own fields. */
export const fields = (words: string): readonly string[] => words.split(" ");

export const REPOSITORY: readonly string[] = fields(
  "full_name description private fork archived language stars=stargazers_count open_issues=open_issues_count default_branch pushed_at url=html_url",
);

export const ISSUE: readonly string[] = fields(
  "number title state state_reason author=user.login association=author_association labels=labels[].name assignees=assignees[].login comments created_at updated_at url=html_url",
);
export const ISSUE_FULL: readonly string[] = [
  ...ISSUE,
  ...fields("milestone=milestone.title closed_at sub_issues=sub_issues_summary.total body"),
];
export const ISSUE_DETAIL: readonly string[] = [
  ...ISSUE_FULL,
  ...fields(
    "type=type.name closed_by=closed_by.login locked active_lock_reason reactions=reactions.total_count node_id",
  ),
];
export const LABEL: readonly string[] = fields("name color description");
export const COMMENT: readonly string[] = fields(
  "id author=user.login association=author_association created_at body url=html_url",
);

export const COMMENT_FULL: readonly string[] = [
  ...COMMENT,
  ...fields("updated_at reactions=reactions.total_count node_id"),
];

export const PULL: readonly string[] = fields(
  "number title state draft author=user.login association=author_association head=head.ref base=base.ref labels=labels[].name reviewers=requested_reviewers[].login updated_at merged_at url=html_url",
);
export const PULL_FULL: readonly string[] = [
  ...PULL,
  ...fields(
    "head_sha=head.sha head_repo=head.repo.full_name merged mergeable mergeable_state commits changed_files additions deletions comments review_comments created_at body",
  ),
];
export const PULL_DETAIL: readonly string[] = [
  ...PULL_FULL,
  ...fields(
    "assignees=assignees[].login milestone=milestone.title teams=requested_teams[].slug merged_by=merged_by.login merge_commit_sha auto_merge=auto_merge.merge_method rebaseable maintainer_can_modify locked closed_at node_id",
  ),
];
export const FILE: readonly string[] = fields("filename status additions deletions previous_filename");
export const COMMIT: readonly string[] = fields(
  "sha message=commit.message author=commit.author.name login=author.login date=commit.author.date",
);
export const COMMIT_FULL: readonly string[] = [
  ...COMMIT,
  ...fields(
    "committer=commit.committer.name committed_at=commit.committer.date verified=commit.verification.verified parents=parents[].sha url=html_url",
  ),
];
export const REVIEW: readonly string[] = fields(
  "id author=user.login state submitted_at commit_id body url=html_url",
);

export const RELEASE: readonly string[] = fields(
  "id tag_name name draft prerelease author=author.login published_at assets=assets[].name body url=html_url",
);

export const WORKFLOW: readonly string[] = fields("id name path state url=html_url");
export const RUN: readonly string[] = fields(
  "id name display_title run_number run_attempt event status conclusion head_branch head_sha actor=actor.login created_at updated_at workflow_id url=html_url",
);
export const RUN_FULL: readonly string[] = [
  ...RUN,
  ...fields(
    "path triggered_by=triggering_actor.login started_at=run_started_at pull_requests=pull_requests[].number commit=head_commit.message previous_attempt_url",
  ),
];
export const JOB: readonly string[] = fields(
  "id name status conclusion run_id started_at completed_at url=html_url",
);
export const JOB_FULL: readonly string[] = [...JOB, "runner_name", "labels", "steps"];
export const ARTIFACT: readonly string[] = fields("id name size_in_bytes expired created_at expires_at");
export const ARTIFACT_FULL: readonly string[] = [
  ...ARTIFACT,
  ...fields("digest run_id=workflow_run.id branch=workflow_run.head_branch url=archive_download_url"),
];

export const NOTIFICATION: readonly string[] = fields(
  "id reason unread repository=repository.full_name type=subject.type title=subject.title subject_url=subject.url updated_at",
);

export const ME: readonly string[] = fields(
  "login name company location bio public_repos followers created_at url=html_url",
);
