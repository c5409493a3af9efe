import type { PathGuard, SafePath } from "@suite/server-kit/domain";

/** Closes something after the work with it; if the work returns a promise, once that is settled. */
export function closing<Open extends { close(): void }, T>(open: Open, work: (open: Open) => T): T {
  let isPending = false;
  try {
    const result = work(open);
    if (!(result instanceof Promise)) return result;
    isPending = true;
    return result.finally(() => open.close()) as T;
  } finally {
    if (!isPending) open.close();
  }
}

/** Runs work on an entry, existing or not, while its directory is held open. */
export function withEntry<T>(guard: PathGuard, path: SafePath, work: (at: string) => T): T {
  const { directory, name } = guard.holdParent(path);
  return closing(directory, () => work(directory.at(name)));
}
