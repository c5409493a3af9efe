import { sep } from "node:path";
import { type PathGuard, toPathText } from "@suite/server-kit/domain";
import { attempt } from "../attempt.ts";
import { toFileUri, toUriPath } from "../uris.ts";
import type { NamedEntry } from "../walking/read-entries.ts";
import { lookInto, resolveKind } from "./visible-entries.ts";

export interface CompletionOptions {
  /** Leave out files. */
  readonly directoriesOnly?: boolean;
}

export interface PathCompletions {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

/** The protocol's limit for a completion. */
const MOST_VALUES = 100;
const URI_START = "file:///";

/**
 * Completes a path: names in the directory typed so far, and roots that start with the typed text. Directories end with a
 * slash. Hidden names are offered only after a typed dot, as in shells.
 */
export function completePath(
  guard: PathGuard,
  typed: string,
  options: CompletionOptions = {},
): PathCompletions {
  const { roots, names } = findCompletions(guard, typed, options);
  return toCompletions([...roots.map(toPathText), ...names.map((name) => headOf(typed) + toPathText(name))]);
}

/** The same for the part of a URI after `file:///`: an absolute path with percent-encoded names. */
export function completeUriPath(guard: PathGuard, typed: string): PathCompletions {
  const decoded = decode(typed);
  const path = sep === "/" ? `/${decoded}` : decoded;
  const { roots, names } = findCompletions(guard, path, {});
  return toCompletions([
    ...roots.map((root) => `${toFileUri(root).slice(URI_START.length)}/`),
    // On Windows, what has no directory yet can only become a root.
    ...(headOf(path) === "" ? [] : names).map((name) => headOf(typed) + toUriPath(name)),
  ]);
}

interface Found {
  readonly roots: readonly string[];
  /** To be appended to the typed directory. */
  readonly names: readonly string[];
}

function findCompletions(
  guard: PathGuard,
  typed: string,
  { directoriesOnly = false }: CompletionOptions,
): Found {
  const head = headOf(typed);
  const prefix = typed.slice(head.length);
  const roots = guard.roots.map(withSlash).filter((root) => {
    const spelled = toSlashes(root);
    return spelled !== toSlashes(typed) && spelled.startsWith(toSlashes(typed));
  });
  const names: string[] = [];
  // A relative path may start in any of the roots.
  for (const directory of head === "" ? guard.roots : [head]) {
    const looked = lookInto(guard, directory);
    for (const entry of entriesLike(prefix, looked?.entries ?? [])) {
      if (!looked || names.length > MOST_VALUES) break;
      const kind = resolveKind(guard, looked.path, entry);
      if (kind === "directory") names.push(`${entry.name}/`);
      else if (kind === "file" && !directoriesOnly) names.push(entry.name);
    }
  }
  return { roots, names };
}

function entriesLike(prefix: string, entries: readonly NamedEntry[]): readonly NamedEntry[] {
  const shown = entries.filter(({ name }) => prefix.startsWith(".") || !name.startsWith("."));
  const exact = shown.filter(({ name }) => name.startsWith(prefix));
  if (exact.length > 0) return exact;
  return shown.filter(({ name }) => name.toLowerCase().startsWith(prefix.toLowerCase()));
}

function toCompletions(found: readonly string[]): PathCompletions {
  const values = [...new Set(found)];
  return { values: values.slice(0, MOST_VALUES), hasMore: values.length > MOST_VALUES };
}

/** Up to the last slash. */
const headOf = (typed: string): string => typed.slice(0, toSlashes(typed).lastIndexOf("/") + 1);
const toSlashes = (path: string): string => (sep === "/" ? path : path.replaceAll(sep, "/"));
const withSlash = (path: string): string => (path.endsWith(sep) ? path : path + sep);

/** The text may end within a percent escape: then it is returned as it is. */
const decode = (typed: string): string => attempt(() => decodeURIComponent(typed)) ?? typed;
