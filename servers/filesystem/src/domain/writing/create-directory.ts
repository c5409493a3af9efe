import { Fault, quotePath, type SafePath, toPathText } from "@suite/server-kit/domain";
import { type Applied, applyChange, type ChangeRequest, type Proposal } from "./changes/apply-change.ts";
import { findMissingParents } from "./entry-at.ts";
import { lookAtEntry, requireEntry } from "../reading/open.ts";

export interface CreatedDirectory {
  path: string;
  /** Whether it was there before. */
  existed: boolean;
}

/** Makes a directory, with those above it that are missing. One that is there already is left as it is. */
export async function createDirectory(
  request: ChangeRequest,
  input: { readonly path: string },
): Promise<CreatedDirectory & Applied> {
  const path = request.guard.locate(input.path, { intent: "write" });
  return applyChange(request, [path], () => propose(request, path));
}

function propose({ guard }: ChangeRequest, path: SafePath): Proposal<CreatedDirectory> {
  const make = findMissingParents(guard, path);
  const look = guard.roots.includes(path) ? requireEntry : lookAtEntry;
  const stats = make.length > 0 ? undefined : look(guard, path);
  const isThere = stats?.isDirectory() === true;
  if (stats && !isThere) {
    throw new Fault("conflict", `${quotePath(path)} exists, and is not a directory`, {
      hint: "Give another path, or move what is there.",
    });
  }
  const describe = (): CreatedDirectory => ({ path: toPathText(path), existed: isThere });
  if (isThere) return { describe };
  const summary = make.length > 0 ? `created, with ${make.length} above it` : "created";
  return {
    describe,
    plan: {
      tool: "create_directory",
      summary,
      make: [...make, path],
      operations: [],
      isCurrent: () => true,
    },
  };
}
