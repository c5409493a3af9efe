import { Fault, quotePath, type SafePath, toPathText } from "@suite/server-kit/domain";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
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
import type { SkippedFields } from "../walking/walk.ts";

/** Skipped are special files, links that would lead outside, and protected entries. */
export interface Copied extends Transferred, SkippedFields {
  entries: number;
  bytes: number;
}

/** Copies a file, or a directory with everything in it. It appears at the destination completely or not at all. */
export async function copyEntry(request: ChangeRequest, input: TransferInput): Promise<Copied & Applied> {
  const source = request.guard.locate(input.source);
  const destination = request.guard.locate(input.destination, { intent: "write" });
  requireApart(source, destination);
  return applyChange(request, [destination], () => propose(request, input, source, destination));
}

async function propose(
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
