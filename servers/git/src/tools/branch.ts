import { type TextPart, untrusted } from "@suite/server-kit";
import { fitItems } from "@suite/server-kit/domain";
import { Count, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { listBranches } from "../domain/reading/refs.ts";
import { withRepository } from "../state.ts";
import { RepoPath } from "./schemas.ts";

export const gitBranch = defineTool({
  name: "git_branch",
  title: "List branches",
  description:
    "Branches with their last commit, upstream and tracking, latest first. merged: only those already in that revision.",
  effects: "read",
  touches: "the repository",
  group: "core",
  formerly: ["branch", "list_branches"],
  aliases: { branch_type: ["type"] },
  instead: {
    all: 'give branch_type: "all".',
    remote: 'give branch_type: "remote".',
    remotes: 'give branch_type: "remote".',
  },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      branch_type: v.optional(v.picklist(["local", "remote", "all"])),
      contains: v.optional(v.string()),
      not_contains: v.optional(v.string()),
      merged: v.optional(v.string()),
      no_merged: v.optional(v.string()),
      max_bytes: MaxBytes,
    }),
  ),
  output: schema(
    v.object({
      branches: v.array(
        v.object({
          name: v.string(),
          commit: v.string(),
          current: v.exactOptional(v.literal(true)),
          upstream: v.exactOptional(v.string()),
          tracking: v.exactOptional(v.string()),
          date: v.string(),
          subject: v.string(),
        }),
      ),
      left_out: v.exactOptional(Count),
    }),
  ),
  untrusted: ["branches[].name", "branches[].upstream", "branches[].subject"],
  run(input, context) {
    const { repo_path: path, branch_type: type = "local", contains, merged } = input;
    const { not_contains: notContains, no_merged: noMerged } = input;
    return withRepository(context, path, async (call) => {
      const request = { type, contains, notContains, merged, noMerged };
      const all = await listBranches(call, request);
      const { items, rest } = fitItems(all, context.budget);
      return {
        branches: items.map((branch) => ({ ...branch })),
        ...(rest.length > 0 && { left_out: rest.length }),
      };
    });
  },
  text: ({ branches }): TextPart[] => {
    if (branches.length === 0) return ["No branches match."];
    const lines = branches.map(({ name, commit, current, upstream, tracking, date, subject }) => {
      const remote =
        upstream === undefined ? "" : ` [${upstream}${tracking === undefined ? "" : `: ${tracking}`}]`;
      return `${current ? "* " : "  "}${name} ${commit.slice(0, 10)} ${date.slice(0, 10)}${remote} ${subject}`;
    });
    return [`${branches.length} branches:`, untrusted(lines.join("\n"))];
  },
  note: ({ left_out: left }) =>
    left === undefined ? undefined : `${left} older branches are left out: raise max_bytes.`,
});
