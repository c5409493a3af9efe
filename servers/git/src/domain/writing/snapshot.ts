import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";

import { Fault, quotePath, rename } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { readNames, splitRecords, toFileName, toPathInput } from "../names.ts";
import { listStashes, readRefs } from "../reading/refs.ts";
import { findOperation, type OperationInProgress, readState } from "../reading/status.ts";
import type { Repository } from "../repository/repository.ts";
import { findEntry, joinBytes, readSmallFile, replaceFile } from "../repository/small-file.ts";
import { temporaryName } from "../repository/temporary.ts";
import { indexBytes } from "./bytes.ts";
import { digestFlags } from "./index-flags.ts";

/** Everything a write can change, to tell afterwards what it did change, and whether anything has changed since. */
export interface Snapshot {
  /** The branch, as refs/heads/…; null where HEAD is detached. */
  readonly head: string | null;
  /** null before the first commit. */
  readonly commit: string | null;
  /** Other refs; null for those that are not there. */
  readonly refs: { readonly [name: string]: string | null };
  /** The tree of the index, or a digest of its entries while there are conflicts. */
  readonly index: string;
  /** A digest of the flags of its entries; absent if there are none. */
  readonly flags?: string;
  /** The tree of tracked files as they are on disk, if the write may change them. */
  readonly worktree?: string;
  readonly operation: OperationInProgress | null;
  /** What git knows of a merge in progress, so that it can be resumed. */
  readonly merge?: MergeInProgress;
  /** The list of stashes, the latest first, if the write may change it. */
  readonly stashes?: readonly KeptStash[];
  /** Whether a squash has left a message, which git would propose for the next commit. */
  readonly squash?: true;
}

export interface KeptStash {
  readonly commit: string;
  readonly message: string;
}

interface MergeInProgress {
  readonly heads: readonly string[];
  /** Bytes as Latin-1. */
  readonly message: string;
  readonly mode: string;
}

export interface SnapshotScope {
  /** Refs beside HEAD and its branch, by their full names. */
  readonly refs?: readonly string[];
  /** Whether tracked files may be changed on the disk. */
  readonly worktree?: boolean;
  /** Whether the list of stashes may be changed. */
  readonly stashes?: boolean;
}

export const UNMERGED = "unmerged:";

export async function takeSnapshot(call: RepositoryCall, scope: SnapshotScope): Promise<Snapshot> {
  const { repository } = call;
  const { refs: names = [] } = scope;
  const [head, commit, refs, index] = await Promise.all([
    readHead(call),
    call.idOf("HEAD^{commit}"),
    names.length === 0 ? undefined : readRefs(call, names),
    repository.isBare ? "" : readIndex(call),
  ]);
  const worktree = scope.worktree && !repository.isBare ? await writeWorktree(call, index) : undefined;
  const operation = findOperation(call) ?? null;
  const flags = repository.isBare ? "" : digestFlags(repository);
  return {
    head,
    commit: commit || null,
    refs: Object.fromEntries(names.map((name) => [name, refs?.get(name) ?? null])),
    index,
    ...(flags !== "" && { flags }),
    ...(worktree !== undefined && { worktree }),
    ...(scope.stashes && { stashes: await readStashes(call) }),
    operation,
    ...(operation === "merge" && { merge: readMerge(call) }),
    ...(findEntry(join(repository.gitDir, SQUASHED)) && { squash: true }),
  };
}

const readStashes = async (call: RepositoryCall): Promise<readonly KeptStash[]> =>
  (await listStashes(call)).map(({ commit, message }) => ({ commit, message }));

/** How many of the oldest stashes are the same. */
export function countSameStashes({ stashes: a = [] }: Snapshot, { stashes: b = [] }: Snapshot): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a.at(-1 - count)?.commit === b.at(-1 - count)?.commit)
    count += 1;
  return count;
}

export const hasSameStashes = (a: Snapshot, b: Snapshot): boolean =>
  countSameStashes(a, b) === Math.max(a.stashes?.length ?? 0, b.stashes?.length ?? 0);

export const hasSameIndex = (a: Snapshot, b: Snapshot): boolean => a.index === b.index && a.flags === b.flags;

const readMerge = (call: RepositoryCall): MergeInProgress => ({
  heads: readState(call, "MERGE_HEAD").match(/^[0-9a-f]{40,64}$/gm) ?? [],
  message: readState(call, "MERGE_MSG"),
  mode: readState(call, "MERGE_MODE") === "no-ff" ? "no-ff" : "",
});

/** Puts git back into the middle of a merge. */
export function resumeMerge({ gitDir }: Repository, { heads, message, mode }: MergeInProgress): void {
  replaceFile(join(gitDir, "MERGE_MSG"), message, "latin1");
  replaceFile(join(gitDir, "MERGE_MODE"), mode);
  // Last: this is what makes it one.
  replaceFile(join(gitDir, "MERGE_HEAD"), heads.map((head) => `${head}\n`).join(""));
}

const SQUASHED = "SQUASH_MSG";

export const dropSquash = ({ gitDir }: Repository): void => rmSync(join(gitDir, SQUASHED), { force: true });

/** The branch, as refs/heads/…; null where HEAD is detached. */
export async function readHead(call: RepositoryCall): Promise<string | null> {
  const file = join(call.repository.gitDir, "HEAD");
  // As old versions of git wrote it, and core.preferSymlinkRefs still makes it do.
  if (lstatSync(file).isSymbolicLink()) return /^refs\/.+/.exec(readlinkSync(file))?.[0] ?? null;
  const content = readSmallFile(call.guard, file).toString();
  const [, target] = /^ref: (.+)\n?$/.exec(content) ?? [];
  // With the reftable format, HEAD is only a placeholder.
  if (target !== "refs/heads/.invalid") return target ?? null;
  return (await call.text(["symbolic-ref", "--quiet", "HEAD"], { accept: [1] })).trim() || null;
}

