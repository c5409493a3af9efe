import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { Fault, isWithin, type PathGuard, type SafePath } from "@suite/server-kit/domain";

import { openAt, openRepository, type RepositoryOptions, type Repository } from "./repository.ts";

/** A repository under the name that resources use for it. */
export interface NamedRepository {
  readonly name: string;
  readonly repository: Repository;
}

const DEEPEST = 3;
const MOST_DIRECTORIES = 5000;
const MOST_REPOSITORIES = 200;
const SKIPPED = new Set([".git", "node_modules"]);

/** Finds the repositories inside the boundary of a request. */
export class Repositories {
  readonly #options: RepositoryOptions;
  /** Directories that were named as repositories: nothing is searched below them. */
  readonly #named: ReadonlySet<string>;

  constructor(named: Iterable<string>, options: RepositoryOptions) {
    this.#named = new Set(named);
    this.#options = options;
  }

  /** Opens a repository by a path in it, by its name, or, if none is given, the only one there is. */
  open(guard: PathGuard, given: string | undefined): Repository {
    if (given === undefined) return this.#openOnly(guard);
    const isName = !/[/\\]/.test(given) && given !== "." && given !== "..";
    const found = isName && this.list(guard).find(({ name }) => name === given);
    return found ? found.repository : openRepository(guard, given, this.#options);
  }

  /** In the order of the roots. Names are those of directories, with a number if they repeat. */
  list(guard: PathGuard): readonly NamedRepository[] {
    const found: Repository[] = [];
    for (const root of guard.roots) this.#find(guard, root as SafePath, found);
    const names = new Map<string, number>();
    return found.map((repository) => {
      const name = basename(repository.root) || "root";
      const count = (names.get(name) ?? 0) + 1;
      names.set(name, count);
      return { name: count === 1 ? name : `${name}-${count}`, repository };
    });
  }

  nameOf(guard: PathGuard, { root }: Repository): string {
    return this.list(guard).find(({ repository }) => repository.root === root)?.name ?? root;
  }

  #openOnly(guard: PathGuard): Repository {
    const [only, ...others] = guard.roots;
    const repository =
      only !== undefined && others.length === 0 && openAt(guard, only as SafePath, this.#options);
    if (repository) return repository;
    const all = this.list(guard);
    const [first, second] = all;
    if (first && !second) return first.repository;
    throw new Fault(
      "invalid_input",
      all.length === 0
        ? "There is no repository here"
        : `Give repo_path: there are ${all.length} repositories`,
      { hint: all.length === 0 ? "git_init makes one." : "git_list_repositories shows them." },
    );
  }

  #find(guard: PathGuard, root: SafePath, found: Repository[]): void {
    const queue: { readonly path: SafePath; readonly depth: number }[] = [{ path: root, depth: 0 }];
    for (let count = 0; count < MOST_DIRECTORIES && found.length < MOST_REPOSITORIES; count += 1) {
      const next = queue.shift();
      if (!next) return;
      const repository = this.#openIfPossible(guard, next.path);
      if (repository && !found.some((other) => other.root === repository.root)) found.push(repository);
      if (repository || next.depth === DEEPEST || this.#named.has(next.path)) continue;
      for (const name of subdirectories(next.path)) {
        // Safe: the entry is a directory, not a link, so its path is its real path.
        const path = join(next.path, name) as SafePath;
        if (guard.roots.some((other) => isWithin(path, other))) queue.push({ path, depth: next.depth + 1 });
      }
    }
  }

  /** Ignores errors: opening the repository itself reports them. */
  #openIfPossible(guard: PathGuard, path: SafePath): Repository | undefined {
    try {
      return openAt(guard, path, this.#options);
    } catch {
      return undefined;
    }
  }
}

/** Without links, so that each is what its path says. */
function subdirectories(path: string): readonly string[] {
  try {
    if (!lstatSync(path).isDirectory()) return [];
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return [];
  }
}
