import { Fault } from "@suite/server-kit/domain";

import { toRepositoryPath } from "../names.ts";
import { type Commit, findCommit } from "../reading/history.ts";
import { readStatus } from "../reading/status.ts";
import type { Change, ChangeContext } from "./changes.ts";
import { addFiles, findStageable } from "./staging.ts";

export interface CommitRequest {
  readonly message?: string | undefined;
  /** Staged in the same step. */
  readonly files?: readonly string[] | undefined;
  readonly amend: boolean;
  readonly author?: string | undefined;
  readonly allowEmpty: boolean;
  readonly dryRun: boolean;
}

export interface Committed {
  readonly changed: readonly string[];
  /** Absent in a dry run. */
  readonly commit?: Commit;
  readonly branch?: string;
}

export async function commit(
  context: ChangeContext,
  change: Change,
  request: CommitRequest,
): Promise<Committed> {
  const { git, repository, signal } = context;
  const { message, files = [], amend, author, allowEmpty, dryRun } = request;
  requireMessage(message, amend);
  const adding =
    files.length === 0
      ? []
      : await findStageable(
          context,
          files.map((file) => toRepositoryPath(repository, file)),
        );
  const status = await readStatus(git, repository, { untracked: "no", signal });
  const isConcluding = status.operation === "merge";
  const left = status.conflicts.filter(({ path }) => !adding.includes(path));
  if (left.length > 0) {
    throw new Fault(
      "conflict",
      `${left.length} files have conflicts, such as ${JSON.stringify(left[0]?.path)}`,
      {
        hint: "git_conflicts shows them, git_resolve_conflict resolves them.",
      },
    );
  }
  const changed = [...new Set([...status.staged.map(({ path }) => path), ...adding])].toSorted();
  if (changed.length === 0 && !amend && !allowEmpty && !isConcluding)
    throw refuseEmpty(status.unstaged.length);
  const branch = status.branch === undefined ? {} : { branch: status.branch };
  if (dryRun) return { changed, ...branch };
  const subject = message?.split("\n", 1)[0] ?? "the last commit";
  await change.begin({
    tool: "git_commit",
    summary: `${amend ? "amend" : "commit"} ${JSON.stringify(subject)}`,
  });
  if (adding.length > 0) await addFiles(change, adding);
  await change.run(
    [
      "commit",
      "--quiet",
      "--cleanup=whitespace",
      ...(message === undefined ? ["--no-edit"] : ["--file=-"]),
      ...(amend ? ["--amend"] : []),
      ...(author === undefined ? [] : [`--author=${toAuthor(author)}`]),
      ...(allowEmpty || amend ? ["--allow-empty"] : []),
    ],
    { input: message ?? "", signs: true },
  );
  return { changed, commit: await findCommit(git, repository, "HEAD", signal), ...branch };
}

function requireMessage(message: string | undefined, amend: boolean): void {
  if (message === undefined && amend) return;
  if (message !== undefined && message.trim() !== "") return;
  throw new Fault("invalid_input", "The message is empty", { hint: "Say what changed and why, in message." });
}

/** Git would take anything else for a pattern, and look for a commit by that author. */
function toAuthor(author: string): string {
  if (/^[^<>\n]*[^<>\s][^<>\n]* <[^<>\s]+>$/.test(author)) return author;
  throw new Fault("invalid_input", "author must have the form: Name <name@example.org>");
}

const refuseEmpty = (unstaged: number): Fault =>
  new Fault("precondition_failed", "There is nothing staged to commit", {
    hint:
      unstaged === 0
        ? "Nothing has changed. allow_empty makes a commit without changes."
        : `${unstaged} changed files are not staged: name them in files, or use git_add.`,
  });
