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
import { fromPathText, quotePath, toPathText } from "./path-text.ts";
import { refuseOutside } from "./refusals.ts";
import { type LinkPolicy, resolveLinks } from "./resolve-links.ts";
import { type EnteredPath, Roots } from "./roots.ts";

export interface PathGuardOptions {
  /** Absolute. A link counts as what it leads to now; what is not there yet, as the place where it would be made. */
  readonly roots: readonly string[];
  /** Symbolic links below the roots: followed where they stay inside (default), or never. */
  readonly links?: LinkPolicy;
  /** Writing there is refused for the reason that this gives. Asked with the real path, after links. */
  readonly protect?: (path: SafePath) => string | undefined;
}

export interface LocateOptions {
  /** "write" asks `protect`. Default: "read". */
  readonly intent?: "read" | "write";
  /** false: the last name itself, be it a link; to remove, move, or describe it. Default: true. */
  readonly follow?: boolean;
}

/**
 * The one way from a path that a caller gave to something on the disk.
 *
 * `locate` says where a path leads and refuses what leads out; nothing needs to exist. A dangling link leads to its
 * target: inside, writing creates that; outside, it is refused. `openFile`, `holdDirectory` and `holdParent` then open, and
 * check what was opened, because the disk may have changed in between. All of it is synchronous, and nothing about
 * the disk is remembered, save where the roots were at the start.
 *
 * It cannot see where else a file has a name (`OpenFile.stats.nlink`), or what is mounted inside a root.
 */
export class PathGuard {
  /** Real. */
  readonly roots: readonly string[];
  readonly #rules: PathRules;
  readonly #links: LinkPolicy;

  constructor({ roots, links = "inside", protect = () => undefined }: PathGuardOptions) {
    this.#rules = {
      roots: new Roots(roots),
      // It is asked about paths that lie inside: requireInside comes first.
      protect: protect as PathRules["protect"],
      hasDescriptorPaths: hasDescriptorPaths(),
    };
    this.#links = links;
    this.roots = this.#rules.roots.real;
  }

  /**
   * A path from a caller, as results write it too (see path-text.ts). Absolute paths and file: URIs are taken as they are. Relative ones start at the root; with several roots, at the
   * only one that has something at that path, else at the first.
   */
  locate(text: string, options: LocateOptions = {}): SafePath {
    return this.locateExact(fromPathText(text), options);
  }

  /** The same for a path that came from the disk: nothing in it stands for anything else. */
  locateExact(given: string, { intent = "read", follow = true }: LocateOptions = {}): SafePath {
    const { isAbsolute, path } = parsePath(given, platform());
    const whole = isAbsolute ? path : resolve(this.#chooseRoot(path, given, follow), path);
    const real = this.#resolve(whole, given, follow);
    if (intent === "write") requireUnprotected(real, given, this.#rules);
    return real as SafePath;
  }

  /** To read. What writes goes through `holdParent`. */
  openFile(path: SafePath): OpenFile {
    return openFile(path, this.#rules);
  }

  holdDirectory(path: SafePath): HeldDirectory {
    return holdDirectory(path, this.#rules);
  }

  /** To go down from it, as fast as that is safe. */
  walkDirectory(path: SafePath): WalkedDirectory {
    return walkDirectory(path, this.#rules);
  }

  /** To create, replace, move or remove an entry: `directory.at(name)`. The path was located with intent "write". */
  holdParent(path: SafePath): { readonly directory: HeldDirectory; readonly name: string } {
    if (this.roots.includes(path)) {
      const message = `${quotePath(path)} is itself an allowed directory, and stays as it is`;
      throw new Fault("permission_denied", message, { hint: "Name something inside it." });
    }
    return { directory: this.holdDirectory(dirname(path) as SafePath), name: basename(path) };
  }

  /** How results write a path: `locate` takes it back. */
  display(path: string): string {
    return toPathText(path);
  }

  #resolve(path: string, given: string, follow: boolean): string {
    const entered = this.#rules.roots.enter(path);
    // The disk is not asked about a path that does not even start inside.
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
    // With a separator at its end, the root would be taken for a path with links in it.
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

  /** A refusal is a claim as well: whether something is there outside must not show in the choice of a root. */
  #isClaimed(path: string, given: string, follow: boolean): boolean {
    try {
      return lstatSync(this.#resolve(path, given, follow), { throwIfNoEntry: false }) !== undefined;
    } catch {
      return true;
    }
  }
}
