import * as v from "valibot";

import { defineTool } from "../define.ts";
import { commit } from "../domain/writing/commit.ts";
import { withChange } from "../state.ts";
import { ALIASES } from "./schemas.ts";
import { countChanged, Files, renderWritten, takes, tells } from "./write-result.ts";

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
  input: takes({
    message: v.optional(v.string()),
    files: v.optional(Files),
    amend: v.optional(v.boolean()),
    author: v.optional(v.pipe(v.string(), v.description("Name <email>"))),
    allow_empty: v.optional(v.boolean()),
  }),
  output: tells({
    commit: v.exactOptional(v.string()),
    branch: v.exactOptional(v.string()),
    partly_staged: v.exactOptional(v.array(v.string())),
  }),
  untrusted: ["branch", "partly_staged", "changed"],
  confirm: ({ amend }) => (amend ? "Replace the last commit?" : "Make this commit?"),
  run({ repo_path: path, amend = false, dry_run: dryRun = false, ...input }, context) {
    const request = { ...input, amend, allowEmpty: input.allow_empty ?? false, dryRun };
    return withChange(context, path, (call, change) => commit(call, change, request));
  },
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
