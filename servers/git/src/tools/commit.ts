import { Fault } from "@suite/server-kit/domain";

import { defineTool } from "../define.ts";
import { type Asked, Files } from "../domain/fields.ts";
import { COMMITTED, commit, NEW_COMMIT } from "../domain/writing/commit.ts";
import { MOVED, RESET, reset, RESTORE, restore } from "../domain/writing/reset.ts";
import { stageFiles } from "../domain/writing/staging.ts";
import { changing } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { countChanged, renderChange, takes, tells } from "./change-result.ts";

export const gitAdd = defineTool({
  name: "git_add",
  title: "Stage files",
  description: 'Stages files or directories as they are now, including deletions; "." is everything.',
  effects: "write",
  affects: "the index",
  group: "core",
  version: 3,
  alsoKnownAs: ["add", "stage"],
  aliases: { files: ALIASES.paths },
  argumentHints: { all: 'give files: ["."].', update: "name the files in files." },
  input: takes({ files: Files }),
  output: tells({}),
  untrusted: ["changed"],
  run: changing(stageFiles),
  text: (result, { dry_run: isDry }) =>
    result.changed.length === 0
      ? []
      : renderChange(`${countChanged(result)} ${isDry ? "would be staged" : "staged"}`, result),
  note: ({ changed }) =>
    changed.length === 0 ? "Nothing to stage: these files are as they are in the index." : undefined,
});

export const gitCommit = defineTool({
  name: "git_commit",
  title: "Commit",
  description:
    "Commits what is staged, plus any files given, which are staged first. amend replaces the last commit.",
  effects: "destructive",
  affects: "the repository",
  group: "core",
  version: 4,
  alsoKnownAs: ["commit"],
  aliases: { files: ALIASES.paths, message: ["msg", "m"] },
  argumentHints: {
    all: 'name what to stage in files; files: ["."] is everything.',
    a: 'name what to stage in files; files: ["."] is everything.',
    sign: "only the operator decides about it, with --sign.",
    no_verify: "leave it out: hooks do not run unless the operator trusts the repository.",
  },
  input: takes(NEW_COMMIT),
  output: tells(COMMITTED),
  untrusted: ["branch", "partly_staged", "changed"],
  confirm: ({ amend }) => (amend ? "Replace the last commit?" : "Make this commit?"),
  run: changing(commit),
  text: (result) =>
    renderChange(
      result.commit === undefined
        ? `${countChanged(result)} would be committed`
        : `Committed ${result.commit}, ${countChanged(result)}`,
      result,
    ),
  note: ({ partly_staged: partly = [] }, { dry_run: isDry }) => {
    const [first, ...others] = partly;
    if (first === undefined) return undefined;
    const names = `${JSON.stringify(first)}${others.length > 0 ? " and others" : ""}`;
    const [were, their] = others.length > 0 ? ["were", "their"] : ["was", "its"];
    return `${names} ${were} partly staged; ${their} other changes ${isDry ? "would go" : "went"} in too.`;
  },
});

export const gitReset = defineTool({
  name: "git_reset",
  title: "Reset",
  description:
    "Unstages everything, or files. With target, moves the branch there: soft keeps index and files, mixed (default) keeps files, " +
    "hard discards all uncommitted changes.",
  effects: "destructive",
  affects: "the repository and its work tree",
  group: "core",
  version: 3,
  alsoKnownAs: ["reset", "unstage"],
  aliases: { target: ALIASES.revision, files: ALIASES.paths },
  argumentHints: {
    hard: 'give mode: "hard".',
    soft: 'give mode: "soft".',
    mixed: "leave it out: that is the default.",
  },
  input: takes(RESET),
  output: tells(MOVED),
  untrusted: ["changed"],
  confirm: ({ mode = "mixed", target = "HEAD" }) => `Reset (${mode}) to ${target}?`,
  run: changing((call, change, asked: Asked<typeof RESET>, { state: { policy } }) => {
    if (asked.mode !== "hard" || policy.resetHard === "allow") return reset(call, change, asked);
    throw new Fault("permission_denied", "This server was started with --reset-hard refuse", {
      hint: "Give up changes file by file with git_restore.",
    });
  }),
  text: (result, { dry_run: isDry, files }) => {
    const did = files === undefined ? `Reset to ${result.commit ?? "nothing"}` : "Unstaged";
    return renderChange(isDry ? "This would change" : did, result);
  },
});

export const gitRestore = defineTool({
  name: "git_restore",
  title: "Restore files",
  description:
    "Discards changes of files in the work tree (default), in the index (staged), or both, and restores them from the index, HEAD or source.",
  effects: "destructive",
  affects: "the index and the work tree",
  group: "core",
  version: 3,
  aliases: { files: ALIASES.paths },
  input: takes(RESTORE),
  output: tells({}),
  untrusted: ["changed"],
  confirm: ({ files }) => `Give up the changes of ${files.join(", ")}?`,
  run: changing(restore),
  text: (result, { dry_run: isDry }) =>
    result.changed.length === 0
      ? []
      : renderChange(`${countChanged(result)} ${isDry ? "would be restored" : "restored"}`, result),
  note: ({ changed }) =>
    changed.length === 0 ? "Nothing to restore: these files have no such changes." : undefined,
});
