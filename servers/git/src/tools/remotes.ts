import { Fault } from "@suite/server-kit/domain";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { Asked } from "../domain/fields.ts";
import { CLONE, clone, CLONED, INIT, init, MADE } from "../domain/writing/new-repository.ts";
import { FETCH, FETCHED, fetchRemote, PULL, pull, PUSH, push, PUSHED } from "../domain/writing/remotes.ts";
import { changing, fitChange } from "../state.ts";
import { noteOfConflicts, renderIntegrated, TELLS_INTEGRATED } from "./integrate.ts";
import { countChanged, renderChange, takes, tells } from "./change-result.ts";

/** Transfers may take minutes. */
const TRANSFERS = {
  openWorld: true,
  deterministic: false,
  timeoutMs: 300_000,
  group: "remotes",
  version: 3,
} as const;

export const gitInit = defineTool({
  name: "git_init",
  title: "Make a repository",
  description: "Creates a repository at path, inside the allowed directories.",
  effects: "write",
  affects: "a directory",
  group: "remotes",
  version: 3,
  aliases: { path: ["repo_path"] },
  input: schema(v.strictObject({ ...INIT, dry_run: DryRun })),
  output: tells(MADE),
  untrusted: ["path", "changed"],
  run: (asked, context) =>
    context.state.roots.withGuard(context, async (guard) => {
      const made = await init({ git: context.state.git, guard, signal: context.stop }, asked);
      return fitChange(made, context.budget);
    }),
  text: (result, { dry_run: isDry }) =>
    renderChange(`A repository ${isDry ? "would be" : "was"} made`, result),
});

export const gitClone = defineTool({
  ...TRANSFERS,
  name: "git_clone",
  title: "Clone",
  description: "Clones url to path inside the allowed directories, without submodules.",
  effects: "write",
  affects: "a new directory and the network",
  aliases: { url: ["repository_url", "repository"], path: ["target_path", "directory"] },
  input: schema(v.strictObject({ ...CLONE, dry_run: DryRun })),
  output: tells(CLONED),
  untrusted: ["path", "branch", "changed"],
  run: (asked, context) =>
    context.state.roots.withGuard(context, async (guard) => {
      const given = { git: context.state.git, guard, signal: context.stop };
      return fitChange(await clone(given, asked, context), context.budget);
    }),
  text: (result, { dry_run: isDry }) => renderChange(isDry ? "Would clone to" : "Cloned", result),
});

export const gitFetch = defineTool({
  ...TRANSFERS,
  name: "git_fetch",
  title: "Fetch",
  description: "Updates the remote-tracking branches of a remote (default origin).",
  // With prune, removes branches that the remote no longer has.
  effects: "destructive",
  affects: "remote-tracking branches and the network",
  input: takes(FETCH),
  output: tells(FETCHED),
  untrusted: ["remote", "changed"],
  run: changing(fetchRemote),
  text: (result) => renderChange(`Fetched, ${countChanged(result, "ref")} changed`, result),
});

export const gitPull = defineTool({
  ...TRANSFERS,
  name: "git_pull",
  title: "Pull",
  description: "Fetches the upstream branch of the current one and merges it, or rebases on it.",
  effects: "destructive",
  affects: "the repository, its work tree and the network",
  argumentHints: { rebase: 'give mode: "rebase".', ff_only: 'give mode: "ff_only".' },
  input: takes(PULL),
  output: tells({ upstream: v.string(), ...TELLS_INTEGRATED }),
  untrusted: ["upstream", "changed", "conflicts"],
  confirm: ({ mode = "merge" }) => `Pull and ${mode}?`,
  run: changing(pull),
  text: (result, input) => renderIntegrated(result, input, "Pulled"),
  note: (result, input) =>
    input.dry_run
      ? "Nothing was fetched: this is about what was fetched last. git_fetch brings it up to date."
      : noteOfConflicts(result, input),
});

export const gitPush = defineTool({
  ...TRANSFERS,
  name: "git_push",
  title: "Push",
  description: "Sends a branch (default: the current one) to a remote (default origin).",
  effects: "destructive",
  affects: "a remote repository",
  aliases: { branch: ["branch_name"] },
  input: takes(PUSH),
  output: tells(PUSHED),
  untrusted: ["remote", "branch", "changed"],
  confirm: ({ branch, remote = "origin", force }) =>
    `Push ${branch ?? "the current branch"} to ${remote}${force ? ", replacing what is there" : ""}?`,
  mustConfirm: (_, { policy }) => policy.confirmPush,
  run: changing((call, change, asked: Asked<typeof PUSH>, context) => {
    if (!asked.force || context.state.policy.allowForce) return push(call, change, asked, context);
    throw new Fault("permission_denied", "This server does not push with force", {
      hint: "The operator can start it with --allow-force.",
    });
  }),
  text: (result, { dry_run: isDry }) => {
    const refs = countChanged(result, "ref");
    if (result.changed.length === 0) return "The remote has it already.";
    return renderChange(`${isDry ? "Would push" : "Pushed"} ${result.commit}, ${refs}`, result);
  },
});
