import { closeSync, fstatSync, readFileSync } from "node:fs";

import type { OpenDirectory } from "../open-directory.ts";
import { RuleList } from "./rule-list.ts";

export const RULES_FILE = ".gitignore";
export const REPOSITORY = ".git";

/** Nobody writes more by hand, and each rule costs time for each entry. A larger file counts as none. */
const LARGEST = 64 * 1024;

/** Git does not follow a link here either: a repository must not choose which file is read. */
export function readRules(directory: OpenDirectory, name: string = RULES_FILE): RuleList | undefined {
  let fd: number | undefined;
  try {
    fd = directory.openFile(name);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > LARGEST) return undefined;
    const list = new RuleList(readFileSync(fd, "latin1"));
    return list.isEmpty ? undefined : list;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** `.git/info/exclude`: rules that stay with this copy of the repository. Every rule inside it overrules them. */
export function readOwnRules(top: OpenDirectory): RuleList | undefined {
  return within(top, REPOSITORY, (repository) =>
    within(repository, "info", (info) => readRules(info, "exclude")),
  );
}

function within<T>(directory: OpenDirectory, name: string, work: (child: OpenDirectory) => T): T | undefined {
  let child: OpenDirectory | undefined;
  try {
    child = directory.child(name);
    return work(child);
  } catch {
    return undefined;
  } finally {
    child?.close();
  }
}
