import { sep } from "node:path";

import { Fault, isWithin, type PathGuard, type SafePath, toPathText } from "@suite/server-kit/domain";

import { toMissing } from "../reading/open.ts";
import type { Room } from "./room.ts";
import type { SkippedFields, WalkResult } from "./walk.ts";

/** Arguments of every walk that gives pages. */
export interface PageRequest {
  readonly path?: string | undefined;
  readonly respect_gitignore?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  readonly budget?: number | undefined;
}

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

/** How results show paths below a start. */
export interface ShownPaths {
  /** The allowed directory around the start. */
  readonly base: string;
  /** What stands before the path of an entry. */
  readonly prefix: string;
  /** For a path below the start. There may be very many, and `path.join` is slow. */
  readonly toShown: (path: string) => string;
}

/**
 * Relative to the allowed directory, which a result names once; a call takes them as they are. With several allowed
 * directories they are absolute: relative ones could be in any of them.
 */
export function showBelow({ roots }: PathGuard, start: string): ShownPaths {
  const base = roots.find((root) => isWithin(start, root)) ?? start;
  const whole = start.endsWith(sep) ? start : start + sep;
  const [root = ""] = roots;
  const isRelative = roots.length === 1 && isWithin(start, root);
  const prefix = toPathText(
    isRelative ? whole.slice(root.endsWith(sep) ? root.length : root.length + 1) : whole,
  );
  const toShown = fromBelow(prefix);
  return {
    base: toPathText(base),
    prefix,
    toShown: (path) => toShown(toPathText(path)).replace(MISREAD, "./$&"),
  };
}

/** What whole paths are shown relative to: the allowed directory, if there is only one. */
export const baseOf = ({ roots }: PathGuard): string | undefined =>
  roots.length === 1 ? toPathText(roots[0] ?? "") : undefined;

/** A whole path in a result that names the base. */
export const fromBase = (base: string | undefined, path: string): string =>
  base === undefined
    ? path
    : path.slice(base.endsWith(sep) ? base.length : base.length + 1).replace(MISREAD, "./$&");

/** A path that begins so is refused, as it may mean a home directory. */
const MISREAD = /^~(?=[/\\]|$)/;

/** Gives paths below a directory, or a relative prefix that ends in a separator. */
export function fromBelow(start: string): (path: string) => string {
  const base = start === "" || start.endsWith(sep) ? start : start + sep;
  return sep === "/" ? (path) => base + path : (path) => base + path.replaceAll("/", sep);
}

/** Part of the result of every walk. */
export interface WalkReport extends SkippedFields {
  /** Number of entries, in the range of this page, that git ignores. Those below an ignored directory are not counted. */
  readonly ignored?: number;
  /** The other allowed directories, if no path chose one. */
  readonly also_allowed?: string[];
}

/** `path` is the caller's, which was located as `start`. */
export interface WalkStart {
  readonly guard: PathGuard;
  readonly path: string;
  readonly start: SafePath;
}

export function toReport(
  { guard, path, start }: WalkStart,
  { ignored, skipped }: Pick<WalkResult, "ignored" | "skipped">,
  room: Room,
  prefix = "",
): WalkReport {
  const others = path === "." ? guard.roots.filter((root) => !isWithin(root, start)) : [];
  const named = others.map(toPathText).filter((root) => room.take(root));
  return {
    ...(ignored > 0 && { ignored }),
    ...(named.length > 0 && { also_allowed: named }),
    ...skipped.toFields((entry) => room.take(entry), prefix),
  };
}
