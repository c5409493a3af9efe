import { platform } from "node:os";
import { isAbsolute, resolve } from "node:path";

import { Fault } from "../errors/fault.ts";
import { isWithin } from "./containment.ts";
import { quoteGiven } from "./path-text.ts";
import { toPathFault } from "./refusals.ts";
import { settlePath } from "./settle-path.ts";

/** A path that is written with a root in front: the root's real path, and what follows it. */
export interface EnteredPath {
  readonly root: string;
  readonly rest: string;
}

const IS_WINDOWS = platform() === "win32";

/** Where reading may wait for ever and writing works the machine. Served only to whoever names a root in them. */
const KERNEL = IS_WINDOWS ? [] : ["/proc", "/sys", "/dev"];

/**
 * The boundary. It is settled once, at the start: a root's real path then is what counts until the end, so that nobody
 * moves the boundary by putting a link in a root's place. A root that is not there yet counts where it would be made.
 */
export class Roots {
  readonly real: readonly string[];
  /** Ways to write a root, longest first: the nearest one is meant. */
  readonly #spellings: readonly { readonly written: string; readonly real: string }[];

  constructor(given: readonly string[]) {
    const settled = given.map(settleRoot);
    this.real = [...new Set(settled.map(({ real }) => real))];
    this.#spellings = [...settled, ...this.real.map((real) => ({ written: real, real }))].toSorted(
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
      return settlePath(root) === root;
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

function settleRoot(given: string): { readonly written: string; readonly real: string } {
  if (!isAbsolute(given) || given.includes("\0")) {
    throw new Fault("invalid_input", `The root ${quoteGiven(given)} is not an absolute path`);
  }
  const written = resolve(given);
  const real = settle(written);
  // It stands for bytes that are no text, so for more than one directory.
  if (real.includes("\uFFFD")) {
    throw new Fault("unsupported", `The path of the root ${quoteGiven(given)} is not valid UTF-8`);
  }
  return { written, real };
}

function settle(root: string): string {
  try {
    return settlePath(root);
  } catch (error) {
    throw toPathFault(error, root);
  }
}
