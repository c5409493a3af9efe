import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { PathGuard, SafePath } from "@suite/server-kit/domain";
import { attempt } from "../attempt.ts";
import { closing } from "../closing.ts";
import { readRulesAbove } from "../walking/ignoring/ignore-rules.ts";
import { readEntries, type Kind, type NamedEntry } from "../walking/read-entries.ts";
import { isReservedName } from "../reserved-names.ts";

export interface LookedInto {
  readonly path: SafePath;
  readonly entries: readonly NamedEntry[];
}

/** Time limit for ignore rules: this is synchronous, and a repository may contain slow rules. */
const MOST_RULES_MS = 250;

/** The entries of a directory for browsing: without names that are not valid UTF-8, reserved names and ignored entries. */
export function visibleEntries(guard: PathGuard, directory: SafePath): NamedEntry[] {
  return closing(guard.walkDirectory(directory), (held) => {
    const entries = readEntries(held.at());
    const rules = readRulesAbove(guard, directory, entries).enter(held, entries, "");
    const end = performance.now() + MOST_RULES_MS;
    const isIgnored = ({ name, kind }: NamedEntry): boolean =>
      performance.now() < end && rules.ignores(name, name, kind === "directory");
    return entries.filter((entry) => !entry.isBroken && !isReservedName(entry.name) && !isIgnored(entry));
  });
}

/** undefined if the path is missing, outside, not readable or not a directory. */
export const lookInto = (guard: PathGuard, given: string): LookedInto | undefined =>
  attempt(() => {
    const path = guard.locate(given);
    return { path, entries: visibleEntries(guard, path) };
  });

/** The kind of an entry; for a link, that of its target, or "link" if the target is missing, outside or a special file. */
export function resolveKind(guard: PathGuard, directory: SafePath, { name, kind }: NamedEntry): Kind {
  if (kind !== "link") return kind;
  try {
    const stats = lstatSync(guard.locateExact(join(directory, name)));
    if (stats.isDirectory()) return "directory";
    return stats.isFile() ? "file" : "link";
  } catch {
    return "link";
  }
}
