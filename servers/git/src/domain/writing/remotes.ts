import { type ChildResult, Fault, suggest } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Asked, Told } from "../fields.ts";
import { toPushFault } from "../git/failures.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import type { OnProgress } from "../git/transfer.ts";
import { findCommit } from "../reading/history.ts";
import { readRefs } from "../reading/refs.ts";
import { readStatus } from "../reading/status.ts";
import { type Address, toAddress } from "./address.ts";
import { requireBranchName } from "./branches.ts";
import type { RepositoryChange } from "./changes.ts";
import { merge, rebase } from "./integrate.ts";
import type { Integrated } from "./outcome.ts";

/** Told how far a transfer is: from 0 to 100, growing. */
export interface TransferWatcher {
  readonly progress: (percent: number, total: number, what: string) => void;
}

interface Remote extends Pick<Address, "protocols"> {
  readonly name: string;
}

/** A remote, and the protocols for its actual addresses: the repository's configuration can rewrite them (url.*.insteadOf). */
async function findRemote(call: RepositoryCall, name: string, direction: "fetch" | "push"): Promise<Remote> {
  const names = await call.lines(["remote"]);
  if (!names.includes(name)) {
    const meant = suggest(name, names);
    throw new Fault("not_found", `There is no remote ${JSON.stringify(name)}`, {
      hint: meant === undefined ? "git_remotes shows them." : `Did you mean ${JSON.stringify(meant)}?`,
    });
  }
  const args = ["remote", "get-url", "--all", ...(direction === "push" ? ["--push"] : []), "--", name];
  const isCut = call.repository.settings.some(
    ({ section, subsection, value }) => section === "remote" && subsection === name && value.includes("\n"),
  );
  if (isCut)
    throw new Fault("permission_denied", `An address of ${JSON.stringify(name)} has a line end in it`);
  // With `network`, git runs with the same settings as the transfer: the operator's may rewrite addresses, too.
  const urls = await call.lines(args, { network: "none" });
  const { git, guard, repository } = call;
  const options = { trusted: git.isTrusting };
  const protocols = urls.map((url) => toAddress(guard, url, repository.root, options).protocols);
  // The receiving side reads its own configuration and runs its own hooks: our overrides do not apply to it.
  if (direction === "push" && protocols.includes("file") && !git.isTrusting) {
    throw new Fault("permission_denied", "Pushing to a repository on this machine would run its hooks", {
      hint: "The operator can allow it with --trust-repository. git_fetch works from the other side.",
    });
  }
  return { name, protocols: [...new Set(protocols.flatMap((list) => list.split(":")))].join(":") };
}

/** Stages of a transfer, by git's first word: the overall percentage at which each begins and ends. */
const STAGES: { readonly [stage: string]: readonly [number, number] } = {
  // What the other side counts and compresses.
  "remote:": [0, 10],
  counting: [0, 5],
  compressing: [5, 10],
  receiving: [10, 80],
  writing: [10, 95],
  resolving: [80, 95],
  updating: [95, 100],
};

export const reportTo =
  ({ progress }: TransferWatcher): OnProgress =>
  ({ stage, progress: percent }) => {
    const [from, to] = STAGES[stage] ?? [];
    if (from !== undefined && to !== undefined) progress(from + ((to - from) * percent) / 100, 100, stage);
  };

export const FETCH = { remote: v.optional(v.string()), prune: v.optional(v.boolean()) };

export const FETCHED = { remote: v.string() };

/** `changed`: refs that are new, have moved or are gone. */
type Fetched = Told<typeof FETCHED>;

export async function fetchRemote(
  call: RepositoryCall,
  change: RepositoryChange,
  { remote = "origin", prune = false, dry_run: dryRun }: Asked<typeof FETCH>,
  watcher: TransferWatcher,
): Promise<Fetched> {
  const found = await findRemote(call, remote, "fetch");
  if (dryRun) return previewFetch(call, found, prune);
  const irreversible = "What a remote has is recorded again with every fetch.";
  await change.begin({ tool: "git_fetch", summary: `fetch ${found.name}`, irreversible });
  return transfer(call, change, found, prune, watcher);
}

