import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

import {
  refuseBelowFile,
  refuseChanged,
  refuseCircle,
  refuseLink,
  refuseOutside,
  toPathFault,
} from "./refusals.ts";
import type { EnteredPath, Roots } from "./roots.ts";

export type LinkPolicy = "inside" | "refuse";

/** As many as Linux follows. */
const MOST_LINKS = 40;

interface LinkWalk {
  readonly roots: Roots;
  /** What a refusal calls the whole path. */
  readonly given: string;
  readonly policy: LinkPolicy;
  current: string;
  /** Names still to go, the next one last. */
  readonly ahead: string[];
  links: number;
}

/** The path without links in it. Its end need not exist. Where it lies is for the caller to judge. */
export function resolveLinks(path: EnteredPath, given: string, policy: LinkPolicy, roots: Roots): string {
  const whole = join(path.root, path.rest);
  const real = toRealPath(whole);
  if (real === whole) return real;
  const walked = walkNames(path, given, policy, roots);
  // Where upper and lower case are one, only the system knows how a name is spelled.
  return real ?? walked;
}

/**
 * For paths with links in them, and those whose end is not there. It goes name by name and stops at the first step out of
 * the boundary, before it has learned anything about what is outside, be it that the way leads in again: links through a
 * directory that is there and through one that is not get the same answer.
 */
function walkNames(path: EnteredPath, given: string, policy: LinkPolicy, roots: Roots): string {
  const walk: LinkWalk = { roots, given, policy, current: path.root, ahead: [], links: 0 };
  enterRoot(walk, path);
  while (walk.ahead.length > 0) {
    const name = walk.ahead.pop() ?? "";
    if (name === "..") climb(walk);
    else step(walk, name);
  }
  return walk.current;
}

/** A root that became a link leads out, whatever comes after it. */
function enterRoot(walk: LinkWalk, { root, rest }: EnteredPath): void {
  if (!walk.roots.isInPlace(root)) throw refuseOutside(walk.given, walk.roots.real);
  walk.current = root;
  walk.ahead.push(...toNames(rest));
}

/** Last first, so that the next one is popped. */
const toNames = (path: string): string[] =>
  path
    .split(sep)
    .filter((name) => name !== "" && name !== ".")
    .toReversed();

function climb(walk: LinkWalk): void {
  walk.current = dirname(walk.current);
  if (walk.roots.judge(walk.current) === "outside") throw refuseOutside(walk.given, walk.roots.real);
}

function step(walk: LinkWalk, name: string): void {
  const next = join(walk.current, name);
  const found = lookAt(next, walk.given);
  if (found?.isSymbolicLink()) {
    followLink(walk, next);
    return;
  }
  if (found && !found.isDirectory() && walk.ahead.length > 0) throw refuseBelowFile(walk.given);
  // Below what is not there, nothing is: a path of thousands of names would be asked for thousands of times.
  const rest = found || walk.ahead.includes("..") ? [] : walk.ahead.splice(0).toReversed();
  walk.current = join(next, ...rest);
}

function lookAt(path: string, given: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw toPathFault(error, given);
  }
}

/** The names in a link are walked in their turn. */
function followLink(walk: LinkWalk, link: string): void {
  if (walk.policy === "refuse") throw refuseLink(walk.given, walk.roots.real);
  walk.links += 1;
  if (walk.links > MOST_LINKS) throw refuseCircle(walk.given);
  const target = readTarget(link, walk.given);
  if (!isAbsolute(target)) {
    walk.ahead.push(...toNames(target));
    return;
  }
  const entered = walk.roots.enter(target);
  if (!entered) throw refuseOutside(walk.given, walk.roots.real);
  enterRoot(walk, entered);
}

function toRealPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function readTarget(link: string, given: string): string {
  try {
    return readlinkSync(link);
  } catch {
    throw refuseChanged(given);
  }
}
