import { createHash } from "node:crypto";
import { copyFileSync, existsSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

import type { PathGuard, StopSignal } from "@suite/server-kit/domain";

import type { Git } from "../git/git.ts";
import { findOperation, type Operation } from "../reading/status.ts";
import type { Repository } from "../repository/repository.ts";
import { readSmallFile } from "../repository/small-file.ts";

/** What a write can change, so that it is known afterwards what it did change, and whether anybody else has since. */
export interface Snapshot {
  /** The branch, as refs/heads/…; null where HEAD is detached. */
  readonly head: string | null;
  /** null before the first commit. */
  readonly commit: string | null;
  /** Other refs; null for those that are not there. */
  readonly refs: { readonly [name: string]: string | null };
  /** The tree that the index stands for, or a digest of what is in it while there are conflicts. */
  readonly index: string;
  /** The tree of tracked files as they are on the disk, where the write may change them. */
  readonly worktree?: string;
  readonly operation: Operation | null;
}

export interface Scope {
  /** Refs beside HEAD and its branch, by their full names. */
  readonly refs?: readonly string[];
  /** Whether tracked files may be changed on the disk. */
  readonly worktree?: boolean;
}

const MOST_BYTES = 64 * 1024 * 1024;
export const UNMERGED = "unmerged:";

export async function takeSnapshot(
  git: Git,
  guard: PathGuard,
  repository: Repository,
  scope: Scope,
  signal: StopSignal,
): Promise<Snapshot> {
  const [head, commit, refs, index] = await Promise.all([
    readHead(git, guard, repository, signal),
    git.text(repository, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { signal, accept: [1, 128] }),
    readRefs(git, repository, scope.refs ?? [], signal),
    repository.isBare ? "" : readIndex(git, repository, signal),
  ]);
  const worktree =
    scope.worktree && !repository.isBare ? await writeWorktree(git, repository, index, signal) : undefined;
  return {
    head,
    commit: commit.trim() || null,
    refs,
    index,
    ...(worktree !== undefined && { worktree }),
    operation: findOperation(repository) ?? null,
  };
}

async function readHead(
  git: Git,
  guard: PathGuard,
  repository: Repository,
  signal: StopSignal,
): Promise<string | null> {
  const content = readSmallFile(guard, join(repository.gitDir, "HEAD")).toString();
  const [, target] = /^ref: (.+)\n?$/.exec(content) ?? [];
  // Refs that are kept in tables have only a placeholder here.
  if (target !== "refs/heads/.invalid") return target ?? null;
  const args = ["symbolic-ref", "--quiet", "HEAD"];
  return (await git.text(repository, args, { signal, accept: [1] })).trim() || null;
}

async function readRefs(
  git: Git,
  repository: Repository,
  names: readonly string[],
  signal: StopSignal,
): Promise<{ readonly [name: string]: string | null }> {
  if (names.length === 0) return {};
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", ...names];
  const found = new Map(
    (await git.text(repository, args, { signal })).split("\n").map((line) => {
      const [name = "", oid = ""] = line.split(" ");
      return [name, oid] as const;
    }),
  );
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? null]));
}

async function readIndex(git: Git, repository: Repository, signal: StopSignal): Promise<string> {
  const { code, stdout } = await git.run(repository, ["write-tree"], { signal, writes: true, accept: [128] });
  if (code === 0) return stdout.toString().trim();
  const listed = await git.run(repository, ["ls-files", "--stage", "-z"], {
    signal,
    maxOutputBytes: MOST_BYTES,
  });
  return `${UNMERGED}${createHash("sha256").update(listed.stdout).digest("hex")}`;
}

/** As if everything that is tracked had been added, in an index beside the real one. */
async function writeWorktree(
  git: Git,
  repository: Repository,
  index: string,
  signal: StopSignal,
): Promise<string> {
  const args = ["diff-files", "--name-only", "-z", "--ignore-submodules=all"];
  const { stdout } = await git.run(repository, args, { signal, maxOutputBytes: MOST_BYTES });
  if (stdout.length === 0 && !index.startsWith(UNMERGED)) return index;
  return withTemporaryIndex(repository, async (indexFile) => {
    const options = { signal, indexFile, writes: true };
    const update = ["update-index", "--add", "--remove", "-z", "--stdin"];
    await git.run(repository, update, { ...options, input: stdout });
    return (await git.text(repository, ["write-tree"], options)).trim();
  });
}

/**
 * With its time: git takes a file for unchanged that has the time and size it had when it was added, unless the index is not
 * newer than that. A copy that looks newer would hide changes of the same moment.
 */
export function copyIndex(from: string, to: string): void {
  copyFileSync(from, to);
  const seconds = Math.floor(statSync(from).mtimeMs) / 1000;
  utimesSync(to, seconds, seconds);
}

let counter = 0;

/** A copy of the index that goes away with the work. */
export async function withTemporaryIndex<T>(
  { gitDir }: Repository,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const file = join(
    gitDir,
    `suite-index-${(counter += 1)}-${createHash("sha256").update(String(Math.random())).digest("hex").slice(0, 8)}`,
  );
  try {
    const index = join(gitDir, "index");
    if (existsSync(index)) copyIndex(index, file);
    return await work(file);
  } finally {
    rmSync(file, { force: true });
    rmSync(`${file}.lock`, { force: true });
  }
}
