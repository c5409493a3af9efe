import { closeSync, constants, openSync, writeFileSync } from "node:fs";

import { Fault } from "@suite/server-kit/domain";

import type { GitCallOptions, RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, quoteName, splitRecords, toFileName, toPathInput, toPlace } from "../names.ts";
import { onDisk } from "../reading/behind-links.ts";
import type { Stage } from "../reading/conflicts.ts";
import { readBlobs } from "../reading/records.ts";
import { findEntry } from "../repository/small-file.ts";

export interface TreeEntry extends Stage {
  readonly path: string;
}

export interface ChangedEntry {
  readonly path: string;
  readonly from: Stage;
  /** Where this is the work tree, git says 0 for its id. */
  readonly to: Stage;
}

/** Reads the raw output of git's diffs. */
async function listChanged(
  call: RepositoryCall,
  args: readonly string[],
  options: GitCallOptions = {},
): Promise<readonly ChangedEntry[]> {
  const flags = ["-z", "--no-renames", "--ignore-submodules=all"];
  const records = splitRecords((await call.run([...args, ...flags], options)).stdout);
  // A file with conflicts is there twice.
  const found = new Map<string, ChangedEntry>();
  for (const [at, record] of records.entries()) {
    if (at % 2 === 1) continue;
    const [from = "", to = "", fromOid = "", toOid = ""] = record.toString().slice(1).split(" ");
    const path = toFileName(records[at + 1] as Buffer);
    found.set(path, { path, from: { mode: from, oid: fromOid }, to: { mode: to, oid: toOid } });
  }
  return [...found.values()];
}

const REFRESH = ["update-index", "-q", "--refresh"];

/** Files on disk that are not as in a temporary index. What only looks changed is not among them. */
async function listDirty(call: RepositoryCall, indexFile: string) {
  await call.run(REFRESH, { indexFile, writes: true, accept: [1] });
  const changed = await listChanged(call, ["diff-files"], { indexFile });
  return changed.map(({ path, from, to }) => {
    // Without a mode it is gone, or a directory above it is now a link.
    const entry = Number(to.mode) === 0 ? undefined : findEntry(toPlace(call.repository, path));
    return { path, from, to, isFile: entry?.isFile(), isLink: entry?.isSymbolicLink() };
  });
}

/** Takes changed files into a temporary index with the bytes they have on disk: not all conversions can be reversed. */
export async function indexBytes(call: RepositoryCall, indexFile: string): Promise<void> {
  const options = { indexFile, writes: true };
  // What only looks changed is left as it is: once git has noticed that, it would be another tree.
  const found = await listDirty(call, indexFile);
  const files = found.filter(({ isFile }) => isFile);
  const links = found.filter(({ isLink }) => isLink).map(({ path }) => path);
  // A directory or a pipe has no content to keep.
  const gone = found.filter(({ isFile, isLink }) => !isFile && !isLink);
  const ids = await hashBytes(call, files, ["-w"]);
  const entries = [
    ...gone.map(({ path, to }) => ({ path, mode: "0", oid: to.oid })),
    ...files.map(({ path, to }, at) => ({ path, mode: to.mode, oid: ids[at] ?? "" })),
  ];
  await addEntries(call, entries, options);
  if (links.length > 0)
    await call.run(["update-index", "--add", "-z", "--stdin"], { ...options, input: toPathInput(links) });
}

async function addEntries(
  call: Pick<RepositoryCall, "run">,
  entries: readonly TreeEntry[],
  options: GitCallOptions,
): Promise<void> {
  const lines = entries.flatMap(({ path, mode, oid }) => [
    Buffer.from(`${mode} ${oid} 0\t`),
    toPathInput([path]),
  ]);
  const input = Buffer.concat(lines);
  await call.run(["update-index", "-z", "--index-info"], { ...options, input });
}

/** What going from one tree to another writes. */
export const listMoved = (call: RepositoryCall, from: string, to: string): Promise<readonly ChangedEntry[]> =>
  listChanged(call, ["diff-tree", "-r", from, to]);

