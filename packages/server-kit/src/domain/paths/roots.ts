import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { platform } from "node:os";
import { isAbsolute, join, parse, resolve, sep } from "node:path";
import { codeOf } from "../errors/code-of.ts";
import { Fault } from "../errors/fault.ts";
import { quoteGiven } from "./path-text.ts";
import { toPathFault } from "./refusals.ts";

/** A path split into its root's real path and the rest. */
export interface EnteredPath {
  readonly root: string;
  readonly rest: string;
}

const IS_WINDOWS = platform() === "win32";

/** Reads here may never end, and writes change the running system. Allowed only if a root lies inside one of them. */
const KERNEL = IS_WINDOWS ? [] : ["/proc", "/sys", "/dev"];

/**
 * The allowed directories. Their real paths are determined once, at the start, so replacing a root with a link later does not
 * move the boundary. A root that does not exist yet counts as the path where it would be created.
 */
export class Roots {
  readonly real: readonly string[];
  /** Spellings of the roots, longest first, so the innermost root matches. */
  readonly #spellings: readonly { readonly written: string; readonly real: string }[];

  constructor(given: readonly string[]) {
    const located = given.map(locateRoot);
    this.real = [...new Set(located.map(({ real }) => real))];
    this.#spellings = [...located, ...this.real.map((real) => ({ written: real, real }))].toSorted(
      (a, b) => b.written.length - a.written.length,
    );
  }

  /** Compares text only, without touching the disk. */
  enter(path: string): EnteredPath | undefined {
    const found = this.#spellings.find(({ written }) => isWithin(path, written));
    return found && { root: found.real, rest: path.slice(found.written.length) };
  }

  /** Whether a root's real path is unchanged: neither it nor a directory above it became a link. */
  isInPlace(root: string): boolean {
    try {
      return realPathOf(root) === root;
    } catch {
      return false;
    }
  }

  /** The path must already be free of links. */
  judge(real: string): "inside" | "outside" | "kernel" {
    // Exactly, also on Windows: a directory there may heed case, and a real path is spelled as on the disk.
    const around = this.real.filter((root) => isExactlyWithin(real, root));
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
  // U+FFFD replaces bytes that are not valid UTF-8: several directories could have this spelling.
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
 * The real path of something that need not exist: that of the deepest existing directory, and the rest as written.
 * Follows links anywhere, so use it only for the operator's paths.
 */
function realPathOf(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || links > MOST_LINKS) throw error;
    const { root } = parse(path);
    const names = path.slice(root.length).split(sep);
    const missing = countExisting(root, names);
    // Created meanwhile.
    if (missing === names.length) return realPathOf(path, links + 1);
    const parent = realpathSync.native(join(root, ...names.slice(0, missing)));
    const entry = join(parent, names[missing] ?? "");
    const rest = names.slice(missing + 1);
    const isLink = lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isLink
      ? realPathOf(resolve(parent, readlinkSync(entry), ...rest), links + 1)
      : join(entry, ...rest);
  }
}

/** How many of the names exist, from the top. Bisects them: a path may have thousands of names, and each look walks them all. */
function countExisting(root: string, names: readonly string[]): number {
  let [least, most] = [0, names.length];
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (existsSync(join(root, ...names.slice(0, middle)))) least = middle;
    else most = middle - 1;
  }
  return least;
}

/** Letter by letter: of some, the small form is longer, and the text must stay as long as it was. */
function toLowerCase(path: string): string {
  const lower = path.toLowerCase();
  if (lower.length === path.length) return lower;
  return Array.from(path, (letter) =>
    letter.toLowerCase().length > letter.length ? letter : letter.toLowerCase(),
  ).join("");
}

/**
 * Whether a path is a directory or below it: `/root-evil` is not in `/root`. Both absolute. Windows ignores case in what is
 * written. Elsewhere it depends on the volume, so paths are compared exactly: real paths have the spelling that is on the
 * disk.
 */
export const isWithin = (path: string, directory: string, isOnWindows: boolean = IS_WINDOWS): boolean =>
  isOnWindows
    ? isExactlyWithin(toLowerCase(path), toLowerCase(directory), "\\")
    : isExactlyWithin(path, directory);

function isExactlyWithin(inner: string, outer: string, separator: string = sep): boolean {
  // Many times faster than `startsWith` for long paths, and every path is compared with every root.
  if (inner.slice(0, outer.length) !== outer) return false;
  if (inner.length === outer.length || outer.endsWith(separator)) return true;
  return inner.startsWith(separator, outer.length);
}

/** The outermost root that contains the path; undefined if none does. */
export const outermostRoot = (roots: readonly string[], path: string): string | undefined =>
  roots.filter((root) => isWithin(path, root)).toSorted((a, b) => a.length - b.length)[0];
