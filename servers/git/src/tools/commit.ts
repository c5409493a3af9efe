import * as v from "valibot";

import { defineTool } from "../define.ts";
import { Files } from "../domain/fields.ts";
import { NEW_COMMIT, commit } from "../domain/writing/commit.ts";
import { stageFiles } from "../domain/writing/staging.ts";
import { changing } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { countChanged, renderWritten, takes, tells } from "./write-result.ts";

export const gitAdd = defineTool({
  name: "git_add",
  title: "Stage files",
  description: 'Stages files or directories as they are now, including deletions; "." is everything.',
  effects: "write",
  touches: "the index",
  group: "core",
  version: 2,
  formerly: ["add", "stage"],
  aliases: { files: ALIASES.paths },
  instead: { all: 'give files: ["."].', update: "name the files in files." },
  input: takes({ files: Files }),
  output: tells({}),
  untrusted: ["changed"],
  run: changing(stageFiles),
  text: (result, { dry_run: isDry }) =>
    result.changed.length === 0
      ? []
      : renderWritten(`${countChanged(result)} ${isDry ? "would be staged" : "staged"}`, result),
  note: ({ changed }) =>
    changed.length === 0 ? "Nothing to stage: these files are as they are in the index." : undefined,
});

export const gitCommit = defineTool({
  name: "git_commit",
  title: "Commit",
  description:
    "Commits what is staged, and files, which are staged in the same step. amend replaces the last commit.",
  effects: "destructive",
  touches: "the repository",
  group: "core",
  version: 3,
  formerly: ["commit"],
  aliases: { files: ALIASES.paths, message: ["msg", "m"] },
  instead: {
    all: 'name what to stage in files; files: ["."] is everything.',
    a: 'name what to stage in files; files: ["."] is everything.',
    sign: "only the operator decides about it, with --sign.",
    no_verify: "leave it out: hooks do not run unless the operator trusts the repository.",
  },
  input: takes(NEW_COMMIT),
  output: tells({
    commit: v.exactOptional(v.string()),
    branch: v.exactOptional(v.string()),
    partly_staged: v.exactOptional(v.array(v.string())),
  }),
  untrusted: ["branch", "partly_staged", "changed"],
  confirm: ({ amend }) => (amend ? "Replace the last commit?" : "Make this commit?"),
  run: changing(commit),
  text: (result) =>
    renderWritten(
      result.commit === undefined
        ? `${countChanged(result)} would be committed`
        : `Committed ${result.commit.slice(0, 10)}, ${countChanged(result)}`,
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
