import type { FaultCode } from "@suite/server-kit/domain";

export interface FailureReading {
  readonly pattern: RegExp;
  readonly code: FaultCode;
  readonly says: string;
  readonly hint?: string;
  readonly retryAfterMs?: number;
}

export const UNRESOLVED_HINT =
  "Resolve them with git_resolve_conflict (git_conflicts shows both sides), or edit the files and stage them with git_add.";
export const IN_PROGRESS_HINT =
  "git_commit concludes a merge; git_continue_or_abort ends any operation, either way.";
export const UNCOMMITTED_HINT =
  "Commit them with git_commit, put them aside with git_stash, or discard them with git_restore.";

/** Git's wording depends on what else is in the work tree. */
export const NOTHING_TO_COMMIT = /nothing to commit|no changes added to commit|nothing added to commit/i;

/** Maps git's error messages to faults. The first match counts. */
export const READINGS: readonly FailureReading[] = [
  {
    pattern: /promisor remote/i,
    code: "unsupported",
    says: "This is a partial clone, and an object that this needs is not in it",
    hint: "This server does not fetch single objects. Do this with git outside of it, or use a full clone.",
  },
  {
    pattern: /exists; cannot create/i,
    code: "conflict",
    says: "The name conflicts with an existing branch or tag",
    hint: "Git cannot have both `a` and `a/b`; choose another name.",
  },
  {
    // On Windows, which takes some names for devices.
    pattern: /Unable to create '.*\.lock': Invalid argument/i,
    code: "invalid_input",
    says: "The system has no file of this name, which git needs",
    hint: "Choose another name.",
  },
  {
    pattern: /Unable to create '.*\.lock': File exists|could not lock config file|cannot lock ref/i,
    code: "unavailable",
    says: "The repository is locked by another git process",
    hint: "Wait until it has finished. If none is running, remove the .lock file it has left.",
    retryAfterMs: 1000,
  },
  {
    pattern: /not a git repository/i,
    code: "not_found",
    says: "This is not a git repository, or a damaged one",
  },
  {
    pattern: /detected dubious ownership/i,
    code: "permission_denied",
    says: "The repository belongs to another user",
    hint: "The operator can add it to safe.directory in the global git configuration.",
  },
  {
    pattern:
      /Author identity unknown|Committer identity unknown|unable to auto-detect email|empty ident name/i,
    code: "precondition_failed",
    says: "No author of commits is configured",
    hint: "Give author, or have the operator set user.name and user.email with git config --global.",
  },
  {
    pattern:
      /does not have any commits yet|bad (?:default )?revision 'HEAD'|no such ref: HEAD|ambiguous argument 'HEAD'|not a valid object name: 'HEAD'|nothing to amend/i,
    code: "precondition_failed",
    says: "This branch has no commits yet",
    hint: "Make the first one with git_add and git_commit.",
  },
  {
    pattern:
      /must be run in a work tree|cannot be used without a working tree|not allowed in a bare repository/i,
    code: "unsupported",
    says: "A bare repository has no work tree",
  },
  {
    pattern:
      /would be overwritten by|Your local changes|contains? uncommitted changes|cannot .+: You have unstaged changes|index contains uncommitted changes/i,
    code: "conflict",
    says: "Uncommitted changes would be overwritten",
    hint: UNCOMMITTED_HINT,
  },
  {
    pattern:
      /unmerged (?:files|paths)|needs merge|you need to resolve your current index first|is not possible because you have unmerged/i,
    code: "conflict",
    says: "There are unresolved conflicts",
    hint: UNRESOLVED_HINT,
  },
  {
    pattern:
      /You have not concluded your|cannot switch branch while|MERGE_HEAD exists|in progress|rebase-(?:merge|apply) directory/i,
    code: "precondition_failed",
    says: "Another operation is in progress",
    hint: IN_PROGRESS_HINT,
  },
  {
    pattern: /refusing to merge unrelated histories/i,
    code: "conflict",
    says: "The two have no commit in common, so git does not merge them",
    hint: "A shallow clone may lack that commit.",
  },
  {
    pattern: /empty commit message/i,
    code: "precondition_failed",
    says: "The commit message would be empty",
    hint: "Git takes lines that begin with # for comments. Commit with git_commit and a message, then continue what is still in progress.",
  },
  {
    pattern: NOTHING_TO_COMMIT,
    code: "precondition_failed",
    says: "There is nothing to commit",
    hint: "Use git_add, or pass `files` to git_commit.",
  },
  {
    pattern: /log for .* (?:only has \d+ entr|is empty)/i,
    code: "not_found",
    says: "The reflog does not go back that far",
    hint: "Name a commit from git_log.",
  },
  {
    pattern:
      /no upstream configured|no such branch: |HEAD does not point to a branch|not stored as a remote-tracking/i,
    code: "not_found",
    says: "There is no such upstream",
    hint: "Name the branch itself, such as origin/main. git_branch shows which branches have an upstream.",
  },
  {
    pattern: /'.*' is outside repository/i,
    code: "invalid_input",
    says: "A path leads out of the repository",
    hint: "Give a path relative to the root of the repository, as in HEAD:src/a.ts.",
  },
  {
    pattern: /is beyond a symbolic link/i,
    code: "invalid_input",
    says: "A path leads through a link, so it is not in the repository",
    hint: "Give the path that the link leads to, if that is in the repository.",
  },
  {
    pattern: /pathspec '.*' did not match|no such path|did not match any file|does not exist in '/i,
    code: "not_found",
    says: "A path is not in the repository",
    hint: "git_list_files shows what is there.",
  },
  {
    pattern: /outside of your sparse-checkout/i,
    code: "precondition_failed",
    says: "A file is outside of what the sparse checkout covers, so git does not stage it",
    hint: "Leave it out, and name the other files.",
  },
  {
    pattern: /cannot remove a locked working tree/i,
    code: "conflict",
    says: "The work tree is locked",
    hint: "Somebody locked it to keep it. They can unlock it with: git worktree unlock",
  },
  {
    pattern: /is not a valid branch name|is not a valid (?:tag|ref) name|bad (?:tag|ref)name/i,
    code: "invalid_input",
    says: "Git does not accept this name",
  },
  {
    pattern: /^fatal: (?:command line|-e option|header), '|invalid regex/im,
    code: "invalid_input",
    says: "This is not a regular expression that git takes",
    hint: "Put a backslash before each character that stands for itself.",
  },
  {
    pattern: /pcre\w* failed with error/i,
    code: "too_large",
    says: "The pattern takes too many steps on some line",
    hint: "Repeat nothing that holds a repetition, as in (a+)+.",
  },
  {
    pattern:
      /^usage: git|not a tree object|is a (?:blob|tree), not a commit|expected \w+ type, but the object/im,
    code: "invalid_input",
    says: "This revision is not a commit",
    hint: "Give a branch, a tag or a commit id.",
  },
  { pattern: /already exists/i, code: "conflict", says: "It exists already" },
  {
    pattern: /(?:checked out|used by worktree) at '/i,
    code: "conflict",
    says: "The branch is checked out in a work tree, or a rebase or bisect there will return to it",
    hint: "git_worktrees shows the work trees, and git_status what is in progress.",
  },
  {
    pattern:
      /Authentication failed|could not read (?:Username|Password)|Permission denied \(|terminal prompts disabled/i,
    code: "permission_denied",
    says: "The remote did not accept the credentials of this server, or it has none",
    hint: "The operator can set up a credential helper or an ssh agent.",
  },
  {
    pattern: /transport '.*' not allowed/i,
    code: "permission_denied",
    says: "This kind of address is not allowed here",
  },
  {
    pattern: /\[rejected\]/i,
    code: "conflict",
    says: "Some refs were rejected and not updated",
  },
  {
    pattern:
      /Could not resolve host|Failed to connect|Connection (?:refused|timed out|reset)|unable to access '\w+:\/\//i,
    code: "unavailable",
    says: "The remote cannot be reached",
  },
  {
    pattern: /unable to access '/i,
    code: "permission_denied",
    says: "Git cannot read one of its files",
    hint: "The operator can see to the file's permissions.",
  },
  {
    pattern:
      /not exported|does not appear to be a git repository|repository '.*' (?:does not exist|not found)/i,
    code: "not_found",
    says: "There is no such repository, or this server has no access to it",
  },
  {
    pattern: /remote error|Could not read from remote|the remote end hung up|early EOF/i,
    code: "unavailable",
    says: "The remote closed the connection",
  },
  {
    pattern: /out of memory|Cannot allocate memory/i,
    code: "too_large",
    says: "Git needs too much memory for this",
    hint: "Ask for less, such as a single path. On Linux, git may use 2 GiB here.",
  },
  { pattern: /No space left on device/i, code: "unavailable", says: "There is no space left on the device" },
];

/** The same for the lines of `git push --porcelain` about each ref. */
export const PUSH_READINGS: readonly FailureReading[] = [
  {
    pattern: /^!.*\[remote rejected\]/m,
    code: "permission_denied",
    says: "The remote declined the push",
    hint: "It has rules or hooks of its own: push another branch, or ask whoever runs it.",
  },
  {
    pattern: /^!.*\[remote failure\]/m,
    code: "unavailable",
    says: "The remote did not say whether it took the push",
    hint: "git_fetch shows what it has now.",
  },
  {
    pattern: /^!.*\(already exists\)/m,
    code: "conflict",
    says: "The remote has another tag of that name",
  },
  {
    pattern: /^!.*\(stale info\)/m,
    code: "conflict",
    says: "The remote has changed since it was fetched last",
    hint: "See what is new with git_fetch.",
  },
  {
    pattern: /^!/m,
    code: "conflict",
    says: "The remote has commits that are not here",
    hint: "Take them in with git_pull first.",
  },
];
