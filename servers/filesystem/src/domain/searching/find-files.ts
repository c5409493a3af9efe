import {
  fromCursor,
  type PageEnd,
  type PathGuard,
  type StopSignal,
  toPageEnd,
} from "@suite/server-kit/domain";

import { parseExcludes, parseGlob } from "../walking/globs/glob.ts";
import { fromStart, toReport, toShownBelow, type WalkReport } from "../walking/start.ts";
import { walk } from "../walking/walk.ts";

export interface FindRequest {
  readonly path: string;
  readonly pattern: string;
  readonly excludePatterns?: readonly string[] | undefined;
  readonly respect_gitignore?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface FoundPage extends PageEnd, WalkReport {
  readonly path: string;
  /** Absolute; directories end with a slash. */
  readonly matches: string[];
}

const DEFAULT_LIMIT = 1000;

/** Files and directories whose names or paths fit a glob, page by page. */
export async function findFiles(
  guard: PathGuard,
  request: FindRequest,
  { signal, onProgress }: { signal: StopSignal; onProgress?: (seen: number) => void },
): Promise<FoundPage> {
  const { path, pattern, excludePatterns = [], respect_gitignore: respectIgnore = true } = request;
  const { limit = DEFAULT_LIMIT, cursor } = request;
  const about = { find: path, pattern, excludePatterns, respectIgnore };
  const after = fromCursor<string>(cursor, about);
  const [test, exclude] = [parseGlob(pattern), parseExcludes(excludePatterns)];
  return fromStart(guard, path, async (start) => {
    const toAbsolute = toShownBelow(guard, start);
    const matches: string[] = [];
    let last: string | undefined;
    const options = { signal, onProgress, respectIgnore, exclude, after };
    const result = await walk(guard, start, options, ({ name, kind, path: found }) => {
      const isDirectory = kind === "directory";
      if (!test(found, name, isDirectory)) return undefined;
      if (matches.length === limit) return "stop";
      matches.push(toAbsolute(found) + (isDirectory ? "/" : ""));
      last = found;
      return undefined;
    });
    return {
      path: guard.display(start),
      matches,
      ...toPageEnd(result.isStopped, last, about),
      ...toReport(result.skipped),
    };
  });
}
