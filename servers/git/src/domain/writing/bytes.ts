import { closeSync, constants, openSync, writeFileSync } from "node:fs";

import type { GitCallOptions, RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, quoteName, splitRecords, toFileName, toPathInput, toPlace } from "../names.ts";
import { onDisk } from "../reading/behind-links.ts";
import { findEntry } from "../repository/small-file.ts";

interface Version {
  readonly mode: string;
  readonly oid: string;
}

interface ChangedEntry {
  readonly path: string;
  readonly from: Version;
  /** Where this is the work tree, git says 0 for its id. */
  readonly to: Version;
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

/** Takes changed files into a temporary index with the bytes they have on disk: not all conversions can be reversed. */
export async function indexBytes(call: RepositoryCall, indexFile: string): Promise<void> {
  const options = { indexFile, writes: true };
  // What only looks changed is left as it is: once git has noticed that, it would be another tree.
  await call.run(["update-index", "-q", "--refresh"], { ...options, accept: [1] });
  const changed = await listChanged(call, ["diff-files"], { indexFile });
  const found = changed.map(({ path, to }) => {
    // Without a mode it is gone, or a directory above it is now a link.
    const entry = Number(to.mode) === 0 ? undefined : findEntry(toPlace(call.repository, path));
    return { path, ...to, isFile: entry?.isFile(), isLink: entry?.isSymbolicLink() };
  });
  const files = found.filter(({ isFile }) => isFile);
  const links = found.filter(({ isLink }) => isLink).map(({ path }) => path);
  // A directory or a pipe has no content to keep.
  const gone = found.filter(({ isFile, isLink }) => !isFile && !isLink);
  const ids = await hashBytes(call, files, ["-w"]);
  const lines = [
    ...gone.map(({ path, oid }) => ({ path, start: `0 ${oid} 0\t` })),
    ...files.map(({ path, mode }, at) => ({ path, start: `${mode} ${ids[at]} 0\t` })),
  ];
  const input = Buffer.concat(lines.flatMap(({ path, start }) => [Buffer.from(start), toPathInput([path])]));
  await call.run(["update-index", "-z", "--index-info"], { ...options, input });
  if (links.length > 0)
    await call.run(["update-index", "--add", "-z", "--stdin"], { ...options, input: toPathInput(links) });
}

/**
 * Gives files that git has just checked out from this tree the bytes they had: those for which it has something else
 * than the index, which must be the one of that time. The others were not changed.
 */
export async function restoreBytes(
  call: RepositoryCall,
  tree: string,
  written: readonly string[],
): Promise<void> {
  const kept = await listChanged(call, ["diff-index", "--cached", tree]);
  // Git leaves out what a sparse checkout does not have.
  const there = new Set(onDisk(call.repository, written));
  const files = kept.filter(({ path, from }) => there.has(path) && from.mode.startsWith("100"));
  const ids = await hashBytes(call, files);
  for (const [at, { path, from }] of files.entries()) {
    if (ids[at] === from.oid) continue;
    const file = openSync(
      toPlace(call.repository, path),
      constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW,
    );
    try {
      await call.run(["cat-file", "blob", from.oid], {
        onOutput: (chunk) => {
          writeFileSync(file, chunk);
          return undefined;
        },
      });
    } finally {
      closeSync(file);
    }
  }
}

/** Of regular files, without any conversion. */
async function hashBytes(
  call: RepositoryCall,
  files: readonly { readonly path: string }[],
  flags: readonly string[] = [],
): Promise<readonly string[]> {
  const input = files.map(({ path }) => `${quoteName(fromFileName(path))}\n`).join("");
  const args = ["hash-object", ...flags, "--no-filters", "--stdin-paths"];
  return files.length === 0 ? [] : call.lines(args, { writes: true, input });
}
