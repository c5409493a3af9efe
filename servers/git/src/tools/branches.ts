import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { checkout, createBranch, deleteBranch } from "../domain/writing/branches.ts";
import { withChange } from "../state.ts";
import { RepoPath } from "./schemas.ts";
import { renderWritten, undoOf, WRITTEN } from "./write-result.ts";

export const gitCreateBranch = defineTool({
  name: "git_create_branch",
  title: "Create a branch",
  description: "Makes a branch at base_branch (default HEAD), and checks it out if asked to.",
  effects: "write",
  touches: "the repository and its work tree",
  group: "core",
  aliases: { branch_name: ["name", "branch"], base_branch: ["base", "start_point"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      branch_name: v.string(),
      base_branch: v.optional(v.string()),
      checkout: v.optional(v.boolean()),
      dry_run: DryRun,
    }),
  ),
  output: schema(v.object({ branch: v.string(), commit: v.string(), ...WRITTEN })),
  untrusted: ["branch", "changed"],
  run: (
    {
      repo_path: path,
      branch_name: name,
      base_branch: base,
      checkout: isCheckedOut = false,
      dry_run: dryRun = false,
    },
    context,
  ) =>
    withChange(context, path, async (given, change) => {
      const made = await createBranch(given, change, { name, base, isCheckedOut, dryRun });
      return { ...made, changed: [...made.changed], ...undoOf(change) };
    }),
  text: (result, { dry_run: dryRun }) =>
    renderWritten(
      `A branch ${dryRun ? "would be made" : "was made"} at ${result.commit.slice(0, 10)}`,
      result,
    ),
});

export const gitCheckout = defineTool({
  name: "git_checkout",
  title: "Check out",
  description:
    "Switches to a branch, also one that only a remote has, or to a commit with HEAD detached. Refused where uncommitted changes are in the way.",
  effects: "write",
  touches: "the repository and its work tree",
  group: "core",
  formerly: ["checkout", "git_switch", "switch"],
  aliases: { branch_name: ["branch", "target", "revision", "name"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      branch_name: v.string(),
      create: v.optional(v.boolean()),
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({ branch: v.exactOptional(v.string()), commit: v.string(), detached: v.boolean(), ...WRITTEN }),
  ),
  untrusted: ["branch", "changed"],
  run: ({ repo_path: path, branch_name: target, create = false, dry_run: dryRun = false }, context) =>
    withChange(context, path, async (given, change) => {
      const done = await checkout(given, change, { target, create, dryRun });
      return { ...done, changed: [...done.changed], ...undoOf(change) };
    }),
  text: (result, { dry_run: dryRun }) => {
    const where = `${result.commit.slice(0, 10)}${result.detached ? ", HEAD detached" : ""}`;
    return renderWritten(`${dryRun ? "Would be at" : "Now at"} ${where}`, result);
  },
});

export const gitDeleteBranch = defineTool({
  name: "git_delete_branch",
  title: "Delete a branch",
  description: "Deletes a local branch. One with commits that no other branch has needs force.",
  effects: "destructive",
  touches: "the repository",
  group: "branches",
  aliases: { branch_name: ["name", "branch"] },
  input: schema(
    v.strictObject({
      repo_path: RepoPath,
      branch_name: v.string(),
      force: v.optional(v.boolean()),
      dry_run: DryRun,
    }),
  ),
  output: schema(v.object({ branch: v.string(), commit: v.string(), ...WRITTEN })),
  untrusted: ["branch", "changed"],
  confirm: ({ branch_name: name }) => `Delete the branch ${name}?`,
  run: ({ repo_path: path, branch_name: name, force = false, dry_run: dryRun = false }, context) =>
    withChange(context, path, async (given, change) => {
      const gone = await deleteBranch(given, change, { name, force, dryRun });
      return { ...gone, changed: [...gone.changed], ...undoOf(change) };
    }),
  text: (result, { dry_run: dryRun }) =>
    renderWritten(
      `The branch ${dryRun ? "would be" : "was"} deleted; it was at ${result.commit.slice(0, 10)}`,
      result,
    ),
});
