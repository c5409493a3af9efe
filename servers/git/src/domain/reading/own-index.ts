import { readdirSync } from "node:fs";
import { join } from "node:path";

import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { findEntry } from "../repository/small-file.ts";
import { stampOf } from "../repository/stamps.ts";
import { readRecords } from "./records.ts";

/** A part of a path that leads elsewhere, or into a git directory. Git takes none into an index, but reads whatever is there. */
export const FOREIGN = /(?:^|\/)(?:\.{1,2}|\.git)?(?:$|\/)/i;

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
  let isForeign = false;
  await readRecords(call, ["ls-files", "-z"], (name) => {
    isForeign = FOREIGN.test(name.toString("latin1"));
    return isForeign ? "stop" : undefined;
  });
  if (isForeign) {
    throw new Fault(
      "permission_denied",
      "The index of this repository names files that are not in its work tree",
      { hint: "Outside of this server, remove the file .git/index and run: git reset" },
    );
  }
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(gitDir, identity);
}
