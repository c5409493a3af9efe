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

/** The limit of Linux. */
const MOST_LINKS = 40;

interface LinkWalk {
  readonly roots: Roots;
  /** The caller's path, for error messages. */
  readonly given: string;
  readonly policy: LinkPolicy;
  current: string;
  /** Names still to resolve, the next one last. */
  readonly ahead: string[];
  links: number;
}

/** Resolves all links. The end of the path need not exist. The caller checks whether the result is inside. */
export function resolveLinks(path: EnteredPath, given: string, policy: LinkPolicy, roots: Roots): string {
  const whole = join(path.root, path.rest);
  const real = toRealPath(whole);
  if (real === whole) return real;
  const walked = walkNames(path, given, policy, roots);
  // On a case-insensitive volume, only the system knows how a name is spelled. Of a missing path, the walk asks for what exists.
  return real ?? walked;
}

/**
 * For paths that contain links or do not exist. Resolves name by name and refuses the first step outside, even if the path
 * would come back in, and before it looks at anything outside: links through an existing and through a missing directory
 * get the same answer.
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

/** A root that was replaced with a link counts as outside, whatever follows. */
function enterRoot(walk: LinkWalk, { root, rest }: EnteredPath): void {
  if (!walk.roots.isInPlace(root)) throw refuseOutside(walk.given, walk.roots.real);
  walk.current = root;
  walk.ahead.push(...toNames(rest));
}

/** Reversed, so that the next name is popped. */
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
  // Nothing exists below a missing name: skip lstat for the rest, which may be thousands of names.
  const rest = found || walk.ahead.includes("..") ? [] : walk.ahead.splice(0).toReversed();
  walk.current = found ? next : join(toRealPath(walk.current) ?? walk.current, name, ...rest);
}

function lookAt(path: string, given: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw toPathFault(error, given);
  }
}

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
