import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { PathGuard, SafePath } from "@suite/server-kit/domain";
import { IgnoreRules, isRepository, readRulesAbove } from "../walking/ignoring/ignore-rules.ts";
import { readEntries, type Kind, type NamedEntry } from "../walking/read-entries.ts";
import { isReservedName } from "../reserved-names.ts";

export interface LookedInto {
  readonly path: SafePath;
  readonly entries: readonly NamedEntry[];
}

/** Nobody else is served meanwhile, and a repository may bring rules that take long. */
const MOST_RULES_MS = 250;

/** What a directory shows to somebody who looks around: no names that cannot be written, and nothing that git ignores. */
export function visibleEntries(guard: PathGuard, directory: SafePath): NamedEntry[] {
  const held = guard.walkDirectory(directory);
  try {
    const entries = readEntries(held.at());
    const above = isRepository(entries) ? new IgnoreRules() : readRulesAbove(guard, directory);
    const rules = above.enter(held, entries, "");
    const end = performance.now() + MOST_RULES_MS;
    const isIgnored = ({ name, kind }: NamedEntry): boolean =>
      performance.now() < end && rules.ignores(name, name, kind === "directory");
    return entries.filter((entry) => !entry.isBroken && !isReservedName(entry.name) && !isIgnored(entry));
  } finally {
    held.close();
  }
}

/** Nothing for what cannot be looked into, be it missing, out of bounds, closed to us, or no directory. */
export function lookInto(guard: PathGuard, given: string): LookedInto | undefined {
  try {
    const path = guard.locate(given);
    return { path, entries: visibleEntries(guard, path) };
  } catch {
    return undefined;
  }
}

/** What an entry is to a reader. A link is what it leads to, and stays a link if that is missing or out of bounds. */
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
