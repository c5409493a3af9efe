import { type PathGuard, TimeSlices } from "@suite/server-kit/domain";
import { closing } from "../../closing.ts";
import { timeOf } from "./change-record.ts";
import { JournalEntry, removeChange } from "./journal-entry.ts";
import type { ChangeJournal, KeptChanges } from "./journal.ts";
import { changeIds, openTrash, type Trash } from "./trash.ts";

/** A folder without a record is just being created or removed; when older than this, its process was killed meanwhile. */
const RECORDLESS_MS = 60_000;
/** A folder without a valid record whose time is further in the future than this is removed. */
const LATEST_MS = 24 * 60 * 60_000;
/** Review the folder at least this often: changes expire, and other processes add some. */
const SEEN_MS = 10 * 60_000;
/** When a limit is exceeded, this share of it is freed in addition, because reviewing the folder takes time. */
const SLACK = 1 / 20;

/** Called after a change: removes the oldest changes if a limit is exceeded. */
export async function keepChange(
  journal: ChangeJournal,
  guard: PathGuard,
  { root, id, bytes }: { readonly root: string; readonly id: string; readonly bytes: number },
): Promise<void> {
  const kept = journal.kept.get(root);
  if (!kept) {
    await forgetOldest(journal, guard, root);
    return;
  }
  kept.sizes.set(id, bytes);
  kept.bytes += bytes;
  const { maxEntries, maxBytes } = journal.options;
  const isBeyond = kept.sizes.size > maxEntries || kept.bytes > maxBytes;
  if (isBeyond || Date.now() - kept.seenAt > SEEN_MS) await forgetOldest(journal, guard, root);
}

/** Reviews all changes that a root keeps, and removes those beyond the limits. */
export async function forgetOldest(journal: ChangeJournal, guard: PathGuard, root: string): Promise<void> {
  const trash = openTrash(guard, root);
  if (!trash) return;
  await closing(trash.folder, async () => {
    const { kept, excess } = await review(journal, trash);
    journal.kept.set(root, kept);
    for (const id of excess) await removeChange(trash, id);
  });
}

async function review(
  journal: ChangeJournal,
  trash: Trash,
): Promise<{ kept: KeptChanges; excess: string[] }> {
  const known = journal.kept.get(trash.root)?.sizes;
  const kept: KeptChanges = { sizes: new Map(), bytes: 0, seenAt: Date.now() };
  const excess: string[] = [];
  let isFull = false;
  // In slices: the first time, all records are read.
  const slices = new TimeSlices(AbortSignal.any([]));
  for (const id of changeIds(trash)) {
    await slices.step();
    const standing = known?.get(id) ?? readStanding(trash, id);
    const age = kept.seenAt - timeOf(id);
    if (standing === "busy") continue;
    if (typeof standing === "string") {
      const most = standing === "recordless" ? RECORDLESS_MS : journal.options.maxAgeMs;
      if (age > most || age < -LATEST_MS) excess.push(id);
      continue;
    }
    // Once one change is dropped, all older ones are dropped too.
    isFull ||= !hasRoom(journal, kept, standing, age);
    if (isFull) {
      excess.push(id);
      continue;
    }
    kept.sizes.set(id, standing);
    kept.bytes += standing;
  }
  return { kept, excess };
}

/** The newest change always has room. */
function hasRoom(
  { options }: ChangeJournal,
  { sizes, bytes }: KeptChanges,
  size: number,
  age: number,
): boolean {
  const mostEntries = options.maxEntries - Math.floor(options.maxEntries * SLACK);
  const mostBytes = options.maxBytes - Math.floor(options.maxBytes * SLACK);
  return (
    sizes.size === 0 || (sizes.size < mostEntries && bytes + size <= mostBytes && age <= options.maxAgeMs)
  );
}

/** The kept bytes. "foreign": a record that this server did not write; it does not count, and is removed when it is old. */
function readStanding(trash: Trash, id: string): number | "busy" | "recordless" | "foreign" {
  let entry: JournalEntry;
  try {
    entry = new JournalEntry(trash, id);
  } catch {
    return "foreign";
  }
  return closing(entry, () => {
    const found = entry.read();
    if (found) return found.phase === "entry" ? found.record.bytes : "busy";
    return entry.hasRecord() ? "foreign" : "recordless";
  });
}
