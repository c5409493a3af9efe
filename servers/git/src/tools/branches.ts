import * as v from "valibot";

import { defineTool } from "../define.ts";
import {
  CHECKOUT,
  checkout,
  createBranch,
  deleteBranch,
  NEW_BRANCH,
  OLD_BRANCH,
} from "../domain/writing/branches.ts";
import { changing } from "../state.ts";
import { renderWritten, takes, tells } from "./write-result.ts";

export const gitCreateBranch = defineTool({
  name: "git_create_branch",
  title: "Create a branch",
  description: "Creates a branch at base_branch (default HEAD), and checks it out if requested.",
  effects: "write",
  touches: "the repository and its work tree",
  group: "core",
  version: 2,
  aliases: { branch_name: ["name", "branch"], base_branch: ["base", "start_point"] },
  input: takes(NEW_BRANCH),
  output: tells({ branch: v.string(), commit: v.string() }),
  untrusted: ["branch", "changed"],
  run: changing(createBranch),
  text: (result, { dry_run: isDry }) =>
    renderWritten(
      `A branch ${isDry ? "would be made" : "was made"} at ${result.commit.slice(0, 10)}`,
      result,
    ),
});

export const gitCheckout = defineTool({
  name: "git_checkout",
  title: "Check out",
  description:
    "Switches to a branch, even one that only a remote has, or to a commit with HEAD detached. Refused if uncommitted changes are in the way.",
  effects: "write",
  touches: "the repository and its work tree",
  group: "core",
  version: 2,
  formerly: ["checkout", "git_switch", "switch"],
  aliases: { branch_name: ["branch", "target", "revision", "name"] },
  input: takes(CHECKOUT),
  output: tells({ branch: v.exactOptional(v.string()), commit: v.string(), detached: v.boolean() }),
  untrusted: ["branch", "changed"],
  run: changing(checkout),
  text: (result, { dry_run: isDry }) => {
    const where = `${result.commit.slice(0, 10)}${result.detached ? ", HEAD detached" : ""}`;
    return renderWritten(`${isDry ? "Would be at" : "Now at"} ${where}`, result);
  },
});

export const gitDeleteBranch = defineTool({
  name: "git_delete_branch",
  title: "Delete a branch",
  description: "Deletes a local branch. One with commits that no other branch has needs force.",
  effects: "destructive",
  touches: "the repository",
  group: "branches",
  version: 2,
  aliases: { branch_name: ["name", "branch"] },
  input: takes(OLD_BRANCH),
  output: tells({ branch: v.string(), commit: v.string() }),
  untrusted: ["branch", "changed"],
  confirm: ({ branch_name: name }) => `Delete the branch ${name}?`,
  run: changing(deleteBranch),
  text: (result, { dry_run: isDry }) =>
    renderWritten(
      `The branch ${isDry ? "would be" : "was"} deleted; it was at ${result.commit.slice(0, 10)}`,
      result,
    ),
});
