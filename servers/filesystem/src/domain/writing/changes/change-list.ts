import {
  DEFAULT_BUDGET,
  Fault,
  type PathGuard,
  shownSize,
  suggest,
  truncate,
} from "@suite/server-kit/domain";
import { attempt } from "../../attempt.ts";
import { closing } from "../../closing.ts";
import { nameFirst } from "./apply-change.ts";
import { pathsIn } from "./change-plan.ts";
import { type ChangeRecord, timeOf } from "./change-record.ts";
import { JournalEntry } from "./journal-entry.ts";
import { toAbsolute } from "./open-change.ts";
import { changeIds, openTrash, type Trash } from "./trash.ts";

/** A change as it is listed. */
export interface ListedChange {
  id: string;
  time: string;
  tool: string;
  summary: string;
  /** The first paths; empty if they do not fit into the list. */
  paths: string[];
  paths_total?: number;
  /** Set if it cannot be undone, with the reason. */
  undoable?: false;
  reason?: string;
}

export interface FoundChange {
  readonly record: ChangeRecord;
  readonly root: string;
}

const MOST_PATHS = { most: 5, characters: 5000 };
/** A summary may contain a long path, and other programs can write to the records. */
const LONGEST_WORDS = 300;
/** Longest part of an unknown id in a message. */
const LONGEST_ID = 50;
/** Far more than are kept by default: other programs may have put folders there. */
const MOST_READ = 5000;

/** Whether the caller may see and undo a change: only their own, if callers are authenticated. */
export type IsChangeVisible = (record: ChangeRecord) => boolean;

export interface ChangeScope {
  readonly isVisible?: IsChangeVisible | undefined;
  /** Roots in which this process has kept changes: a client may since have replaced them with outer ones. */
  readonly kept?: ReadonlyMap<string, unknown>;
}

/** Newest first, over all roots. */
export function listChanges(
  guard: PathGuard,
  limit: number,
  budget: number = DEFAULT_BUDGET,
  scope: ChangeScope = {},
): { changes: ListedChange[]; truncated?: boolean } {
  const changes: ListedChange[] = [];
  for (const change of readChanges(guard, scope)) {
    if (changes.length === limit) return { changes: fitPaths(changes, budget), truncated: true };
    changes.push(toListed(guard, change));
  }
  return { changes: fitPaths(changes, budget) };
}

/** If not all paths fit, those of the oldest changes are left out. */
function fitPaths(changes: readonly ListedChange[], budget: number): ListedChange[] {
  let left = budget - shownSize(changes.map((change) => ({ ...change, paths: [], paths_total: 0 })));
  return changes.map((change) => {
    const { paths, paths_total: total = paths.length } = change;
    left -= shownSize(paths);
    return left >= 0 ? change : { ...change, paths: [], paths_total: total };
  });
}

/** "last": the newest change that is not an undo, so that repeated calls go further back; also one that cannot be undone. */
export function findChange(guard: PathGuard, id: string, scope: ChangeScope = {}): FoundChange {
  const isWanted = id === "last" ? isFirst : ({ record }: FoundChange): boolean => record.id === id;
  const ids: string[] = [];
  for (const change of readChanges(guard, scope)) {
    if (isWanted(change)) return change;
    ids.push(change.record.id);
  }
  const short = id.slice(0, LONGEST_ID);
  const meant = suggest(short, ids.slice(0, 100));
  const message =
    id === "last" ? "There is no change to undo" : `There is no change ${JSON.stringify(short)}`;
  throw new Fault("not_found", message, {
    hint: meant === undefined ? "Call undo without id to list them." : `Did you mean ${meant}?`,
  });
}

const isFirst = ({ record }: FoundChange): boolean => record.undoes === undefined || record.isRedo === true;

export const toListed = (guard: PathGuard, { record, root }: FoundChange): ListedChange => {
  const paths = pathsOf(record, root).filter((path) => isAllowed(guard, path));
  const named = paths.length === 0 ? [] : nameFirst(paths, MOST_PATHS);
  return {
    id: record.id,
    time: new Date(timeOf(record.id)).toISOString(),
    tool: truncate(record.tool, LONGEST_WORDS),
    summary: `${truncate(record.summary, LONGEST_WORDS)}${record.isPartial ? " (in part)" : ""}`,
    paths: named,
    ...(paths.length > named.length && { paths_total: paths.length }),
    ...(record.cannotUndo !== undefined && {
      undoable: false,
      reason: truncate(record.cannotUndo, LONGEST_WORDS),
    }),
  };
};

function pathsOf({ made, operations, removed }: ChangeRecord, root: string): string[] {
  const touched = pathsIn(operations);
  const recorded = touched.length > 0 ? touched : [...made.slice(-1), ...removed.slice(0, 1)];
  return [...new Set(recorded)].map((path) => toAbsolute(root, path));
}

/** A change between two roots is recorded in one; the caller may not have access to the other. */
const isAllowed = (guard: PathGuard, path: string): boolean =>
  attempt(() => guard.locateExact(path, { follow: false })) !== undefined;

/** Lazy: most callers want only the first few. */
function* readChanges(
  guard: PathGuard,
  { isVisible = () => true, kept = new Map() }: ChangeScope,
): Generator<FoundChange, void> {
  const inner = [...kept.keys()].filter((root) => !guard.roots.includes(root) && isAllowed(guard, root));
  const trashes = [
    ...guard.roots.flatMap((root) => openTrash(guard, root) ?? []),
    ...inner.flatMap((root) => attempt(() => openTrash(guard, root)) ?? []),
  ];
  try {
    const all = trashes.flatMap((trash) => changeIds(trash).map((id) => ({ trash, id })));
    for (const { trash, id } of all.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, MOST_READ)) {
      const record = readDone(trash, id);
      if (record && isVisible(record)) yield { record, root: trash.root };
    }
  } finally {
    for (const { folder } of trashes) folder.close();
  }
}

function readDone(trash: Trash, id: string): ChangeRecord | undefined {
  try {
    const entry = new JournalEntry(trash, id);
    const found = closing(entry, () => entry.read());
    return found?.phase === "entry" && !found.record.isPermanent ? found.record : undefined;
  } catch {
    // Another server has removed it meanwhile, or is about to finish it.
    return undefined;
  }
}
