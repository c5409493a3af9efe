import { isUtf8 } from "node:buffer";
import { accessSync, constants, type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";

import { Fault, quotePath, type SafePath } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { toFileName } from "../names.ts";
import { readRecords } from "../reading/records.ts";
import { openAt } from "../repository/repository.ts";
import { findEntry, joinBytes } from "../repository/small-file.ts";

/**
 * What a write needs to say of the submodules that are there. Git goes into them to see whether they have changed, whatever
 * it was told, and runs what their own configuration names there. What overrides ours reaches them as well.
 */
export async function findSubmoduleOverrides(call: RepositoryCall): Promise<readonly string[]> {
  const { git, repository } = call;
  if (git.isTrusting || repository.isBare) return [];
  const folders: Buffer[] = [];
  await readRecords(call, ["ls-files", "--stage", "-z"], (record) => {
    const isSubmodule = record.indexOf("160000 ") === 0;
    if (isSubmodule) folders.push(joinBytes(repository.root, record.subarray(record.indexOf(9) + 1)));
    return undefined;
  });
  return findOverrides(
    call,
    folders.filter((folder) => findEntry(folder)?.isDirectory()),
  );
}

/**
 * The same of every repository below the work tree. For a write that can bring submodules and look into them afterwards:
 * nobody can say before which those are, but what it could run is on the disk.
 */
export async function findNestedOverrides(call: RepositoryCall): Promise<readonly string[]> {
  const { git, repository } = call;
  return git.isTrusting || repository.isBare ? [] : findOverrides(call, [Buffer.from(repository.root)]);
}

/** Folders of a large work tree take a tenth of the time when they are read together. */
const AT_ONCE = 32;

async function findOverrides(call: RepositoryCall, folders: readonly Buffer[]): Promise<readonly string[]> {
  const overrides = new Set<string>();
  const root = Buffer.from(call.repository.root);
  const queue = [...folders];
  const look = async (folder: Buffer): Promise<void> => {
    for (const entry of await readFolder(folder)) {
      const isGit = entry.name.toString("latin1").toLowerCase() === ".git";
      if (isGit && !folder.equals(root)) {
        for (const setting of openNested(call, folder)) overrides.add(setting);
      } else if (!isGit && entry.isDirectory()) queue.push(joinBytes(folder, entry.name));
    }
  };
  while (queue.length > 0) {
    call.signal.throwIfAborted();
    await Promise.all(queue.splice(-AT_ONCE).map(look));
  }
  return [...overrides];
}

async function readFolder(folder: Buffer): Promise<readonly Dirent<Buffer>[]> {
  try {
    return await readdir(folder, { withFileTypes: true, encoding: "buffer" });
  } catch (thrown) {
    // What cannot be entered cannot be entered by git either; what can only not be listed may hide something.
    if (!isEnterable(folder)) return [];
    throw refuseNested(folder, "it cannot be read", thrown);
  }
}

function isEnterable(folder: Buffer): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function openNested({ guard }: RepositoryCall, folder: Buffer): readonly string[] {
  if (!isUtf8(folder)) throw refuseNested(folder, "its path is no text");
  try {
    return openAt(guard, folder.toString() as SafePath, { trusted: false })?.overrides ?? [];
  } catch (thrown) {
    throw refuseNested(folder, thrown instanceof Fault ? thrown.message : "it cannot be read", thrown);
  }
}

const HINT =
  "Move it out of this work tree, or ask the operator to start the server with --trust-repository.";

const refuseNested = (folder: Buffer, why: string, cause?: unknown): Fault =>
  new Fault(
    "permission_denied",
    `Git might go into another repository at ${quotePath(toFileName(folder))}: ${why}`,
    { hint: HINT, cause },
  );
