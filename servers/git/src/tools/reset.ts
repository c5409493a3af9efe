import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { AskedToWrite } from "../domain/fields.ts";
import { RESET, reset, RESTORE, restore } from "../domain/writing/reset.ts";
import { changing } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { countChanged, renderWritten, takes, tells } from "./write-result.ts";

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
  input: takes(RESET),
  output: tells({ commit: v.exactOptional(v.string()) }),
  untrusted: ["changed"],
  confirm: ({ mode = "mixed", target = "HEAD" }) => `Reset (${mode}) to ${target}?`,
  run: changing((call, change, asked: AskedToWrite<typeof RESET>, { state: { policy } }) => {
    if (asked.mode !== "hard" || policy.resetHard) return reset(call, change, asked);
    throw new Fault("permission_denied", "This server was started with --reset-hard refuse", {
      hint: "Give up changes file by file with git_restore.",
    });
  }),
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
  input: takes(RESTORE),
  output: tells({}),
  untrusted: ["changed"],
  confirm: ({ files }) => `Give up the changes of ${files.join(", ")}?`,
  run: changing(restore),
  text: (result, { dry_run: isDry }) =>
    result.changed.length === 0
      ? []
      : renderWritten(`${countChanged(result)} ${isDry ? "would be restored" : "restored"}`, result),
  note: ({ changed }) =>
    changed.length === 0 ? "Nothing to restore: these files have no such changes." : undefined,
});
