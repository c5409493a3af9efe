import * as v from "valibot";
import type { Applied, ChangeRequest } from "../domain/writing/changes/apply-change.ts";
import { withGuard, type FilesystemContext } from "../state.ts";
import { Changed } from "./schemas.ts";

/** In results of every tool that writes. */
export const applied: {
  readonly changed: typeof Changed;
  readonly dry_run: v.GenericSchema<boolean>;
  readonly undo: v.ExactOptionalSchema<v.GenericSchema<string>, undefined>;
} = { changed: Changed, dry_run: v.boolean(), undo: v.exactOptional(v.string()) };

const MOST_LOGGED = 20;

/** Runs a change inside the caller's boundary, and has it in the log. */
export async function withChange<T extends Applied>(
  context: FilesystemContext,
  isDryRun: boolean | undefined,
  work: (request: ChangeRequest) => Promise<T>,
): Promise<T> {
  const { stop, state, log } = context;
  const result = await withGuard(context, (guard) =>
    work({ guard, signal: stop, journal: state.changes, isDryRun: isDryRun ?? false }),
  );
  const { changed, undo } = result;
  if (!result.dry_run && changed.length > 0) {
    log.info({ event: "changed", paths: changed.slice(0, MOST_LOGGED), total: changed.length, undo });
  }
  return result;
}

/** The end of what is said about a change. */
export function howToUndo({ undo, dry_run: isDryRun }: Pick<Applied, "undo" | "dry_run">): string {
  if (isDryRun) return " Nothing was changed.";
  return undo === undefined ? "" : ` Undo id ${undo}.`;
}
