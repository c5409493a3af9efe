import { isUtf8 } from "node:buffer";
import { readdirSync } from "node:fs";
import { platform as platformHere } from "node:os";
import { join } from "node:path";

import { Fault, type SafePath } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { requireGitInside } from "../repository/repository.ts";
import { findEntry, joinBytes } from "../repository/small-file.ts";
import { stampOf } from "../repository/stamps.ts";
import { readRecords } from "./records.ts";

/** A part of a path that leads elsewhere, or into a git directory. Git takes none into an index, but reads whatever is there. */
const FOREIGN = /(?:^|\/)(?:\.{1,2}|\.git)?(?:$|\/)/i;
/**
 * What else leads elsewhere on Windows: backslashes, drives, streams, a dot or space that it drops from the end of a name, the
 * short name of .git, devices. Git for Windows writes no such file; it does open it.
 */
const FOREIGN_ON_WINDOWS =
  /[\\:]|[. ](?:$|\/)|(?:^|\/)(?:gi[^/.]{0,4}~\d+|(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)(?:\d|\xC2[\xB2\xB3\xB9])) *(?:\.[^/]*)?)(?:$|\/)/i;

/** Whether a name in an index or a tree, in Latin-1, is that of something else than a file of the work tree. */
export const isForeign = (name: string, platform: NodeJS.Platform = platformHere()): boolean =>
  FOREIGN.test(name) || (platform === "win32" && FOREIGN_ON_WINDOWS.test(name));

/** The mode of a submodule. */
const SUBMODULE = "160000";
const MOST_KNOWN = 1000;
/** By git directory: the index that was looked through, and the submodules in it. */
const known = new Map<string, { readonly identity: string; readonly submodules: readonly Buffer[] }>();

/**
 * An index may have come with the repository. Git opens what it names without asking where that is, to compare, search and
 * overwrite it. In a submodule it looks at what its .git leads to.
 */
export async function requireOwnIndex(call: RepositoryCall): Promise<void> {
  const { gitDir, root } = call.repository;
  if (call.git.isTrusting || !findEntry(join(gitDir, "index"))) return;
  for (const name of await listSubmodules(call)) {
    const folder = joinBytes(root, name);
    if (!findEntry(folder)?.isDirectory()) continue;
    if (isUtf8(name)) requireGitInside(call.guard, folder.toString() as SafePath);
    else if (findEntry(joinBytes(folder, Buffer.from(".git"))))
      throw new Fault("permission_denied", "The path of a submodule of this repository is not valid UTF-8");
  }
}

/** Their paths in the work tree. Refuses the whole index if one of its names is foreign. */
export async function listSubmodules(call: RepositoryCall): Promise<readonly Buffer[]> {
  const { gitDir } = call.repository;
  // Most of a split index is in a file of its own.
  const parts = ["index", ...readdirSync(gitDir).filter((name) => name.startsWith("sharedindex."))];
  const identity = parts.map((name) => stampOf(join(gitDir, name))).join(" ");
  const before = known.get(gitDir);
  if (before?.identity === identity) return before.submodules;
  let found = false;
  const submodules: Buffer[] = [];
  await readRecords(call, ["ls-files", "--stage", "-z"], (record) => {
    const name = record.subarray(record.indexOf(9) + 1);
    found = isForeign(name.toString("latin1"));
    if (record.indexOf(`${SUBMODULE} `) === 0) submodules.push(Buffer.from(name));
    return found ? "stop" : undefined;
  });
  if (found) {
    throw new Fault(
      "permission_denied",
      "The index of this repository names files that are not in its work tree",
      { hint: "Outside of this server, remove the file .git/index and run: git reset" },
    );
  }
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(gitDir, { identity, submodules });
  return submodules;
}
