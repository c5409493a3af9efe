import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { Changed, Count, DryRun } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { Conflict } from "../domain/reading/status.ts";
import { RepoPath } from "./schemas.ts";

/** What every write in a repository takes. */
export const takes = <const E extends v.ObjectEntries>(entries: E) =>
  schema(v.strictObject({ repo_path: RepoPath, ...entries, dry_run: DryRun }));

/** What every write tells. */
export const tells = <const E extends v.ObjectEntries>(entries: E) =>
  schema(
    v.object({
      ...entries,
      changed: Changed,
      changed_total: v.exactOptional(Count),
      undo_id: v.exactOptional(v.string()),
    }),
  );

/** Of what may stop at conflicts. */
export const CONFLICTS = {
  conflicts: v.exactOptional(v.array(Conflict)),
  conflicts_total: v.exactOptional(Count),
};

export interface ShownWrite {
  readonly changed: readonly string[];
  readonly changed_total?: number;
  readonly undo_id?: string;
}

/** How many there are in all. */
export const countChanged = (
  { changed, changed_total: total = changed.length }: ShownWrite,
  one = "file",
): string => countOf(total, one);

const MOST_NAMED = 50;

/** What happened in one line, then to what. The names are the repository's. */
export function renderWritten(did: string, result: ShownWrite): TextPart[] {
  const { changed, changed_total: total = changed.length, undo_id: id } = result;
  const named = changed.slice(0, MOST_NAMED);
  const more = total > named.length ? [`… and ${total - named.length} more`] : [];
  const undo = id === undefined ? "" : ` (undo with git_undo id: "${id}")`;
  if (named.length === 0) return [`${did}${undo}`];
  return [`${did}${undo}:`, untrusted([...named, ...more].join("\n"))];
}
