import { fromFileName, toPlace } from "../names.ts";
import type { Repository } from "../repository/repository.ts";
import { findEntry, joinBytes } from "../repository/small-file.ts";

/**
 * Which tracked files are no longer where their paths say, since a directory of theirs has become a link. To git they are
 * gone, except where it opens them by name: there it would read whatever the link leads to.
 */
export class BehindLinks {
  readonly #root: string;
  readonly #folders = new Map<string, boolean>();

  constructor({ root }: Pick<Repository, "root">) {
    this.#root = root;
  }

  /** A name as results show it. */
  has(name: string): boolean {
    return this.hasPath(fromFileName(name));
  }

  hasPath(path: Buffer): boolean {
    const end = path.lastIndexOf("/");
    return end > 0 && this.#isBehind(path.subarray(0, end));
  }

  #isBehind(folder: Buffer): boolean {
    const key = folder.toString("latin1");
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    const isLink = findEntry(joinBytes(this.#root, folder))?.isSymbolicLink() ?? false;
    const isBehind = isLink || this.hasPath(folder);
    this.#folders.set(key, isBehind);
    return isBehind;
  }
}

/** Git refuses to take those in that are gone, by their names. */
export function splitByLinks(
  repository: Pick<Repository, "root">,
  names: readonly string[],
): { readonly there: readonly string[]; readonly gone: readonly string[] } {
  const behindLinks = new BehindLinks(repository);
  const gone = names.filter((name) => behindLinks.has(name));
  return { there: gone.length === 0 ? names : names.filter((name) => !behindLinks.has(name)), gone };
}

/** Those that are regular files where their paths say. */
export const onDisk = (repository: Pick<Repository, "root">, names: readonly string[]): readonly string[] =>
  splitByLinks(repository, names).there.filter((name) => findEntry(toPlace(repository, name))?.isFile());

/** Takes names, each with a NUL after it, out of the index. */
export const FORCE_REMOVE: readonly string[] = ["update-index", "--force-remove", "-z", "--stdin"];
