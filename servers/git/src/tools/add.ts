import { defineTool } from "../define.ts";
import { stageFiles } from "../domain/writing/staging.ts";
import { withChange } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { countChanged, Files, renderWritten, takes, tells } from "./write-result.ts";

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
  run: ({ repo_path: path, files, dry_run: dryRun = false }, context) =>
    withChange(context, path, (call, change) => stageFiles(call, change, { files, dryRun })),
  text: (result, { dry_run: isDry }) =>
    result.changed.length === 0
      ? []
      : renderWritten(`${countChanged(result)} ${isDry ? "would be staged" : "staged"}`, result),
  note: ({ changed }) =>
    changed.length === 0 ? "Nothing to stage: these files are as they are in the index." : undefined,
});
