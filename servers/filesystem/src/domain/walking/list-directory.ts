import { type PageEnd, type PathGuard, type StopSignal, toPathText } from "@suite/server-kit/domain";

import { fromWalkEnd, toWalkEnd } from "./landmark.ts";
import { Room } from "./room.ts";
import type { Kind } from "./read-entries.ts";
import { fromStart, type PageRequest, toReport, type WalkReport } from "./start.ts";
import { walk } from "./walk.ts";

export interface DirectoryPage extends PageEnd, WalkReport {
  readonly path: string;
  readonly entries: { readonly name: string; readonly type: Kind }[];
}

const DEFAULT_LIMIT = 1000;
/** Size of an entry's other fields in a result, besides its name and kind. */
const FIELDS = '{"name":,"type":""}'.length;

/** One directory, page by page. */
export async function listDirectory(
  guard: PathGuard,
  request: PageRequest,
  signal: StopSignal,
): Promise<DirectoryPage> {
  const { path = ".", respect_gitignore: respectIgnore = true, limit = DEFAULT_LIMIT, cursor } = request;
  const about = { list: path, respectIgnore };
  const entries: { name: string; type: Kind }[] = [];
  let last: string | undefined;
  return fromStart(guard, path, async (start) => {
    const room = new Room(request.budget, toPathText(start));
    const after = fromWalkEnd(guard, start, cursor, about);
    const result = await walk(guard, start, { signal, respectIgnore, depth: 1, after }, ({ name, kind }) => {
      const shown = toPathText(name);
      if (entries.length === limit || !room.take(shown, FIELDS + kind.length)) return "stop";
      entries.push({ name: shown, type: kind });
      last = name;
      return undefined;
    });
    return {
      path: toPathText(start),
      entries,
      ...toWalkEnd(result.isStopped, last, about),
      ...toReport({ guard, path, start }, result, room),
    };
  });
}