/** Refuses to overwrite files that are not as they are to be before the move. What is gone is not lost. */
export async function requireBytes(
  call: RepositoryCall,
  indexFile: string,
  moved: readonly ChangedEntry[],
): Promise<void> {
  const there = moved.filter(({ from }) => Number(from.mode) !== 0);
  // An index of only these: git would read all files to refresh one of a whole tree.
  await call.run(["read-tree", "--empty"], { indexFile, writes: true });
  const entries = there.map(({ path, from }) => ({ path, ...from }));
  await addEntries(call, entries, { indexFile, writes: true });
  const found = await listDirty(call, indexFile);
  const files = found.filter(({ isFile }) => isFile);
  const ids = await hashBytes(call, files);
  const edited = files.find(({ from }, at) => ids[at] !== from.oid) ?? found.find(({ isLink }) => isLink);
  if (!edited) return;
  throw new Fault("conflict", `${JSON.stringify(edited.path)} has changed meanwhile`, {
    hint: "Nothing has been undone.",
  });
}

/** Files of the tree of a snapshot that were not as in the index of that time: the tree has their bytes. */
export async function listKept(
  call: RepositoryCall,
  tree: string,
  { indexFile, written }: { readonly indexFile: string; readonly written: readonly string[] },
): Promise<readonly TreeEntry[]> {
  const names = new Set(written);
  const differing = await listChanged(call, ["diff-index", "--cached", tree], { indexFile });
  return differing.flatMap(({ path, from }) =>
    names.has(path) && Number(from.mode) !== 0 ? [{ path, ...from }] : [],
  );
}

/** Gives files that git has just checked out the bytes they had, where it converted them. */
export async function restoreBytes(call: RepositoryCall, kept: readonly TreeEntry[]): Promise<void> {
  const { repository } = call;
  const paths = kept.map(({ path }) => path);
  const there = new Set(onDisk(repository, paths));
  const files = kept.filter(({ path, mode }) => there.has(path) && mode.startsWith("100"));
  const ids = await hashBytes(call, files);
  const wrong = files.filter(({ oid }, at) => ids[at] !== oid);
  const oids = wrong.map(({ oid }) => oid);
  // A file is opened only once all of its bytes have arrived.
  await readBlobs(call, oids, (bytes, at) => {
    const file = openSync(toPlace(repository, wrong[at]?.path ?? ""), OVERWRITE);
    try {
      writeFileSync(file, bytes);
    } finally {
      closeSync(file);
    }
  });
}

/**
 * Git takes a file of another size than the index has recorded for changed, even if only its line ends are others. Without
 * a recorded size, it compares the content.
 */
export async function forgetSizes(
  call: RepositoryCall,
  change: Pick<RepositoryCall, "run">,
  moved: readonly ChangedEntry[],
): Promise<void> {
  if (moved.length === 0) return;
  // If another process has locked the index, files may look changed until they are staged: nothing is lost.
  const accept = [1, 128];
  await change.run(REFRESH, { accept });
  // With -0, a file with conflicts has no entry to compare, as one that was added with --intent-to-add.
  const changed = await listChanged(call, ["diff-files", "-0"]);
  const wanted = new Map(moved.map(({ path, to }) => [path, `${to.mode} ${to.oid}`]));
  const entries = changed.flatMap(({ path, from }) => {
    const isAsInIndex = Number(from.mode) !== 0 && wanted.get(path) === `${from.mode} ${from.oid}`;
    return isAsInIndex ? [{ path, ...from }] : [];
  });
  if (entries.length > 0) await addEntries(change, entries, { accept });
}

const OVERWRITE = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Of regular files, without any conversion. */
async function hashBytes(
  call: RepositoryCall,
  files: readonly { readonly path: string }[],
  flags: readonly string[] = [],
): Promise<readonly string[]> {
  const input = files.map(({ path }) => `${quoteName(fromFileName(path))}\n`).join("");
  const args = ["hash-object", ...flags, "--no-filters", "--stdin-paths"];
  return files.length === 0 ? [] : call.lines(args, { writes: flags.includes("-w"), input });
}
