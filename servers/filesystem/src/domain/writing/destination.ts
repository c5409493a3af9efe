import type { BigIntStats } from "node:fs";
import { Fault, isWithin, quotePath, type SafePath } from "@suite/server-kit/domain";
import type { ChangeRequest } from "./changes/apply-change.ts";
import { type Kind, kindOf } from "../walking/read-entries.ts";
import { requireNoMounts, requireTrashNear } from "./removal.ts";
import type { PlannedOperation } from "./changes/change-plan.ts";

/** What a copy or a move is aimed at. */
export interface Destination {
  readonly path: SafePath;
  readonly there: BigIntStats | undefined;
}

/** Neither into itself nor over what it lies in. */
export function requireApart(source: SafePath, destination: SafePath): void {
  if (!isWithin(destination, source) && !isWithin(source, destination)) return;
  const [inner, outer] = isWithin(destination, source) ? [destination, source] : [source, destination];
  const words = inner === outer ? "is both source and destination" : `lies inside ${quotePath(outer)}`;
  throw new Fault("invalid_input", `${quotePath(inner)} ${words}`, { hint: "Choose another destination." });
}

/** Nothing is replaced unasked, and never a directory by something else. */
export function requireFree({ path, there }: Destination, source: Kind, overwrite: boolean): void {
  if (!there) return;
  const isDirectory = there.isDirectory();
  if (isDirectory && source !== "directory") {
    throw new Fault("conflict", `${quotePath(path)} is a directory`, {
      hint: "Give the whole new path, with the name it is to have in that directory.",
    });
  }
  if (overwrite) return;
  throw new Fault("conflict", `${quotePath(path)} exists already`, {
    hint: "Set overwrite to replace it, or choose another destination.",
  });
}

/** A file is replaced by a file at once. Everything else that is there goes to the trash first. */
export function clearWay(
  { guard, journal }: ChangeRequest,
  { path, there }: Destination,
  source: Kind,
): PlannedOperation[] {
  if (!there || isReplaced(there, source)) return [];
  requireNoMounts(path);
  if (!journal.options.keep) return [{ kind: "drop", path }];
  requireTrashNear(guard, path, "Delete it first, with permanent.");
  return [{ kind: "take", path }];
}

export const isReplaced = (there: BigIntStats | undefined, source: Kind): boolean =>
  source === "file" && there !== undefined && kindOf(there) === "file";
