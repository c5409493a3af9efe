import { revision20241105 } from "./2024-11-05.ts";
import { revision20250326 } from "./2025-03-26.ts";
import { revision20250618 } from "./2025-06-18.ts";
import { revision20251125 } from "./2025-11-25.ts";
import { revision20260728 } from "./2026-07-28.ts";
import { createDialect, type RevisionDialect } from "./dialect.ts";

/** Oldest first. A new revision is a new file and a line here. */
const FACTS = [revision20241105, revision20250326, revision20250618, revision20251125, revision20260728];

/** Newest first: the order in which a client should choose. */
export const SUPPORTED_VERSIONS: readonly string[] = FACTS.map(({ version }) => version).toReversed();

const LEGACY_VERSIONS = FACTS.filter(({ era }) => era === "legacy").map(({ version }) => version);

const dialects = new Map<string, RevisionDialect>();

/** Created on first use: a process usually needs only one revision. */
export function dialectOf(version: string): RevisionDialect | undefined {
  const known = dialects.get(version);
  if (known) return known;
  const facts = FACTS.find((candidate) => candidate.version === version);
  const dialect = facts && createDialect(facts);
  if (dialect) dialects.set(version, dialect);
  return dialect;
}

/** What `initialize` settles on: the revision asked for if it is a legacy one, else the newest of those (lifecycle). */
export function negotiate(requested: string): RevisionDialect {
  const version = LEGACY_VERSIONS.includes(requested) ? requested : LEGACY_VERSIONS.at(-1);
  const dialect = dialectOf(version ?? "");
  if (!dialect) throw new Error("There is no legacy revision to negotiate");
  return dialect;
}
