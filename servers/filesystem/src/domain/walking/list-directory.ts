import {
  type PageEnd,
  type PathGuard,
  type SafePath,
  type StopSignal,
  TimeSlices,
  toPathText,
} from "@suite/server-kit/domain";

import { isReservedName } from "../reserved-names.ts";
import { readRulesAbove } from "./ignoring/ignore-rules.ts";
import { REPOSITORY } from "./ignoring/rule-list.ts";
import { fromWalkEnd, toWalkEnd } from "./landmark.ts";
import {
  compareNames,
  type EntryLists,
  LISTS,
  type NamedEntry,
  readEntries,
  WHY_BROKEN,
} from "./read-entries.ts";
import { Room } from "./room.ts";
import { fromStart, type PageRequest, toReport, type WalkReport } from "./start.ts";
import { SkippedList } from "./walk.ts";

export interface DirectoryPage extends EntryLists, PageEnd, WalkReport {
  readonly path: string;
  /** In the whole directory, not only on this page. */
  readonly total: number;
}

const DEFAULT_LIMIT = 1000;
/** The size of a label in the text, which the structured view does not have. */
const LABEL = "[OTHER] ".length;

/** One directory, page by page. Not a walk of one level: that takes twice as long for each entry. */
export async function listDirectory(
  guard: PathGuard,
  request: PageRequest,
  signal: StopSignal,
): Promise<DirectoryPage> {
  const { path = ".", respect_gitignore: respectIgnore = true, limit = DEFAULT_LIMIT, cursor } = request;
  const about = { list: path, respectIgnore };
  return fromStart(guard, path, async (start) => {
    const after = fromWalkEnd(guard, start, cursor, about);
    const { visible, ignored } = await readVisible(guard, start, respectIgnore, new TimeSlices(signal));
    const room = new Room(request.budget, toPathText(start));
    const skipped = new SkippedList();
    const lists: EntryLists = {};
    const first = after === undefined ? 0 : countUpTo(visible, after);
    let next = first;
    for (; next < visible.length && next - first < limit; next += 1) {
      const { name, kind, isBroken } = visible[next] as NamedEntry;
      const shown = toPathText(name);
      if (!room.take(shown, 0, LABEL)) break;
      (lists[LISTS[kind]] ??= []).push(shown);
      if (isBroken) skipped.add(name, WHY_BROKEN);
    }
    return {
      path: toPathText(start),
      ...lists,
      total: visible.length,
      ...toWalkEnd(next < visible.length, visible[next - 1]?.name, about),
      ...toReport({ guard, path, start }, { ignored, skipped }, room),
    };
  });
}

async function readVisible(
  guard: PathGuard,
  start: SafePath,
  respectIgnore: boolean,
  slices: TimeSlices,
): Promise<{ readonly visible: readonly NamedEntry[]; readonly ignored: number }> {
  const directory = guard.walkDirectory(start);
  try {
    const entries = readEntries(directory.at());
    const rules = respectIgnore
      ? readRulesAbove(guard, start, entries).enter(directory, entries, "")
      : undefined;
    const visible: NamedEntry[] = [];
    let ignored = 0;
    for (const entry of entries) {
      const pause = rules?.isSlow ? slices.look() : slices.step();
      if (pause) await pause;
      const { name, kind } = entry;
      if (isReservedName(name)) continue;
      if (!rules?.ignores(name, name, kind === "directory")) visible.push(entry);
      // Nobody misses git's own files.
      else if (name !== REPOSITORY) ignored += 1;
    }
    return { visible, ignored };
  } finally {
    directory.close();
  }
}

/** How many entries come no later than a name, which may be gone. */
function countUpTo(entries: readonly NamedEntry[], last: string): number {
  const index = entries.findIndex(({ name }) => compareNames(name, last) > 0);
  return index < 0 ? entries.length : index;
}
