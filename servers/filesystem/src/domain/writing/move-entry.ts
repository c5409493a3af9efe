import { basename, dirname } from "node:path";
import { Fault, isWithin, quotePath, quoteShown, type SafePath, toPathText } from "@suite/server-kit/domain";
import type { ChangeRequest, Proposal } from "./changes/apply-change.ts";
import { TreeCopy } from "./copy-tree.ts";
import {
  clearWay,
  type Destination,
  isReplaced,
  requireApart,
  requireFree,
  type TransferInput,
  type Transferred,
} from "./destination.ts";
import { findMissingParents, requireBelowRoot } from "./entry-at.ts";
import { lookAtEntry, requireEntry } from "../reading/open.ts";
import { type Kind, kindOf } from "../walking/read-entries.ts";
import { isOnSameVolume, isRespelling } from "./changes/identity.ts";
import type { PlannedOperation } from "./changes/change-plan.ts";
import {
  applyTargets,
  type ChangedTargets,
  sumTransfers,
  type Target,
  toTransfers,
  type TransferLists,
  type TransferSum as Sum,
} from "./targets.ts";
import { BETWEEN_VOLUMES, isTrashNear } from "./removal.ts";

/** Moves or renames files, directories, or links themselves, not their targets. Replaces only with `overwrite`. */
export const moveEntry = async (
  request: ChangeRequest,
  input: TransferLists,
): Promise<ChangedTargets<Transferred, Sum>> =>
  applyTargets(
    request,
    toTransfers(input).map((transfer) => toTarget(request, transfer)),
    sumTransfers,
  );

function toTarget(request: ChangeRequest, input: TransferInput): Target<Transferred> {
  const { guard } = request;
  const source = guard.locate(input.source, { intent: "write", follow: false });
  const destination = guard.locate(input.destination, { intent: "write", follow: false });
  for (const path of [source, destination]) requireBelowRoot(guard, path);
  // Where case does not count, another spelling is the same place.
  if (!isWithin(source, destination) || !isWithin(destination, source)) requireApart(source, destination);
  return { writes: [source, destination], propose: () => propose(request, input, source, destination) };
}

function propose(
  request: ChangeRequest,
  input: TransferInput,
  source: SafePath,
  path: SafePath,
): Proposal<Transferred> {
  const { guard } = request;
  const stats = requireEntry(guard, source);
  const kind = kindOf(stats);
  const make = findMissingParents(guard, path);
  const found = lookAtEntry(guard, path);
  // If the volume ignores case, a name that changes only in case finds its own entry.
  const isRespelled =
    found !== undefined &&
    dirname(source) === dirname(path) &&
    isRespelling(dirname(path), basename(source), basename(path));
  const there = isRespelled ? undefined : found;
  requireFree({ path, there }, { path: source, kind }, input);
  const describe = (): Transferred => ({
    source: toPathText(source),
    destination: toPathText(path),
    kind,
    destination_existed: there !== undefined,
  });
  if (source === path) return { describe };
  const isNear = isOnSameVolume(dirname(source), dirname(make[0] ?? path));
  return {
    describe,
    plan: {
      tool: "move_file",
      summary: `moved to ${quotePath(path)}`,
      make,
      operations: isNear
        ? [
            ...clearWay(request, { path, there }, kind),
            { kind: "move", from: source, to: path, replaces: isReplaced(there, kind) },
          ]
        : carryOver(request, source, { path, there }, kind),
      ...(!isNear && !isTrashNear(guard, source) && { cannotUndo: BETWEEN_VOLUMES }),
      isCurrent: () =>
        lookAtEntry(guard, source)?.ino === stats.ino && lookAtEntry(guard, path)?.ino === found?.ino,
    },
  };
}

/** Between volumes: copy, then remove the source; both or neither. */
function carryOver(
  request: ChangeRequest,
  source: SafePath,
  destination: Destination,
  kind: Kind,
): PlannedOperation[] {
  const { guard, journal, signal } = request;
  const { path, there } = destination;
  const isKept = journal.options.keep && isTrashNear(guard, source);
  // The trash takes entries only from its own volume; of a replaced file on another volume it can keep a copy.
  const isLost = journal.options.keep && !(isKept && isReplaced(there, kind));
  if (there && isLost) throw refuseReplacing(path);
  const fill = async (temporary: string): Promise<void> => {
    const copy = new TreeCopy(guard, signal, { keepsTimes: true });
    await copy.run(source, path, temporary);
    const [first] = copy.skipped.listed;
    if (first) {
      const message = `${quoteShown(first.path)} cannot be moved to another volume: ${first.reason}`;
      throw new Fault("unsupported", message, { hint: "Nothing was moved. Copy it, or move it in parts." });
    }
  };
  return [
    ...clearWay(request, destination, kind),
    { kind: "put", path, replaces: isReplaced(there, kind), fill },
    isKept ? { kind: "take", path: source } : { kind: "drop", path: source },
  ];
}

const refuseReplacing = (path: SafePath): Fault =>
  new Fault(
    "unsupported",
    `${quotePath(path)} cannot be kept for undo when something from another volume replaces it`,
    {
      hint: "Nothing was moved. Delete it first, then move.",
    },
  );
