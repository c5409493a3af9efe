import { existsSync } from "node:fs";
import { join } from "node:path";

import { countOf, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { Files, type Told } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { toRepositoryPath } from "../names.ts";
import { findCommit } from "../reading/history.ts";
import { namesOf, readStatus, type Status } from "../reading/status.ts";
import type { ChangeTool } from "./changes.ts";
import { refuseUnresolved } from "./in-the-way.ts";
import { addFiles, findStageable, keepingIndex } from "./staging.ts";
import { findNestedOverrides, findSubmoduleOverrides } from "./submodules.ts";

export const NEW_COMMIT = {
  message: v.optional(v.string()),
  // Staged in the same step.
  files: v.optional(Files),
  amend: v.optional(v.boolean()),
  author: v.optional(v.pipe(v.string(), v.description("Name <email>"))),
  allow_empty: v.optional(v.boolean()),
};

export const COMMITTED = {
  // Absent in a dry run.
  commit: v.exactOptional(v.string()),
  branch: v.exactOptional(v.string()),
  // Some of the files that were partly staged, and are committed whole.
  partly_staged: v.exactOptional(v.array(v.string())),
};

const MOST_NAMED = 20;

export const commit: ChangeTool<typeof NEW_COMMIT, Told<typeof COMMITTED>> = async (call, change, asked) => {
  const { repository } = call;
  const { message, files = [], amend = false, author, allow_empty: allowEmpty, dry_run: dryRun } = asked;
  requireMessage(message, amend);
  const by = author === undefined ? [] : [`--author=${toAuthor(author)}`];
  const paths = files.map((file) => toRepositoryPath(repository, file));
  const status = await readStatus(call, { untracked: paths.length === 0 ? "no" : "all" });
  const adding = paths.length === 0 ? [] : await findStageable(call, paths, status);
  const isConcluding = status.operation === "merge";
  const added = new Set(adding);
  const left = status.conflicts.filter(({ path }) => !added.has(path));
  if (left.length > 0) throw refuseUnresolved(left);
  const changed = [...new Set([...namesOf(status.staged), ...adding])].toSorted();
  if (changed.length === 0 && !amend && !allowEmpty && !isConcluding)
    throw refuseEmpty(status.unstaged.length);
  const partly = status.staged.map(({ path }) => path).filter((path) => added.has(path));
  const facts = {
    ...(status.branch !== undefined && { branch: status.branch }),
    ...(partly.length > 0 && { partly_staged: partly.slice(0, MOST_NAMED) }),
  };
  // Which is there if there is something to amend.
  if (amend) await findCommit(call, "HEAD");
  if (dryRun) return { changed, ...facts };
  const subject = message?.split("\n", 1)[0] ?? "the last commit";
  await change.begin({
    tool: "git_commit",
    summary: `${amend ? "amend" : "commit"} ${JSON.stringify(subject)}`,
    ...toConclusion(call, status.operation),
  });
  // The commit applies a merge's autostash, after which git runs a status.
  if (existsSync(join(repository.gitDir, "MERGE_AUTOSTASH")))
    change.override(await findNestedOverrides(call));
  const args = [
    // Otherwise git finds nothing to commit where only a submodule is staged.
    "-c",
    "diff.ignoreSubmodules=dirty",
    "commit",
    "--quiet",
    "--cleanup=whitespace",
    ...(message === undefined ? ["--no-edit"] : ["--file=-"]),
    ...(amend ? ["--amend"] : []),
    ...by,
    ...(allowEmpty || amend ? ["--allow-empty"] : []),
  ];
  const options = { input: message ?? "", signs: true };
  if (adding.length === 0) await change.run(args, options);
  else {
    await keepingIndex(call, change, async (hasStaged) => {
      await addFiles(call, change, adding);
      await hasStaged();
      // Staging may have turned a path into a submodule.
      change.override(await findSubmoduleOverrides(call));
      await change.run(args, options);
    });
  }
  return { changed, commit: (await findCommit(call, "HEAD")).commit, ...facts };
};

/** What a commit concludes: an undo resumes a merge, and nothing else. */
export function toConclusion(
  { repository }: RepositoryCall,
  operation: Status["operation"],
): { readonly irreversible?: string } {
  if (operation === "merge" && existsSync(join(repository.gitDir, "MERGE_AUTOSTASH")))
    return { irreversible: "At the end of this merge git applied changes that it had put aside." };
  const isEnded = operation === "cherry-pick" || operation === "revert";
  return isEnded ? { irreversible: `It ended a ${operation}, which cannot be resumed.` } : {};
}

function requireMessage(message: string | undefined, amend: boolean): void {
  if (message === undefined && amend) return;
  requireNoNul(message);
  if (message !== undefined && message.trim() !== "") return;
  throw new Fault("invalid_input", "The message is empty", { hint: "Say what changed and why, in message." });
}

/** Git refuses it in a commit, and never shows what follows it in a tag. */
export function requireNoNul(message: string | undefined): void {
  if (message?.includes("\0")) throw new Fault("invalid_input", "The message holds a NUL character");
}

/** Git takes anything else for a pattern, and searches for a commit whose author matches it. */
function toAuthor(author: string): string {
  if (/^[^<>\n]*[^<>\s][^<>\n]* <[^<>\s]+>$/.test(author)) return author;
  throw new Fault("invalid_input", "author must have the form: Name <name@example.org>");
}

const refuseEmpty = (unstaged: number): Fault =>
  new Fault("precondition_failed", "There is nothing staged to commit", {
    hint:
      unstaged === 0
        ? "Nothing has changed. allow_empty makes a commit without changes."
        : `${countOf(unstaged, "changed file is", "changed files are")} not staged: name them in files, or use git_add.`,
  });
