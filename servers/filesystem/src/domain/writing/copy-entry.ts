import { Fault, quotePath, type SafePath, toPathText } from "@suite/server-kit/domain";
import type { ChangeRequest, Proposal } from "./changes/apply-change.ts";
import { TreeCopy } from "./copy-tree.ts";
import {
  clearWay,
  isReplaced,
  requireApart,
  requireFree,
  type TransferInput,
  type Transferred,
} from "./destination.ts";
import { findMissingParents } from "./entry-at.ts";
import { lookAtEntry, requireEntry } from "../reading/open.ts";
import { kindOf } from "../walking/read-entries.ts";
import {
  applyTargets,
  type ChangedTargets,
  sumOf,
  sumTransfers,
  type Target,
  toTransfers,
  type TransferLists,
  type TransferSum,
} from "./targets.ts";
import type { SkippedFields } from "../walking/walk.ts";

/** Skipped are special files, links that would lead outside, and protected entries. */
export interface Copied extends Transferred, SkippedFields {
  entries: number;
  bytes: number;
}

/** Copies files, or directories with everything in them. All appear completely or none at all. */
export const copyEntry = async (
  request: ChangeRequest,
  input: TransferLists,
): Promise<ChangedTargets<Copied, TransferSum>> =>
  applyTargets(
    request,
    toTransfers(input).map((transfer) => toTarget(request, transfer)),
    (results) => {
      const skipped = results.flatMap((result) => result.skipped ?? []);
      const total = sumOf(results.map((one) => one.skipped_total ?? one.skipped?.length ?? 0));
      return {
        entries: sumOf(results.map(({ entries }) => entries)),
        bytes: sumOf(results.map(({ bytes }) => bytes)),
        ...sumTransfers(results),
        ...(total > 0 && { skipped: skipped.slice(0, MOST_NAMED) }),
        ...(total > MOST_NAMED && { skipped_total: total }),
      };
    },
  );

/** Of what several copies left out. */
const MOST_NAMED = 20;

function toTarget(request: ChangeRequest, input: TransferInput): Target<Copied> {
  const source = request.guard.locate(input.source);
  const destination = request.guard.locate(input.destination, { intent: "write" });
  requireApart(source, destination);
  const propose = (): Promise<Proposal<Copied>> => proposeCopy(request, input, source, destination);
  return { writes: [destination], reads: [source], propose };
}

async function proposeCopy(
  request: ChangeRequest,
  input: TransferInput,
  source: SafePath,
  path: SafePath,
): Promise<Proposal<Copied>> {
  const { guard, signal, isDryRun = false } = request;
  const kind = kindOf(requireEntry(guard, source));
  if (kind === "other") throw new Fault("unsupported", `${quotePath(source)} is a special file`);
  const make = findMissingParents(guard, path);
  const there = lookAtEntry(guard, path);
  requireFree({ path, there }, { path: source, kind }, input);
  const copy = new TreeCopy(guard, signal, { isDryRun });
  const fill = (temporary: string): Promise<void> => copy.run(source, path, temporary);
  if (isDryRun) await fill("");
  return {
    describe: () => ({
      source: toPathText(source),
      destination: toPathText(path),
      kind,
      destination_existed: there !== undefined,
      entries: copy.entries,
      bytes: copy.bytes,
      ...copy.skipped.toFields(),
    }),
    plan: {
      tool: "copy_file",
      summary: `copied from ${quotePath(source)}`,
      make,
      operations: [
        ...clearWay(request, { path, there }, kind),
        { kind: "put", path, replaces: isReplaced(there, kind), fill },
      ],
      isCurrent: () => lookAtEntry(guard, path)?.ino === there?.ino,
    },
  };
}
