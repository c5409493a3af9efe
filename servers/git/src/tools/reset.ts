import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { reset, restore } from "../domain/writing/reset.ts";
import { withChange } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { countChanged, Files, renderWritten, takes, tells } from "./write-result.ts";

export const gitReset = defineTool({
  name: "git_reset",
  title: "Reset",
  description:
    "Unstages everything, or files. With target, moves the branch there: soft keeps index and files, mixed (default) keeps files, " +
    "hard discards all uncommitted changes.",
  effects: "destructive",
  touches: "the repository and its work tree",
  group: "core",
  version: 2,
  formerly: ["reset", "unstage"],
  aliases: { target: ALIASES.revision, files: ALIASES.paths },
  instead: {
    hard: 'give mode: "hard".',
    soft: 'give mode: "soft".',
    mixed: "leave it out: that is the default.",
  },
  input: takes({
    target: v.optional(v.string()),
    mode: v.optional(v.picklist(["soft", "mixed", "hard"])),
    files: v.optional(Files),
  }),
  output: tells({ commit: v.exactOptional(v.string()) }),
  untrusted: ["changed"],
  confirm: ({ mode = "mixed", target = "HEAD" }) => `Reset (${mode}) to ${target}?`,
  run({ repo_path: path, target, mode = "mixed", files, dry_run: dryRun = false }, context) {
    if (mode === "hard" && !context.state.policy.resetHard) {
      throw new Fault("permission_denied", "This server was started with --reset-hard refuse", {
        hint: "Give up changes file by file with git_restore.",
      });
    }
    return withChange(context, path, (call, change) => reset(call, change, { mode, target, files, dryRun }));
  },
  text: (result, { dry_run: isDry, files }) => {
    const did = files === undefined ? `Reset to ${result.commit?.slice(0, 10) ?? "nothing"}` : "Unstaged";
    return renderWritten(isDry ? "This would change" : did, result);
  },
});

export const gitRestore = defineTool({
  name: "git_restore",
  title: "Restore files",
  description:
    "Discards changes of files in the work tree (default), in the index (staged), or both, and restores them from the index, HEAD or source.",
  effects: "destructive",
  touches: "the index and the work tree",
  group: "core",
  version: 2,
  aliases: { files: ALIASES.paths },
  input: takes({
    files: Files,
    source: v.optional(v.string()),
    staged: v.optional(v.boolean()),
    worktree: v.optional(v.boolean()),
  }),
  output: tells({}),
  untrusted: ["changed"],
  confirm: ({ files }) => `Give up the changes of ${files.join(", ")}?`,
  run(input, context) {
    const { files, source, staged = false, worktree = !staged, dry_run: dryRun = false } = input;
    if (!staged && !worktree) throw new Fault("invalid_input", "One of staged and worktree must be true");
    const request = { files, source, staged, worktree, dryRun };
    return withChange(context, input.repo_path, (call, change) => restore(call, change, request));
  },
  text: (result, { dry_run: isDry }) =>
    result.changed.length === 0
      ? []
      : renderWritten(`${countChanged(result)} ${isDry ? "would be restored" : "restored"}`, result),
  note: ({ changed }) =>
    changed.length === 0 ? "Nothing to restore: these files have no such changes." : undefined,
});
