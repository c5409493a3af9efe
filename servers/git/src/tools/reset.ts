import { countOf, Fault } from "@suite/server-kit/domain";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { reset, restore } from "../domain/writing/reset.ts";
import { withChange } from "../state.ts";
import { RepoPath } from "./schemas.ts";
import { Files, renderWritten, undoOf, WRITTEN } from "./write-result.ts";

export const gitReset = defineTool({
  name: "git_reset",
  title: "Reset",
  description:
    "Unstages everything, or files. With target, moves the branch there: soft keeps index and files, mixed (default) keeps files, " +
    "hard gives up all uncommitted changes.",
  effects: "destructive",
  touches: "the repository and its work tree",
  group: "core",
  formerly: ["reset", "unstage"],
  aliases: { target: ["revision", "commit"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      target: v.optional(v.string()),
      mode: v.optional(v.picklist(["soft", "mixed", "hard"])),
      files: v.optional(Files),
      dry_run: DryRun,
    }),
  ),
  output: schema(v.object({ commit: v.exactOptional(v.string()), ...WRITTEN })),
  untrusted: ["changed"],
  confirm: ({ mode = "mixed", target = "HEAD" }) => `Reset (${mode}) to ${target}?`,
  run: ({ repo_path: path, target, mode = "mixed", files, dry_run: dryRun = false }, context) => {
    if (mode === "hard" && !context.state.policy.resetHard) {
      throw new Fault("permission_denied", "This server was started with --reset-hard refuse", {
        hint: "Give up changes file by file with git_restore.",
      });
    }
    return withChange(context, path, async (given, change) => {
      const { changed, commit } = await reset(given, change, { mode, target, files, dryRun });
      return { ...(commit !== undefined && { commit }), changed: [...changed], ...undoOf(change) };
    });
  },
  text: (result, { dry_run: dryRun, files }) => {
    const did = files === undefined ? `Reset to ${result.commit?.slice(0, 10) ?? "nothing"}` : "Unstaged";
    return renderWritten(dryRun ? "This would change" : did, result);
  },
});

export const gitRestore = defineTool({
  name: "git_restore",
  title: "Restore files",
  description:
    "Gives up changes of files in the work tree (default), in the index (staged), or both, and takes them from the index, HEAD or source.",
  effects: "destructive",
  touches: "the index and the work tree",
  group: "core",
  aliases: { files: ["paths"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      files: Files,
      source: v.optional(v.string()),
      staged: v.optional(v.boolean()),
      worktree: v.optional(v.boolean()),
      dry_run: DryRun,
    }),
  ),
  output: schema(v.object(WRITTEN)),
  untrusted: ["changed"],
  confirm: ({ files }) => `Give up the changes of ${files.join(", ")}?`,
  run: (
    { repo_path: path, files, source, staged = false, worktree = !staged, dry_run: dryRun = false },
    context,
  ) =>
    withChange(context, path, async (given, change) => {
      if (!staged && !worktree) throw new Fault("invalid_input", "One of staged and worktree must be true");
      const { changed } = await restore(given, change, { files, source, staged, worktree, dryRun });
      return { changed: [...changed], ...undoOf(change) };
    }),
  text: (result, { dry_run: dryRun }) =>
    result.changed.length === 0
      ? "Nothing to restore: these files have no such changes."
      : renderWritten(
          `${countOf(result.changed.length, "file")} ${dryRun ? "would be restored" : "restored"}`,
          result,
        ),
});
