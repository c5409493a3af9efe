import { countOf, Fault, quotePath, requireMatch, type SafePath, toPathText } from "@suite/server-kit/domain";
import { measureEntry } from "../walking/measure-tree.ts";
import type { ChangeRequest, Proposal } from "./changes/apply-change.ts";
import { findFile } from "./current-file.ts";
import { requireBelowRoot } from "./entry-at.ts";
import { lookAtEntry, requireEntry } from "../reading/open.ts";
import { type Kind, kindOf } from "../walking/read-entries.ts";
import { requireNoMounts, requireTrashNear } from "./removal.ts";
import { applyTargets, type ChangedTargets, sumOf } from "./targets.ts";
import type { PlannedOperation } from "./changes/change-plan.ts";

export interface DeleteInput {
  readonly path: string | readonly string[];
  readonly recursive?: boolean | undefined;
  readonly permanent?: boolean | undefined;
  readonly if_match?: string | undefined;
}

export interface Deleted {
  path: string;
  kind: Kind;
  /** For a directory: the number of entries in it, at any depth. */
  entries_inside?: number;
  bytes: number;
  /** The real numbers are higher: counting was cut short. */
  is_lower_bound?: true;
  permanent: boolean;
}

/** Moves entries into the trash, or deletes them permanently. Of a link, only the link itself, not its target. */
export async function deleteEntry(
  request: ChangeRequest,
  input: DeleteInput,
): Promise<ChangedTargets<Deleted>> {
  const { guard } = request;
  const paths = [input.path].flat().map((given) => guard.locate(given, { intent: "write", follow: false }));
  for (const path of paths) requireBelowRoot(guard, path);
  if (input.if_match !== undefined && paths.length > 1)
    throw new Fault("invalid_input", "if_match is the etag of one file, and there are several paths", {
      hint: "Nothing was deleted. Leave it out, or delete that file in a call of its own.",
    });
  return applyTargets(
    request,
    paths.map((path) => ({ writes: [path], propose: () => propose(request, input, path) })),
    (results) => ({
      bytes: sumOf(results.map(({ bytes }) => bytes)),
      ...(results.some((one) => one.is_lower_bound) && { is_lower_bound: true as const }),
      permanent: results.some(({ permanent }) => permanent),
    }),
  );
}

async function propose(
  { guard, journal, signal }: ChangeRequest,
  { recursive, permanent, if_match: version }: DeleteInput,
  path: SafePath,
): Promise<Proposal<Deleted>> {
  const stats = requireEntry(guard, path);
  const kind = kindOf(stats);
  if (kind === "directory" && !recursive) {
    throw new Fault("conflict", `${quotePath(path)} is a directory`, {
      hint: "Set recursive to delete it with everything in it.",
    });
  }
  if (kind === "directory") requireNoMounts(path);
  if (version !== undefined && kind !== "file") {
    throw new Fault("invalid_input", `${quotePath(path)} is not a file, so it has no etag`, {
      hint: "Leave out if_match.",
    });
  }
  const etagNow = (): string | undefined => (version === undefined ? undefined : findFile(guard, path)?.etag);
  const etag = etagNow();
  requireMatch(version, etag, quotePath(path));
  const isPermanent = permanent === true || !journal.options.keep;
  if (!isPermanent) requireTrashNear(guard, path, "Set permanent to delete it without undo.");
  const measure = await measureEntry(guard, path, signal);
  const operation: PlannedOperation = isPermanent
    ? { kind: "drop", path }
    : { kind: "take", path, bytes: measure.bytes };
  return {
    describe: () => ({
      path: toPathText(path),
      kind,
      ...(kind === "directory" && { entries_inside: measure.entries - 1 }),
      bytes: measure.bytes,
      ...(measure.isCut && { is_lower_bound: true as const }),
      permanent: isPermanent,
    }),
    plan: {
      tool: "delete_file",
      summary: kind === "directory" ? `deleted, with ${countOf(measure.entries - 1, "entry")}` : "deleted",
      operations: [operation],
      ...(isPermanent && { cannotUndo: "deleted for good" }),
      isCurrent: () => lookAtEntry(guard, path)?.ino === stats.ino && etagNow() === etag,
    },
  };
}