const toFetch = (call: RepositoryCall, remote: string, isPruning: boolean, ...flags: string[]): string[] => [
  ...sparingOwn(call, remote),
  "fetch",
  "--progress",
  "--no-recurse-submodules",
  "--upload-pack=git-upload-pack",
  isPruning ? "--prune" : "--no-prune",
  ...flags,
  "--",
  remote,
];

async function transfer(
  call: RepositoryCall,
  change: RepositoryChange,
  { name, protocols }: Remote,
  isPruning: boolean,
  watcher: TransferWatcher,
): Promise<Fetched> {
  const before = await readRefs(call);
  const options = { network: protocols, onProgress: reportTo(watcher) };
  await change.run(toFetch(call, name, isPruning), options);
  const after = await readRefs(call);
  const refs = [...new Set([...before.keys(), ...after.keys()])].filter((ref) => !ref.startsWith(OWN));
  return { remote: name, changed: refs.filter((ref) => before.get(ref) !== after.get(ref)).toSorted() };
}

/** Refs that are kept for git_undo. */
const OWN = "refs/suite/";

/** A mirror fetches and prunes all refs: a negative refspec excludes our own. */
const sparingOwn = ({ repository }: RepositoryCall, remote: string): readonly string[] =>
  repository.settings.flatMap(({ section, subsection, key, value }) => {
    if (section !== "remote" || subsection !== remote || key !== "fetch") return [];
    const [, from, to] = /^\+?([^*:]*)\*:([^*]*)\*$/.exec(value) ?? [];
    if (to === undefined || !OWN.startsWith(to)) return [];
    return ["-c", `remote.${remote}.fetch=^${from}${OWN.slice(to.length)}*`];
  });

/** Parses the table that git prints for people, which ends each line with a short ref name. */
async function previewFetch(
  call: RepositoryCall,
  { name, protocols }: Remote,
  prune: boolean,
): Promise<Fetched> {
  const args = toFetch(call, name, prune, "--dry-run");
  const { stderr } = await call.run(args, { network: protocols, writes: true });
  const known = await readRefs(call);
  const changed = stderr.split("\n").flatMap((line) => {
    const short = /-> (\S+)(?: {2}\(.*\))?$/.exec(line)?.[1];
    return short === undefined ? [] : toFullName(short, line, name, known);
  });
  // A new tag may be listed twice.
  return { remote: name, changed: [...new Set(changed)].toSorted() };
}

function toFullName(short: string, line: string, remote: string, known: ReadonlyMap<string, string>): string {
  if (line.includes("[new tag]")) return `refs/tags/${short}`;
  const whole = ["refs/remotes/", "refs/heads/", "refs/tags/"].map((folder) => `${folder}${short}`);
  const [tracking = short, branch = short] = whole;
  const isNew = line.includes("[new branch]");
  if (isNew) return short.startsWith(`${remote}/`) ? tracking : branch;
  return whole.find((ref) => known.has(ref)) ?? short;
}

export const PULL = { mode: v.optional(v.picklist(["merge", "rebase", "ff_only"])) };

