import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { platform } from "node:os";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { codeOf } from "../errors/code-of.ts";
import { Fault } from "../errors/fault.ts";
import { quoteGiven } from "./path-text.ts";
import { toPathFault } from "./refusals.ts";

/** A path that is written with a root in front: the root's real path, and what follows it. */
export interface EnteredPath {
  readonly root: string;
  readonly rest: string;
}

const IS_WINDOWS = platform() === "win32";

/** Where a read may never end and a write changes the running system. Served only to whoever names a root in them. */
const KERNEL = IS_WINDOWS ? [] : ["/proc", "/sys", "/dev"];

/**
 * The boundary. It is drawn once, at the start: a root's real path then is what counts until the end, so that nobody
 * moves the boundary by putting a link in a root's place. A root that is not there yet counts where it would be made.
 */
export class Roots {
  readonly real: readonly string[];
  /** Ways to write a root, longest first: the nearest one is meant. */
  readonly #spellings: readonly { readonly written: string; readonly real: string }[];

  constructor(given: readonly string[]) {
    const located = given.map(locateRoot);
    this.real = [...new Set(located.map(({ real }) => real))];
    this.#spellings = [...located, ...this.real.map((real) => ({ written: real, real }))].toSorted(
      (a, b) => b.written.length - a.written.length,
    );
  }

  /** Goes by the text alone. */
  enter(path: string): EnteredPath | undefined {
    const found = this.#spellings.find(({ written }) => isWithin(path, written));
    return found && { root: found.real, rest: path.slice(found.written.length) };
  }

  /** Whether a root is still where it was: neither it nor a directory above it became a link. */
  isInPlace(root: string): boolean {
    try {
      return realPathOf(root) === root;
    } catch {
      return false;
    }
  }

  /** For paths without links in them. */
  judge(real: string): "inside" | "outside" | "kernel" {
    const around = this.real.filter((root) => isWithin(real, root));
    if (around.length === 0) return "outside";
    const kernel = KERNEL.find((directory) => isWithin(real, directory));
    return kernel === undefined || around.some((root) => isWithin(root, kernel)) ? "inside" : "kernel";
  }
}

function locateRoot(given: string): { readonly written: string; readonly real: string } {
  if (!isAbsolute(given) || given.includes("\0")) {
    throw new Fault("invalid_input", `The root ${quoteGiven(given)} is not an absolute path`);
  }
  const written = resolve(given);
  const real = resolveRoot(written);
  // It stands for bytes that are not text, so for more than one directory.
  if (real.includes("\uFFFD")) {
    throw new Fault("unsupported", `The path of the root ${quoteGiven(given)} is not valid UTF-8`);
  }
  return { written, real };
}

function resolveRoot(root: string): string {
  try {
    return realPathOf(root);
  } catch (error) {
    throw toPathFault(error, root);
  }
}

const MOST_LINKS = 40;

/**
 * The real path of something that need not exist: that of the deepest directory that does, and the rest as written.
 * It follows links wherever they lead, so it is for the operator's paths only.
 */
function realPathOf(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || links > MOST_LINKS || path === dirname(path)) throw error;
    const parent = realPathOf(dirname(path), links);
    const entry = join(parent, basename(path));
    const isLink = lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink ? realPathOf(resolve(parent, readlinkSync(entry)), links + 1) : entry;
  }
}

/**
 * Windows takes two cases for one name everywhere. Elsewhere it depends on the volume, so only the spelling counts: real
 * paths have the one that is on the disk.
 */
const fold = platform() === "win32" ? (path: string): string => path.toLowerCase() : (path: string) => path;

/** Whether a path is a directory or below it: `/root-evil` is not in `/root`. Both absolute. */
export function isWithin(path: string, directory: string): boolean {
  const [inner, outer] = [fold(path), fold(directory)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** The root around a path that no other root around it lies above; undefined if the path is in none of them. */
export const outermostRoot = (roots: readonly string[], path: string): string | undefined =>
  roots.filter((root) => isWithin(path, root)).toSorted((a, b) => a.length - b.length)[0];
