import { lstatSync } from "node:fs";
import { platform } from "node:os";
import { basename, dirname, join, resolve, sep } from "node:path";

import { Fault } from "../errors/fault.ts";
import { type PathRules, requireInside, requireUnprotected, type SafePath } from "./path-rules.ts";
import { hasDescriptorPaths } from "./descriptor-path.ts";
import { type HeldDirectory, holdDirectory, walkDirectory } from "./held-directory.ts";
import { parsePath } from "./lexical.ts";
import type { WalkedDirectory } from "./open-directory.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import { fromPathText, quotePath } from "./path-text.ts";
import { refuseOutside } from "./refusals.ts";
import { type LinkPolicy, resolveLinks } from "./resolve-links.ts";
import { type EnteredPath, Roots } from "./roots.ts";

/** For `PathGuard`: the operator's choices, none of which a call can change. */
export interface PathGuardOptions {
  /** Absolute. A link counts as its current target; a missing root as the path where it would be created. */
  readonly roots: readonly string[];
  /** Symbolic links below the roots: followed if they stay inside (default), or never. */
  readonly links?: LinkPolicy;
  /** Returns a reason to refuse writing to a path, or undefined. Called with the real path, after links. */
  readonly protect?: (path: SafePath) => string | undefined;
}

/** What a path is located for. */
export interface LocateOptions {
  /** "write" calls `protect`. Default: "read". */
  readonly intent?: "read" | "write";
  /** false: do not follow the last name if it is a link; to remove, move, or describe the link itself. Default: true. */
  readonly follow?: boolean;
}

/**
 * The only way from a caller's path to the disk.
 *
 * `locate` resolves a path and refuses it if it leaves the roots; it need not exist. A dangling link resolves to its
 * target: inside, writing creates it; outside, it is refused. `openFile`, `holdDirectory` and `holdParent` then open the
 * path and check what was opened, because the disk may have changed in between. Everything is synchronous, and nothing about
 * the disk is cached except the roots' real paths.
 *
 * It cannot detect other hard links of a file (`OpenFile.stats.nlink`) or what is mounted inside a root.
 */
export class PathGuard {
  /** Real. */
  readonly roots: readonly string[];
  readonly #rules: PathRules;
  readonly #links: LinkPolicy;

  constructor({ roots, links = "inside", protect = () => undefined }: PathGuardOptions) {
    this.#rules = {
      roots: new Roots(roots),
      // The cast is safe: requireInside runs first, so `protect` only gets paths inside.
      protect: protect as PathRules["protect"],
      hasDescriptorPaths: hasDescriptorPaths(),
    };
    this.#links = links;
    this.roots = this.#rules.roots.real;
  }

  /**
   * Locates a caller's path; also accepts the form that results use (see path-text.ts). Absolute paths and file: URIs are
   * taken as they are. Relative ones start at the root; with several roots, at the only one where the path exists, else at
   * the first.
   */
  locate(text: string, options: LocateOptions = {}): SafePath {
    return this.locateExact(fromPathText(text), options);
  }

  /** The same for a path from the disk: escapes as in path-text.ts are not decoded. */
  locateExact(given: string, { intent = "read", follow = true }: LocateOptions = {}): SafePath {
    const { isAbsolute, path } = parsePath(given, platform());
    const whole = isAbsolute ? path : resolve(this.#chooseRoot(path, given, follow), path);
    const real = this.#resolve(whole, given, follow);
    if (intent === "write") requireUnprotected(real, given, this.#rules);
    return real as SafePath;
  }

  /** Opens for reading. Writes go through `holdParent`. */
  openFile(path: SafePath): OpenFile {
    return openFile(path, this.#rules);
  }

  holdDirectory(path: SafePath): HeldDirectory {
    return holdDirectory(path, this.#rules);
  }

  /** For walking a tree: as fast as is safe. */
  walkDirectory(path: SafePath): WalkedDirectory {
    return walkDirectory(path, this.#rules);
  }

  /** To create, replace, move or remove the entry `directory.at(name)`. Locate the path with intent "write" first. */
  holdParent(path: SafePath): { readonly directory: HeldDirectory; readonly name: string } {
    if (this.roots.includes(path)) {
      const message = `${quotePath(path)} is itself an allowed directory and cannot be changed`;
      throw new Fault("permission_denied", message, { hint: "Name something inside it." });
    }
    return { directory: this.holdDirectory(dirname(path) as SafePath), name: basename(path) };
  }

  #resolve(path: string, given: string, follow: boolean): string {
    const entered = this.#rules.roots.enter(path);
    // The disk is not touched for a path that does not start inside.
    if (!entered) throw refuseOutside(given, this.roots);
    const isRoot = entered.rest === "";
    const real = follow || isRoot ? this.#follow(entered, given) : this.#followParent(entered, given);
    requireInside(real, given, this.#rules);
    return real;
  }

  #follow(path: EnteredPath, given: string): string {
    return resolveLinks(path, given, this.#links, this.#rules.roots);
  }

  #followParent({ root, rest }: EnteredPath, given: string): string {
    const parent = dirname(rest);
    // A root with a trailing separator would be mistaken for a path with links.
    const real = this.#follow({ root, rest: parent === sep ? "" : parent }, given);
    return join(real, basename(rest));
  }

  #chooseRoot(path: string, given: string, follow: boolean): string {
    const [first, ...others] = this.roots;
    if (first === undefined) throw refuseOutside(given, this.roots);
    if (others.length === 0) return first;
    const claims = this.roots.filter((root) => this.#isClaimed(resolve(root, path), given, follow));
    return claims.length === 1 ? (claims[0] ?? first) : first;
  }

  /** A refused path counts as existing: the choice of a root must not reveal whether something exists outside. */
  #isClaimed(path: string, given: string, follow: boolean): boolean {
    try {
      return lstatSync(this.#resolve(path, given, follow), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  }
}