/** Fetches the upstream of the current branch, and merges it or rebases onto it. */
export async function pull(
  call: RepositoryCall,
  change: RepositoryChange,
  { mode = "merge", dry_run: dryRun }: Asked<typeof PULL>,
  watcher: TransferWatcher,
): Promise<Integrated & { readonly upstream: string }> {
  const { remote, ref } = await findUpstream(call);
  if (!dryRun) {
    await change.claim();
    await transfer(call, change, await findRemote(call, remote, "fetch"), false, watcher);
  }
  const asked = { target: ref, dry_run: dryRun };
  const integrated =
    mode === "rebase"
      ? await rebase(call, change, asked, "git_pull")
      : await merge(call, change, { ...asked, mode: mode === "merge" ? "auto" : mode }, "git_pull");
  return { upstream: ref.replace(/^refs\/remotes\//, ""), ...integrated };
}

async function findUpstream(
  call: RepositoryCall,
): Promise<{ readonly remote: string; readonly ref: string }> {
  const branch = await readBranch(call, "Check out a branch first.");
  const format = "--format=%(upstream:remotename) %(upstream)";
  const found = (await call.text(["for-each-ref", format, `refs/heads/${branch}`])).trim();
  const [remote, ref] = found.split(" ");
  if (remote && ref) return { remote, ref };
  throw new Fault("precondition_failed", `The branch ${JSON.stringify(branch)} follows no remote branch`, {
    hint: "Push it with set_upstream, or use git_fetch and git_merge.",
  });
}

export const PUSH = {
  remote: v.optional(v.string()),
  branch: v.optional(v.string()),
  tags: v.optional(v.boolean()),
  set_upstream: v.optional(v.boolean()),
  force: v.optional(v.pipe(v.boolean(), v.description("Only over what was fetched last"))),
};

export const PUSHED = { remote: v.string(), branch: v.string(), commit: v.string() };

/** `changed`: refs of the remote that are new or have moved. */
export async function push(
  call: RepositoryCall,
  change: RepositoryChange,
  asked: Asked<typeof PUSH>,
  watcher: TransferWatcher,
): Promise<Told<typeof PUSHED>> {
  const { remote = "origin", tags, set_upstream: setUpstream, force, dry_run: dryRun } = asked;
  const { name, protocols } = await findRemote(call, remote, "push");
  const branch = await requireBranchName(
    call,
    asked.branch ?? (await readBranch(call, "Say which branch to push.")),
  );
  const ref = `refs/heads/${branch}`;
  const { commit } = await findCommit(call, ref);
  const flags = [
    ...(tags ? ["--tags"] : []),
    ...(setUpstream ? ["--set-upstream"] : []),
    ...(force ? [await toForce(call, name, branch)] : []),
  ];
  const args = ["push", "--porcelain", "--progress", "--receive-pack=git-receive-pack", ...flags];
  const refs = ["--", name, `${ref}:${ref}`];
  // Git exits with 1 if some refs were rejected.
  const options = { network: protocols, onProgress: reportTo(watcher), accept: [1] };
  const done = { remote: name, branch, commit };
  if (dryRun) {
    const tried = await call.run([...args, "--dry-run", ...refs], { ...options, writes: true });
    if (tried.code !== 0) throw toPushFault(tried, []);
    return { ...done, changed: parsePushed(tried) };
  }
  const irreversible = "Others may have fetched it already.";
  await change.begin({ tool: "git_push", summary: `push ${branch} to ${name}`, irreversible });
  const pushed = await change.run([...args, ...refs], options);
  const changed = parsePushed(pushed);
  if (pushed.code !== 0) throw toPushFault(pushed, changed);
  return { ...done, changed };
}

async function readBranch(call: RepositoryCall, hint: string): Promise<string> {
  const { branch } = await readStatus(call);
  if (branch !== undefined) return branch;
  throw new Fault("precondition_failed", "HEAD is detached", { hint });
}

/** Overwrites only the commit that was fetched last, so that newer commits of others are not lost. */
async function toForce(call: RepositoryCall, remote: string, branch: string): Promise<string> {
  // Not `idOf`: if git cannot read its refs, nothing must be forced.
  const args = ["rev-parse", "--verify", "--quiet", `refs/remotes/${remote}/${branch}`];
  const oid = (await call.text(args, { accept: [1] })).trim();
  return oid === "" ? "--force" : `--force-with-lease=refs/heads/${branch}:${oid}`;
}

/** Lines of a sign, both names, and a summary. `=` has not moved. */
const parsePushed = ({ stdout }: ChildResult): readonly string[] =>
  stdout
    .toString()
    .split("\n")
    .flatMap((line) => /^[ +*-]\t[^:]*:([^\t]+)\t/.exec(line)?.[1] ?? []);