/** The tree of the index, or a digest of its entries while there are conflicts. */
export async function readIndex(call: RepositoryCall): Promise<string> {
  const { code, stdout } = await call.run(["write-tree"], { writes: true, accept: [128] });
  if (code === 0) return stdout.toString().trim();
  const unmerged = await call.run(["ls-files", "--unmerged", "-z"]);
  // Without conflicts, it failed because another process holds the index lock.
  if (unmerged.stdout.length === 0)
    return withTemporaryIndex(call, (indexFile) => writeTree(call, indexFile));
  const listed = await call.run(["ls-files", "--stage", "-z"]);
  return `${UNMERGED}${createHash("sha256").update(listed.stdout).digest("hex")}`;
}

const writeTree = async (call: RepositoryCall, indexFile: string): Promise<string> =>
  (await call.text(["write-tree"], { indexFile, writes: true })).trim();

/** The tree of tracked files as they are on disk, made in a temporary index. */
async function writeWorktree(call: RepositoryCall, index: string): Promise<string> {
  const [{ stdout }, hidden] = await Promise.all([
    call.run(CHANGED),
    listHidden(call, { withSkipped: true }),
  ]);
  if (stdout.length === 0 && hidden.length === 0 && !index.startsWith(UNMERGED)) return index;
  return withTemporaryIndex(call, async (indexFile) => {
    if (hidden.length > 0) await showHidden(call, indexFile, hidden);
    await indexBytes(call, indexFile);
    return writeTree(call, indexFile);
  });
}

const CHANGED = ["diff-files", "--name-only", "-z", "--ignore-submodules=all"];
/** These make git check files again, or assume them unchanged (HIDE). File names come on standard input. */
export const SHOW: readonly string[] = ["update-index", "--no-assume-unchanged", "-z", "--stdin"];
const SHOW_SKIPPED = ["update-index", "--no-skip-worktree", "-z", "--stdin"];
export const HIDE: readonly string[] = ["update-index", "--assume-unchanged", "-z", "--stdin"];

/**
 * Changed files that git is told to assume unchanged: it neither shows nor spares them. Files marked skip-worktree it
 * spares, except when it restores them from a commit.
 */
export async function listHidden(
  call: RepositoryCall,
  { withSkipped = false } = {},
): Promise<readonly string[]> {
  const listed = splitRecords((await call.run(["ls-files", "-v", "-z"])).stdout);
  const marked = listed.filter((record) => {
    const letter = String.fromCodePoint(record[0] ?? 0);
    // Files that a sparse checkout leaves out do not exist.
    if (/s/i.test(letter))
      return withSkipped && findEntry(joinBytes(call.repository.root, record.subarray(2)));
    return /[a-z]/.test(letter);
  });
  if (marked.length === 0) return [];
  const names = marked.map((record) => toFileName(record.subarray(2)));
  return withTemporaryIndex(call, async (indexFile) => {
    await showHidden(call, indexFile, names);
    const changed = new Set(await readNames(call, CHANGED, { indexFile }));
    return names.filter((name) => changed.has(name));
  });
}

async function showHidden(call: RepositoryCall, indexFile: string, names: readonly string[]): Promise<void> {
  // Git removes only one of these flags per call.
  for (const args of [SHOW, SHOW_SKIPPED])
    await call.run(args, { indexFile, writes: true, input: toPathInput(names) });
}

/**
 * Keeps the modification time: git takes a file with the recorded time and size for unchanged if the index is newer than
 * that time. A copy that looks newer would hide changes made in the same moment.
 */
export function copyIndex(from: string, to: string): void {
  // It may have come with the repository, and reading a pipe would never end.
  if (!statSync(from).isFile()) throw new Fault("unsupported", `${quotePath(from)} is not a regular file`);
  copyFileSync(from, to);
  const seconds = Math.floor(statSync(from).mtimeMs) / 1000;
  utimesSync(to, seconds, seconds);
}

/** Runs `work` with a temporary copy of the index. */
export async function withTemporaryIndex<T>(
  { git, repository: { gitDir } }: RepositoryCall,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const file = join(gitDir, temporaryName("index", git.pid));
  try {
    const index = join(gitDir, "index");
    if (existsSync(index)) copyIndex(index, file);
    return await work(file);
  } finally {
    rmSync(file, { force: true });
    rmSync(`${file}.lock`, { force: true });
  }
}

const refuseLocked = (cause?: unknown): Fault =>
  new Fault("unavailable", "The index is locked by another git process", { retryAfterMs: 1000, cause });

/** Before other changes, so that they are not made without the one to the index. */
export function requireFreeIndex({ gitDir }: Repository): void {
  if (existsSync(join(gitDir, "index.lock"))) throw refuseLocked();
}

/** Atomically, as git itself replaces its index. */
export function replaceIndex({ gitDir }: Repository, from: string): void {
  const index = join(gitDir, "index");
  const lock = `${index}.lock`;
  try {
    closeSync(openSync(lock, "wx"));
  } catch (thrown) {
    throw refuseLocked(thrown);
  }
  try {
    if (existsSync(from)) {
      copyIndex(from, lock);
      return rename(lock, index);
    }
    rmSync(index, { force: true });
    rmSync(lock);
  } catch (thrown) {
    rmSync(lock, { force: true });
    throw thrown;
  }
}
