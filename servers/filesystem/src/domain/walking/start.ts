import { sep } from "node:path";

import { Fault, type PathGuard, type SafePath, toPathText } from "@suite/server-kit/domain";

import { toMissing } from "../reading/open.ts";
import type { Room } from "./room.ts";
import type { Skipped, SkippedList } from "./walk.ts";

/** Runs a walk from a caller's path. If it does not exist, the fault suggests a similar name. */
export async function fromStart<T>(
  guard: PathGuard,
  given: string,
  work: (start: SafePath) => Promise<T>,
): Promise<T> {
  const start = guard.locate(given);
  try {
    return await work(start);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "not_found") throw toMissing(guard, start);
    throw thrown;
  }
}

/** Makes paths below a start absolute. There may be very many, and `path.join` is slow. */
export const toShownBelow = (guard: PathGuard, start: string): ((path: string) => string) => {
  const toAbsolute = fromBelow(guard.display(start));
  return (path) => toAbsolute(toPathText(path));
};

export function fromBelow(start: string): (path: string) => string {
  const base = start.endsWith(sep) ? start : start + sep;
  return sep === "/" ? (path) => base + path : (path) => base + path.replaceAll("/", sep);
}

/** Part of the result of every walk. */
export interface WalkReport {
  /** The first entries that could not be read. */
  readonly skipped?: Skipped[];
  /** Their total number, if larger. */
  readonly skipped_total?: number;
}

export function toReport({ listed, total }: SkippedList, room: Room): WalkReport {
  if (total === 0) return {};
  const skipped = listed.filter((entry) => room.take(entry));
  return { skipped, ...(total > skipped.length && { skipped_total: total }) };
}
