import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { Changed, Count, DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { Conflict } from "../domain/reading/status.ts";
import { RepoPath } from "./schemas.ts";

/** The input of a write: these fields, repo_path and dry_run. */
export const takes = <const E extends v.ObjectEntries>(entries: E) =>
  schema(v.strictObject({ repo_path: RepoPath, ...entries, dry_run: DryRun }));

/** The output of a write. */
export const tells = <const E extends v.ObjectEntries>(entries: E) =>
  schema(
    v.object({
      changed: Changed,
      ...entries,
      changed_total: v.exactOptional(Count),
      undo: v.exactOptional(v.string()),
    }),
  );

/** Output fields of writes that may stop at conflicts. */
export const CONFLICTS = {
  conflicts: v.exactOptional(v.array(Conflict)),
  conflicts_total: v.exactOptional(Count),
};

export interface ShownChange {
  readonly changed: readonly string[];
  readonly changed_total?: number;
  readonly undo?: string;
}

/** Counts all changed items, including those left out. */
export const countChanged = (
  { changed, changed_total: total = changed.length }: ShownChange,
  one = "file",
): string => countOf(total, one);

const MOST_NAMED = 50;

/** One line saying what happened, then the changed names, which are untrusted. */
export function renderChange(did: string, result: ShownChange): TextPart[] {
  const { changed, changed_total: total = changed.length, undo: id } = result;
  const named = changed.slice(0, MOST_NAMED);
  const more = total > named.length ? [`… and ${total - named.length} more`] : [];
  const undo = id === undefined ? "" : ` (undo id ${id})`;
  if (named.length === 0) return [`${did}${undo}`];
  return [`${did}${undo}:`, untrusted([...named, ...more].join("\n"))];
}
