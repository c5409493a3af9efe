import { readdirSync } from "node:fs";
import { join } from "node:path";

import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { findEntry } from "../repository/small-file.ts";
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
export const isForeign = (name: string, platform: NodeJS.Platform = process.platform): boolean =>
  FOREIGN.test(name) || (platform === "win32" && FOREIGN_ON_WINDOWS.test(name));

const MOST_KNOWN = 1000;
/** By git directory: the index that was looked through. */
const known = new Map<string, string>();

/**
 * An index may have come with the repository. Git opens what it names without asking where that is, to compare, search and
 * overwrite it.
 */
export async function requireOwnIndex(call: RepositoryCall): Promise<void> {
  const { gitDir } = call.repository;
  if (call.git.isTrusting || !findEntry(join(gitDir, "index"))) return;
  // Most of a split index is in a file of its own.
  const parts = ["index", ...readdirSync(gitDir).filter((name) => name.startsWith("sharedindex."))];
  const identity = parts.map((name) => stampOf(join(gitDir, name))).join(" ");
  if (known.get(gitDir) === identity) return;
  let found = false;
  await readRecords(call, ["ls-files", "-z"], (name) => {
    found = isForeign(name.toString("latin1"));
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
  known.set(gitDir, identity);
}
