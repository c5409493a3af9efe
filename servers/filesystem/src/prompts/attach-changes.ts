import type { ContentBlock } from "@suite/core";
import {
  Fault,
  type PathGuard,
  quotePath,
  renderParts,
  type StopSignal,
  untrusted,
} from "@suite/server-kit/domain";
import { diffFiles, type FileDiff } from "../domain/reading/diff-files.ts";
import { attachFile } from "./attach-file.ts";

export interface AttachedChanges {
  /** The URIs of both files. */
  readonly from: string;
  readonly to: string;
  readonly blocks: readonly ContentBlock[];
  readonly notes: readonly string[];
}

/** Of the 40,000 characters of a prompt. */
const MOST_FILE_BYTES = 10_000;
const MOST_DIFF_BYTES = 16_000;

/** Two versions of a text, and what is different. The diff is no resource, so it is fenced text. */
export async function attachChanges(
  guard: PathGuard,
  before: string,
  after: string,
  signal: StopSignal,
): Promise<AttachedChanges> {
  const request = { old_path: before, new_path: after };
  const diff = await diffFiles(guard, request, signal, MOST_DIFF_BYTES);
  requireChanges(diff);
  const old = await attachFile(guard, before, signal, MOST_FILE_BYTES);
  const current = await attachFile(guard, after, signal, MOST_FILE_BYTES);
  const text = renderParts([untrusted(diff.diff, "diff")]);
  return {
    from: old.block.resource.uri,
    to: current.block.resource.uri,
    blocks: [old.block, current.block, { type: "text", text }],
    notes: [
      ...old.notes,
      ...current.notes,
      ...(diff.truncated ? ["The diff is truncated, too: continue with diff_files."] : []),
    ],
  };
}

function requireChanges({ old_path: before, new_path: after, identical, compared }: FileDiff): void {
  if (identical) {
    const message = `${quotePath(before)} and ${quotePath(after)} are the same: there is nothing to review`;
    throw new Fault("invalid_input", message);
  }
  if (compared === "bytes") {
    const message = `${quotePath(before)} and ${quotePath(after)} cannot be compared by lines: one of them is no text, or too large`;
    throw new Fault("unsupported", message);
  }
}
