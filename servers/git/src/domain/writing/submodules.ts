import { isUtf8 } from "node:buffer";
import { accessSync, constants, type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";

import { Fault, quotePath, type SafePath } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { toFileName } from "../names.ts";
import { listSubmodules } from "../reading/own-index.ts";
import { openAt } from "../repository/repository.ts";
import { findEntry, joinBytes } from "../repository/small-file.ts";

/**
 * Settings that a write must override for existing submodules. Git enters them to see whether they have changed, whatever
 * its options are, and runs programs from their configuration. Our overrides apply there as well.
 */
export async function findSubmoduleOverrides(call: RepositoryCall): Promise<readonly string[]> {
  const { git, repository } = call;
  if (git.isTrusting || repository.isBare) return [];
  const folders = (await listSubmodules(call)).map((name) => joinBytes(repository.root, name));
  return findOverrides(
    call,
    folders.filter((folder) => findEntry(folder)?.isDirectory()),
  );
}

/**
 * The same for every repository below the work tree, for writes that may check out new submodules and then enter them.
 * Which ones is not known in advance, but whatever git could run is already on the disk.
 */
export async function findNestedOverrides(call: RepositoryCall): Promise<readonly string[]> {
  const { git, repository } = call;
  return git.isTrusting || repository.isBare ? [] : findOverrides(call, [Buffer.from(repository.root)]);
}

/** Reading folders in parallel takes a tenth of the time in a large work tree. */
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
    // Git cannot enter it either. A folder that can be entered but not listed may hide a repository.
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
  if (!isUtf8(folder)) throw refuseNested(folder, "its path is not valid UTF-8");
  try {
    return openAt(guard, folder.toString() as SafePath, { trusted: false })?.overrides() ?? [];
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
