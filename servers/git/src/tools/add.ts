import { countOf } from "@suite/server-kit/domain";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { stageFiles } from "../domain/writing/staging.ts";
import { withChange } from "../state.ts";
import { RepoPath } from "./schemas.ts";
import { Files, renderWritten, undoOf, WRITTEN } from "./write-result.ts";

export const gitAdd = defineTool({
  name: "git_add",
  title: "Stage files",
  description: 'Stages files or directories as they are now, deletions too; "." is everything.',
  effects: "write",
  touches: "the index",
  group: "core",
  formerly: ["add", "stage"],
  aliases: { files: ["paths", "file_paths"] },
  input: schema(v.strictObject({ repo_path: RepoPath, files: Files, dry_run: DryRun })),
  output: schema(v.object(WRITTEN)),
  untrusted: ["changed"],
  run: ({ repo_path: path, files, dry_run: dryRun = false }, context) =>
    withChange(context, path, async (given, change) => {
      const { changed } = await stageFiles(given, change, { files, dryRun });
      return { changed: [...changed], ...undoOf(change) };
    }),
  text: (result, { dry_run: dryRun }) =>
    result.changed.length === 0
      ? "Nothing to stage: these files are as they are in the index."
      : renderWritten(
          `${countOf(result.changed.length, "file")} ${dryRun ? "would be staged" : "staged"}`,
          result,
        ),
});
