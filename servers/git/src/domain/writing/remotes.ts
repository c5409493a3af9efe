import { resolve } from "node:path";

import { type ChildResult, Fault, type PathGuard, suggest } from "@suite/server-kit/domain";

import type { RunOptions } from "../git/git.ts";
import { redactUrls } from "../git/redact-url.ts";
import { findCommit } from "../reading/history.ts";
import { readStatus } from "../reading/status.ts";
import { openRepository } from "../repository/repository.ts";
import { requireBranchName } from "./branches.ts";
import type { Change, ChangeContext } from "./changes.ts";
import { type Integrated, merge, rebase } from "./integrate.ts";

/** From 0 to 100, growing. */
export type OnProgress = (percent: number, what: string) => void;

const PROTOCOLS: { readonly [scheme: string]: string } = {
  https: "https",
  // A server may lead on to the safer one, never back.
  http: "http:https",
  ssh: "ssh",
  git: "git",
  file: "file",
};

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
/** As in git@example.org:project.git. */
const SCP = /^(?:[\w.+-]+@)?[A-Za-z0-9[][\w.:[\]-]*:(?!:)/;

/** What git may speak to reach this address. Places on this machine are held to the boundary; helpers are refused. */
export function toProtocols(guard: PathGuard, url: string, from: string): string {
  const [, scheme] = SCHEME.exec(url) ?? [];
  const isHelper = /^[\w+.-]*::/.test(url);
  const protocols = PROTOCOLS[scheme?.toLowerCase() ?? ""];
  if (isHelper || url.startsWith("-") || (scheme !== undefined && protocols === undefined)) {
    throw new Fault("permission_denied", `This kind of address is not allowed: ${redactUrls(url)}`, {
      hint: "https, ssh and git addresses are, and repositories inside the directories of this server.",
    });
  }
  if (protocols !== undefined && protocols !== "file") return protocols;
  const isPlainPath =
    scheme === undefined && !(SCP.test(url) && !url.slice(0, url.indexOf(":")).includes("/"));
  if (scheme === undefined && !isPlainPath) return "ssh";
  const path = scheme === undefined ? url : decodeURIComponent(new URL(url).pathname);
  openRepository(guard, resolve(from, path), { trusted: false });
  return "file";
}

interface Remote {
  readonly name: string;
  readonly protocols: string;
}

/** A remote of the repository, and what may be spoken to where it really leads: a repository can rewrite addresses. */
async function findRemote(
  { git, guard, repository, signal }: ChangeContext,
  name: string,
  direction: "fetch" | "push",
): Promise<Remote> {
  const names = (await git.text(repository, ["remote"], { signal }))
    .split("\n")
    .filter((line) => line !== "");
  if (!names.includes(name)) {
    const meant = suggest(name, names);
    throw new Fault("not_found", `There is no remote ${JSON.stringify(name)}`, {
      hint: meant === undefined ? "git_remotes shows them." : `Did you mean ${JSON.stringify(meant)}?`,
    });
  }
  const args = ["remote", "get-url", "--all", ...(direction === "push" ? ["--push"] : []), "--", name];
  // Applied once more, with the settings that the transfer itself has: the operator's may rewrite addresses, too.
  const urls = (await git.text(repository, args, { signal, network: "none" })).split("\n");
  const protocols = urls.filter((url) => url !== "").map((url) => toProtocols(guard, url, repository.root));
  // The receiving side reads its own configuration and runs its own hooks, and nothing of ours reaches it.
  if (direction === "push" && protocols.includes("file") && !git.isTrusting) {
    throw new Fault("permission_denied", "Pushing to a repository on this machine would run its hooks", {
      hint: "The operator can allow it with --trust-repository. git_fetch works from the other side.",
    });
  }
  return { name, protocols: [...new Set(protocols.flatMap((list) => list.split(":")))].join(":") };
}

/** Where in a transfer git is: the share of the whole that is done when a phase begins, and when it ends. */
const PHASES: { readonly [what: string]: readonly [number, number] } = {
  "Counting objects": [0, 5],
  "Compressing objects": [5, 10],
  "Receiving objects": [10, 80],
  "Writing objects": [10, 95],
  "Resolving deltas": [80, 95],
  "Updating files": [95, 100],
};
const PROGRESS =
  /(Counting objects|Compressing objects|Receiving objects|Writing objects|Resolving deltas|Updating files): +(\d+)%/g;

export const reportTo =
  (onProgress: OnProgress) =>
  (chunk: Buffer): void => {
    const last = [...chunk.toString("latin1").matchAll(PROGRESS)].at(-1);
    const [, what = "", percent = "0"] = last ?? [];
    const [from, to] = PHASES[what] ?? [0, 0];
    if (last) onProgress(from + ((to - from) * Number(percent)) / 100, what);
  };

type Run = (args: readonly string[], options: Omit<RunOptions, "signal">) => Promise<ChildResult>;

export interface FetchRequest {
  readonly remote: string;
  readonly prune: boolean;
  readonly dryRun: boolean;
}

export interface Fetched {
  readonly remote: string;
  /** Refs that are new, have moved or are gone. */
  readonly changed: readonly string[];
}

export async function fetchRemote(
  context: ChangeContext,
  change: Change,
  request: FetchRequest,
  onProgress: OnProgress,
): Promise<Fetched> {
  const found = await findRemote(context, request.remote, "fetch");
  if (request.dryRun) return previewFetch(context, found, request);
  await change.begin({ tool: "git_fetch", summary: `fetch ${found.name}`, keepsNoBackup: true });
  return transfer(context, (args, options) => change.run(args, options), found, request.prune, onProgress);
}

const FETCH = ["fetch", "--progress", "--no-recurse-submodules", "--upload-pack=git-upload-pack"];

async function transfer(
  context: ChangeContext,
  run: Run,
  { name, protocols }: Remote,
  isPruning: boolean,
  onProgress: OnProgress,
): Promise<Fetched> {
  const before = await readRemoteRefs(context, name);
  const flags = isPruning ? ["--prune"] : ["--no-prune"];
  await run([...FETCH, ...flags, "--", name], { network: protocols, onErrorOutput: reportTo(onProgress) });
  const after = await readRemoteRefs(context, name);
  const refs = [...new Set([...before.keys(), ...after.keys()])];
  return { remote: name, changed: refs.filter((ref) => before.get(ref) !== after.get(ref)).toSorted() };
}

/** Git writes what it would do as a table for people: the names are at its end. */
async function previewFetch(
  { git, repository, signal }: ChangeContext,
  { name, protocols }: Remote,
  { prune }: FetchRequest,
): Promise<Fetched> {
  const args = ["fetch", "--dry-run", "--no-recurse-submodules", "--upload-pack=git-upload-pack"];
  const options = { signal, network: protocols, writes: true };
  const { stderr } = await git.run(repository, [...args, ...(prune ? ["--prune"] : []), "--", name], options);
  const lines = stderr.split("\n").flatMap((line) => /-> (\S+)(?: {2}\(.*\))?$/.exec(line)?.[1] ?? []);
  return { remote: name, changed: lines };
}

async function readRemoteRefs(
  { git, repository, signal }: ChangeContext,
  remote: string,
): Promise<ReadonlyMap<string, string>> {
  const format = "--format=%(refname) %(objectname)";
  const listed = await git.text(
    repository,
    ["for-each-ref", format, `refs/remotes/${remote}/`, "refs/tags"],
    {
      signal,
    },
  );
  const lines = listed.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

export interface PullRequest {
  readonly mode: "merge" | "rebase" | "ff_only";
  readonly dryRun: boolean;
}

export interface Pulled extends Integrated {
  readonly upstream: string;
}

/** Fetches the upstream branch of the current one, and takes its commits in. */
export async function pull(
  context: ChangeContext,
  change: Change,
  { mode, dryRun }: PullRequest,
  onProgress: OnProgress,
): Promise<Pulled> {
  const { git, repository, signal } = context;
  const { remote, ref } = await findUpstream(context);
  if (!dryRun) {
    const run: Run = (args, options) => git.run(repository, args, { ...options, signal, writes: true });
    await transfer(context, run, await findRemote(context, remote, "fetch"), false, onProgress);
  }
  const integrated =
    mode === "rebase"
      ? await rebase(context, change, { target: ref, dryRun })
      : await merge(context, change, { target: ref, mode: mode === "merge" ? "auto" : mode, dryRun });
  return { upstream: ref.replace(/^refs\/remotes\//, ""), ...integrated };
}

async function findUpstream({
  git,
  repository,
  signal,
}: ChangeContext): Promise<{ readonly remote: string; readonly ref: string }> {
  const { branch } = await readStatus(git, repository, { untracked: "no", signal });
  if (branch === undefined)
    throw new Fault("precondition_failed", "HEAD is detached: check out a branch first");
  const format = "--format=%(upstream:remotename) %(upstream)";
  const found = (
    await git.text(repository, ["for-each-ref", format, `refs/heads/${branch}`], { signal })
  ).trim();
  const [remote, ref] = found.split(" ");
  if (remote && ref) return { remote, ref };
  throw new Fault("precondition_failed", `The branch ${JSON.stringify(branch)} follows no remote branch`, {
    hint: "Push it with set_upstream, or use git_fetch and git_merge.",
  });
}

export interface PushRequest {
  readonly remote: string;
  /** The current one unless said. */
  readonly branch?: string | undefined;
  readonly tags: boolean;
  readonly setUpstream: boolean;
  readonly force: boolean;
  readonly dryRun: boolean;
}

export interface Pushed {
  readonly remote: string;
  readonly branch: string;
  readonly commit: string;
  /** Refs of the remote that are new or have moved. */
  readonly changed: readonly string[];
}

export async function push(
  context: ChangeContext,
  change: Change,
  request: PushRequest,
  onProgress: OnProgress,
): Promise<Pushed> {
  const { git, repository, signal } = context;
  const { tags, setUpstream, force, dryRun } = request;
  const { name, protocols } = await findRemote(context, request.remote, "push");
  const branch = await requireBranchName(context, request.branch ?? (await readBranch(context)));
  const ref = `refs/heads/${branch}`;
  const { commit } = await findCommit(git, repository, ref, signal);
  const flags = [
    ...(tags ? ["--tags"] : []),
    ...(setUpstream ? ["--set-upstream"] : []),
    ...(force ? [await toForce(context, name, branch)] : []),
  ];
  const args = ["push", "--porcelain", "--progress", "--receive-pack=git-receive-pack", ...flags];
  const refs = ["--", name, `${ref}:${ref}`];
  const options = { network: protocols, onErrorOutput: reportTo(onProgress) };
  if (dryRun) {
    const result = await git.run(repository, [...args, "--dry-run", ...refs], {
      ...options,
      signal,
      writes: true,
    });
    return { remote: name, branch, commit, changed: parsePushed(result) };
  }
  await change.begin({ tool: "git_push", summary: `push ${branch} to ${name}`, keepsNoBackup: true });
  return {
    remote: name,
    branch,
    commit,
    changed: parsePushed(await change.run([...args, ...refs], options)),
  };
}

async function readBranch({ git, repository, signal }: ChangeContext): Promise<string> {
  const { branch } = await readStatus(git, repository, { untracked: "no", signal });
  if (branch !== undefined) return branch;
  throw new Fault("precondition_failed", "HEAD is detached", { hint: "Say which branch to push." });
}

/** Only over what was seen there last, so that nobody's work is lost that came in between. */
async function toForce(
  { git, repository, signal }: ChangeContext,
  remote: string,
  branch: string,
): Promise<string> {
  const seen = `refs/remotes/${remote}/${branch}`;
  const args = ["rev-parse", "--verify", "--quiet", seen];
  const oid = (await git.text(repository, args, { signal, accept: [1] })).trim();
  return oid === "" ? "--force" : `--force-with-lease=refs/heads/${branch}:${oid}`;
}

/** Lines of a sign, both names, and a summary. `=` has not moved. */
const parsePushed = ({ stdout }: ChildResult): readonly string[] =>
  stdout
    .toString()
    .split("\n")
    .flatMap((line) => /^[ +*-]\t[^:]*:([^\t]+)\t/.exec(line)?.[1] ?? []);
