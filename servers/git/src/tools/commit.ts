import { countOf } from "@suite/server-kit/domain";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { commit } from "../domain/writing/commit.ts";
import { withChange } from "../state.ts";
import { RepoPath } from "./schemas.ts";
import { Files, renderWritten, undoOf, WRITTEN } from "./write-result.ts";

export const gitCommit = defineTool({
  name: "git_commit",
  title: "Commit",
  description:
    "Commits what is staged, and files, which are staged in the same step. amend replaces the last commit.",
  effects: "destructive",
  touches: "the repository",
  group: "core",
  formerly: ["commit"],
  aliases: { files: ["paths"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      message: v.optional(v.string()),
      files: v.optional(Files),
      amend: v.optional(v.boolean()),
      author: v.optional(v.pipe(v.string(), v.description("Name <email>"))),
      allow_empty: v.optional(v.boolean()),
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({
      commit: v.exactOptional(v.string()),
      branch: v.exactOptional(v.string()),
      ...WRITTEN,
    }),
  ),
  untrusted: ["branch", "changed"],
  confirm: ({ amend }) => (amend ? "Replace the last commit?" : "Make this commit?"),
  run: (input, context) =>
    withChange(context, input.repo_path, async (given, change) => {
      const {
        message,
        files,
        author,
        amend = false,
        allow_empty: allowEmpty = false,
        dry_run: dryRun = false,
      } = input;
      const request = { message, files, author, amend, allowEmpty, dryRun };
      const { changed, commit: made, branch } = await commit(given, change, request);
      return {
        ...(made && { commit: made.commit }),
        ...(branch !== undefined && { branch }),
        changed: [...changed],
        ...undoOf(change),
      };
    }),
  text: (result) =>
    renderWritten(
      result.commit === undefined
        ? `${countOf(result.changed.length, "file")} would be committed`
        : `Committed ${result.commit.slice(0, 10)}, ${countOf(result.changed.length, "file")}`,
      result,
    ),
});
