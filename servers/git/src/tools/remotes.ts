import { Fault } from "@suite/server-kit/domain";
import { DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { clone, init } from "../domain/writing/new-repository.ts";
import { fetchRemote, type OnProgress, pull, push } from "../domain/writing/remotes.ts";
import { fitWritten, type GitContext, withChange } from "../state.ts";
import { INTEGRATED, noteOfConflicts, renderIntegrated } from "./integrate.ts";
import { countChanged, renderWritten, takes, tells } from "./write-result.ts";

const report =
  ({ progress }: GitContext): OnProgress =>
  (percent, what) =>
    progress(percent, 100, what);

/** What is transferred takes as long as it takes. */
const TRANSFER_MS = 300_000;

export const gitInit = defineTool({
  name: "git_init",
  title: "Make a repository",
  description: "Creates a repository at path, inside the allowed directories.",
  effects: "write",
  touches: "a directory",
  group: "remotes",
  version: 2,
  aliases: { path: ["repo_path"] },
  input: schema(
    v.strictObject({
      path: v.string(),
      branch: v.optional(v.pipe(v.string(), v.description("Default: main"))),
      bare: v.optional(v.boolean()),
      dry_run: DryRun,
    }),
  ),
  output: tells({ path: v.string(), branch: v.exactOptional(v.string()) }),
  untrusted: ["path", "changed"],
  run: ({ path, branch = "main", bare = false, dry_run: dryRun = false }, context) =>
    context.state.roots.withGuard(context, async (guard) => {
      const { git } = context.state;
      const made = await init({ git, guard, signal: context.stop }, { path, branch, bare, dryRun });
      return fitWritten(made, context.budget);
    }),
  text: (result, { dry_run: isDry }) =>
    renderWritten(`A repository ${isDry ? "would be" : "was"} made`, result),
});

export const gitClone = defineTool({
  name: "git_clone",
  title: "Clone",
  description: "Clones url to path inside the allowed directories, without submodules.",
  effects: "write",
  touches: "a new directory and the network",
  openWorld: true,
  deterministic: false,
  timeoutMs: TRANSFER_MS,
  group: "remotes",
  version: 2,
  aliases: { url: ["repository_url", "repository"], path: ["target_path", "directory"] },
  input: schema(
    v.strictObject({
      url: v.string(),
      path: v.optional(v.string()),
      branch: v.optional(v.string()),
      depth: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      dry_run: DryRun,
    }),
  ),
  output: tells({
    path: v.string(),
    branch: v.exactOptional(v.string()),
    commit: v.exactOptional(v.string()),
  }),
  untrusted: ["path", "branch", "changed"],
  run: ({ url, path, branch, depth, dry_run: dryRun = false }, context) =>
    context.state.roots.withGuard(context, async (guard) => {
      const given = { git: context.state.git, guard, signal: context.stop };
      const made = await clone(given, { url, path, branch, depth, dryRun }, report(context));
      return fitWritten(made, context.budget);
    }),
  text: (result, { dry_run: isDry }) => renderWritten(isDry ? "Would clone to" : "Cloned", result),
});

export const gitFetch = defineTool({
  name: "git_fetch",
  title: "Fetch",
  description: "Updates the remote-tracking branches of a remote (default origin).",
  // With prune, branches that the remote no longer has go.
  effects: "destructive",
  touches: "remote-tracking branches and the network",
  openWorld: true,
  deterministic: false,
  timeoutMs: TRANSFER_MS,
  group: "remotes",
  version: 2,
  input: takes({
    remote: v.optional(v.string()),
    prune: v.optional(v.boolean()),
  }),
  output: tells({ remote: v.string() }),
  untrusted: ["remote", "changed"],
  run: ({ repo_path: path, remote = "origin", prune = false, dry_run: dryRun = false }, context) =>
    withChange(context, path, (call, change) =>
      fetchRemote(call, change, { remote, prune, dryRun }, report(context)),
    ),
  text: (result) => renderWritten(`Fetched, ${countChanged(result, "ref")} changed`, result),
});

export const gitPull = defineTool({
  name: "git_pull",
  title: "Pull",
  description: "Fetches the upstream branch of the current one and merges it, or rebases on it.",
  effects: "destructive",
  touches: "the repository, its work tree and the network",
  openWorld: true,
  deterministic: false,
  timeoutMs: TRANSFER_MS,
  group: "remotes",
  version: 2,
  instead: { rebase: 'give mode: "rebase".', ff_only: 'give mode: "ff_only".' },
  input: takes({
    mode: v.optional(v.picklist(["merge", "rebase", "ff_only"])),
  }),
  output: tells({ upstream: v.string(), ...INTEGRATED }),
  untrusted: ["upstream", "changed", "conflicts[].path"],
  confirm: ({ mode = "merge" }) => `Pull and ${mode}?`,
  run: ({ repo_path: path, mode = "merge", dry_run: dryRun = false }, context) =>
    withChange(context, path, (call, change) => pull(call, change, { mode, dryRun }, report(context))),
  text: (result, input) => renderIntegrated(result, input, "Pulled"),
  note: (result, input) =>
    input.dry_run
      ? "Nothing was fetched: this is about what was fetched last. git_fetch brings it up to date."
      : noteOfConflicts(result, input),
});

export const gitPush = defineTool({
  name: "git_push",
  title: "Push",
  description: "Sends a branch (default: the current one) to a remote (default origin).",
  effects: "destructive",
  touches: "a remote repository",
  openWorld: true,
  deterministic: false,
  timeoutMs: TRANSFER_MS,
  group: "remotes",
  version: 2,
  aliases: { branch: ["branch_name"] },
  input: takes({
    remote: v.optional(v.string()),
    branch: v.optional(v.string()),
    tags: v.optional(v.boolean()),
    set_upstream: v.optional(v.boolean()),
    force: v.optional(v.pipe(v.boolean(), v.description("Only over what was fetched last"))),
  }),
  output: tells({ remote: v.string(), branch: v.string(), commit: v.string() }),
  untrusted: ["remote", "branch", "changed"],
  confirm: ({ branch, remote = "origin", force }) =>
    `Push ${branch ?? "the current branch"} to ${remote}${force ? ", replacing what is there" : ""}?`,
  mustConfirm: (_, { policy }) => policy.confirmPush,
  run: (input, context) => {
    const { remote = "origin", branch, tags = false, force = false, dry_run: dryRun = false } = input;
    if (force && !context.state.policy.force) {
      throw new Fault("permission_denied", "This server does not push with force", {
        hint: "The operator can start it with --allow-force.",
      });
    }
    const request = { remote, branch, tags, setUpstream: input.set_upstream ?? false, force, dryRun };
    return withChange(context, input.repo_path, (call, change) =>
      push(call, change, request, report(context)),
    );
  },
  text: (result, { dry_run: isDry }) => {
    const refs = countChanged(result, "ref");
    if (result.changed.length === 0) return "The remote has it already.";
    return renderWritten(`${isDry ? "Would push" : "Pushed"} ${result.commit.slice(0, 10)}, ${refs}`, result);
  },
});
