import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

import { isWithin } from "@suite/server-kit/domain";
import { attempt } from "../attempt.ts";

/** A name in a directory; without a name, all names in it. */
export interface WatchPoint {
  readonly directory: string;
  readonly name: string | undefined;
}

/** The limit of Linux. */
const MOST_LINKS = 40;

/**
 * Everything inside the roots that determines what a path leads to: each name on the way, also through links, and all names
 * in the directory it leads to, if it does. Stops at a missing name, which is watched until it appears, and at a link that
 * leads outside.
 */
export function findWatchPoints(roots: readonly string[], path: string): WatchPoint[] {
  const points: WatchPoint[] = [];
  const { start, ahead } = toSteps(path);
  let current = start;
  let links = 0;
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const next = name === ".." ? dirname(current) : join(current, name);
    if (isInside(roots, current)) points.push({ directory: current, name });
    const kind = kindOf(next);
    if (kind === "link") {
      // Empty if it was replaced meanwhile: its directory will report that.
      const target = attempt(() => readlinkSync(next)) ?? "";
      links += 1;
      const leadsOut = points.length > 0 && !isInside(roots, resolve(current, target));
      if (leadsOut || links > MOST_LINKS) return points;
      const steps = toSteps(target);
      ahead.push(...steps.ahead);
      if (isAbsolute(target)) current = steps.start;
      continue;
    }
    // The parent of a root may not be watched: watch the missing root itself.
    if (kind === "missing" && roots.includes(next)) points.push({ directory: next, name: undefined });
    if (kind !== "directory") return points;
    current = next;
  }
  if (isInside(roots, current)) points.push({ directory: current, name: undefined });
  return points;
}

/** The root of an absolute path, and its names, the next one last. */
function toSteps(path: string): { start: string; ahead: string[] } {
  const { root } = parse(path);
  const names = path.slice(root.length).split(sep);
  return { start: root, ahead: names.filter((name) => name !== "" && name !== ".").toReversed() };
}

const isInside = (roots: readonly string[], path: string): boolean =>
  roots.some((root) => isWithin(path, root));

function kindOf(path: string): "link" | "directory" | "other" | "missing" {
  const stats = findStats(path);
  if (!stats) return "missing";
  if (stats.isSymbolicLink()) return "link";
  return stats.isDirectory() ? "directory" : "other";
}

/** undefined if nothing exists there, or it cannot be known. */
export const findStats = (path: string): BigIntStats | undefined =>
  attempt(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
