import type { ToolContext } from "@suite/server-kit";
import { quoteShown } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import * as v from "valibot";
import type { WalkReport } from "../domain/walking/start.ts";
import type { Transferred } from "../domain/writing/destination.ts";
import type { Applied, ChangeRequest } from "../domain/writing/changes/apply-change.ts";
import { withGuard, type FilesystemState } from "../state.ts";
import { EntryKind } from "./listings.ts";

/** Result fields of every tool that writes. */
export const applied = {
  changed: Changed,
  changed_total: v.exactOptional(Count),
  undo: v.exactOptional(v.string()),
};

export const describeSkipped = ({ skipped = [], skipped_total: total }: Partial<WalkReport>): string[] => [
  ...skipped.map(({ path, reason }) => `Left out ${quoteShown(path)}: ${reason}.`),
  ...(total === undefined ? [] : [`${total} were left out in total.`]),
];

/** Runs a change with the caller's guard. */
export async function withChange<T extends Applied>(
  context: ToolContext<FilesystemState>,
  isDryRun: boolean | undefined,
  work: (request: ChangeRequest) => Promise<T>,
): Promise<T> {
  const { stop, state, principal } = context;
  return withGuard(context, (guard) =>
    work({ guard, signal: stop, journal: state.changes, isDryRun: isDryRun ?? false, principal }),
  );
}

/** Result fields of a copy or move: of one thing, or of several. */
export const transferOutput = {
  // Of several: what `changed` is relative to.
  path: v.exactOptional(v.string()),
  source: v.exactOptional(v.string()),
  destination: v.exactOptional(v.string()),
  kind: v.exactOptional(EntryKind),
  destination_existed: v.exactOptional(v.boolean()),
  targets: v.exactOptional(Count),
  replaced: v.exactOptional(Count),
};

interface Transfer extends Partial<Transferred> {
  readonly targets?: number;
  readonly replaced?: number;
}

export function describeTransfer(
  { source = "", destination = "", destination_existed: existed, targets, replaced }: Transfer,
  did: string,
  isDryRun: boolean | undefined,
  facts: readonly string[],
): string {
  const over = existed ? ["replacing what was there"] : replaced ? [`replacing ${replaced}`] : [];
  const all = [...facts, ...over];
  const what = all.length === 0 ? "" : ` (${all.join(", ")})`;
  return targets === undefined
    ? `${describeChange(source, did, isDryRun)} to ${quoteShown(destination)}${what}`
    : `${targets} ${isDryRun ? "would be " : ""}${did}${what}`;
}

/** The last sentence about a change. */
export const howToUndo = ({ undo }: Pick<Applied, "undo">): string =>
  undo === undefined ? "" : ` Undo id ${undo}.`;

/** What a tool did to a path, or would do. */
export const describeChange = (path: string, did: string, isDryRun: boolean | undefined): string =>
  `${quoteShown(path)} ${isDryRun ? "would be " : ""}${did}`;
