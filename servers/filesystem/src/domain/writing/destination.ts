import type { BigIntStats } from "node:fs";
import { basename, join } from "node:path";
import { Fault, isWithin, quotePath, type SafePath } from "@suite/server-kit/domain";
import type { ChangeRequest } from "./changes/apply-change.ts";
import { isDirectoryPath } from "./entry-at.ts";
import { type Kind, kindOf } from "../walking/read-entries.ts";
import { requireNoMounts, requireTrashNear } from "./removal.ts";
import type { PlannedOperation } from "./changes/change-plan.ts";

/** A copy or move. */
export interface TransferInput {
  readonly source: string;
  readonly destination: string;
  readonly overwrite?: boolean | undefined;
}

export interface Transferred {
  source: string;
  destination: string;
  kind: Kind;
  /** Whether the destination existed before. */
  destination_existed: boolean;
}

/** The destination of a copy or move. */
export interface Destination {
  readonly path: SafePath;
  readonly there: BigIntStats | undefined;
}

/** Refuses a destination inside the source, and one that contains it. */
export function requireApart(source: SafePath, destination: SafePath): void {
  if (!isWithin(destination, source) && !isWithin(source, destination)) return;
  const [inner, outer] = isWithin(destination, source) ? [destination, source] : [source, destination];
  const words = inner === outer ? "is both source and destination" : `lies inside ${quotePath(outer)}`;
  throw new Fault("invalid_input", `${quotePath(inner)} ${words}`, { hint: "Choose another destination." });
}

/** Refuses an existing destination without `overwrite`, and always if something else would take the place of a directory. */
export function requireFree(
  { path, there }: Destination,
  source: { readonly path: SafePath; readonly kind: Kind },
  { destination, overwrite = false }: TransferInput,
): void {
  const isDirectory = there?.isDirectory() ?? false;
  const inside = `To put it inside, give the full new path: ${quotePath(join(path, basename(source.path)))}.`;
  if (isDirectory && source.kind !== "directory")
    throw new Fault("conflict", `${quotePath(path)} is a directory`, { hint: inside });
  if (isDirectoryPath(destination) && source.kind !== "directory") {
    const message = `${quotePath(path)} would not be a directory, but destination ends with /, . or ..`;
    throw new Fault("conflict", message, { hint: `Without that, it gets this name. ${inside}` });
  }
  if (!there || overwrite) return;
  throw new Fault("conflict", `${quotePath(path)} exists already`, {
    hint: isDirectory
      ? `${inside} overwrite replaces the whole directory.`
      : "Set overwrite to replace it, or choose another destination.",
  });
}

/** A file replaces a file atomically. Anything else at the destination goes to the trash first. */
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
