import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { toPathInput, toPlace } from "../names.ts";
import { DIFF_OPTIONS, readDiffOutput } from "../reading/diff.ts";
import type { OperationInProgress } from "../reading/status.ts";
import { findEntry as isThere } from "../repository/small-file.ts";
import {
  type ChangedEntry,
  forgetSizes,
  listKept,
  listMoved,
  requireBytes,
  type TreeEntry,
  restoreBytes,
} from "./bytes.ts";
import { type RepositoryChange, findDifferences } from "./changes.ts";
import {
  type KeptChange,
  findChange,
  findUndone,
  indexBackup,
  type IsChangeVisible,
  listChanges,
  listInForce,
} from "./change-list.ts";
import { requireNothingInTheWay } from "./in-the-way.ts";
import {
  countSameStashes,
  dropSquash,
  hasSameIndex,
  hasSameStashes,
  replaceIndex,
  requireFreeIndex,
  resumeMerge,
  type Snapshot,
  takeSnapshot,
  withTemporaryIndex,
} from "./snapshot.ts";

export interface UndoRequest {
  readonly id: string;
  readonly dryRun: boolean;
  /** For the diff of a dry run, in characters. */
  readonly budget: number;
  /** Undo even a change during which the server was killed, so that its result is unknown. */
  readonly force: boolean;
  readonly isVisible: IsChangeVisible;
}

export interface Undone {
  readonly kept: KeptChange;
  readonly changed: readonly string[];
  /** In a dry run: what would become of files. */
  readonly diff?: string;
  readonly truncated?: true;
  /** An operation that the undone change had ended, and that does not come back. */
  readonly ended?: OperationInProgress;
  /** One that it had ended, and that is in progress again. */
  readonly resumed?: OperationInProgress;
}

/** Restores the state before a change, unless something has changed since. */
export async function undo(
  call: RepositoryCall,
  change: RepositoryChange,
  request: UndoRequest,
): Promise<Undone> {
  const kept = await findUndoable(call, request);
  const { before } = kept;
  const scope = {
    refs: Object.keys(before.refs),
    worktree: before.worktree !== undefined,
    stashes: before.stashes !== undefined,
  };
  const now = await takeSnapshot(call, scope);
  await requireUnchanged(call, kept, now, request);
  const [from, to] = [now.worktree, before.worktree];
  const isMoved = from !== undefined && to !== undefined && from !== to;
  const moved = isMoved ? await listMoved(call, from, to) : [];
  const written = moved.map(({ path }) => path);
  await requireNothingInTheWay(call, written);
  const isEnded = before.operation !== null && before.operation !== now.operation && !before.merge;
  const isResumed = before.merge !== undefined && now.operation === null;
  const undone = {
    kept,
    changed: describe(before, now),
    ...(isEnded && { ended: before.operation }),
    ...(isResumed && before.operation !== null && { resumed: before.operation }),
  };
  if (request.dryRun)
    return { ...undone, ...(isMoved && (await showFiles(call, [from, to], request.budget))) };
  const { tool, summary } = kept;
  const undoes = kept.id;
  await change.begin({ tool: "git_undo", summary: `undo of ${tool}: ${summary}`, undoes, ...scope });
  refuseDifferences(change.before ? findDifferences(now, change.before) : [], "meanwhile", LOOK);
  await requireNothingInTheWay(call, written);
  if (!hasSameIndex(before, now)) requireFreeIndex(call.repository);
  const backup = indexBackup(call.repository, kept.id);
  const keptFiles = isMoved ? await listKept(call, to, { indexFile: backup, written }) : [];
  if (isMoved) await moveWorktree(change, call, { from, to, moved, kept: keptFiles });
  // Ends the operation without touching anything else.
  const begun = before.operation === null ? now.operation : null;
  if (begun !== null && begun !== "bisect") await change.run([begun, "--quit"]);
  if (!hasSameIndex(before, now)) replaceIndex(call.repository, backup);
  await restoreBytes(call, keptFiles);
  await restoreRefs(change, before, now);
  if (scope.stashes) await restoreStashes(change, before, now);
  if (before.merge && now.operation === null) resumeMerge(call.repository, before.merge);
  if (now.squash && !before.squash) dropSquash(call.repository);
  await forgetSizes(call, change, moved);
  return undone;
}

async function showFiles(
  call: RepositoryCall,
  trees: readonly string[],
  budget: number,
): Promise<Pick<Undone, "diff" | "truncated">> {
  const args = ["diff-tree", "-r", "--patch", ...DIFF_OPTIONS, ...trees];
  const { page } = await readDiffOutput(call, args, { budget }, false);
  return { diff: page.diff, ...((page.next ?? page.cut) !== undefined && { truncated: true as const }) };
}

/** The latest change counts even if it cannot be undone: an older one in its place is not what the caller means. */
async function findUndoable(call: RepositoryCall, { id, isVisible }: UndoRequest): Promise<KeptChange> {
  const kept = await listChanges(call, isVisible);
  const found = findChange(kept, id);
  if (found.irreversible === undefined) return found;
  const which = id === "last" ? "The last change" : `The change ${found.id}`;
  // What stopped in the middle cannot be undone once that has been ended.
  const older = listInForce(kept).find(
    (other) => other.id < found.id && other.irreversible === undefined && !other.after?.operation,
  );
  const { tool, summary, irreversible: reason } = found;
  const listed = older
    ? `${older.id} is ${older.tool} (${older.summary}).`
    : "git_undo without id lists them.";
  throw new Fault("unsupported", `${which}, ${tool} (${summary}), cannot be undone: ${reason}`, {
    hint: `Nothing was changed. To undo an older change, give its id: ${listed}`,
    details: { id: found.id, reason },
  });
}

async function requireUnchanged(
  call: RepositoryCall,
  { id, after }: KeptChange,
  now: Snapshot,
  { force, isVisible }: UndoRequest,
): Promise<void> {
  if (!after && !force) {
    throw new Fault("conflict", "This change was interrupted: it is not known what it had changed", {
      hint: "Look at git_status. With force: true, everything is put back as it was before it.",
    });
  }
  const differences = after ? findDifferences(after, now) : [];
  if (differences.length === 0) return;
  const kept = await listChanges(call, isVisible);
  const [last] = listInForce(kept);
  const undoing = findUndone(kept).has(id) ? kept.find(({ undoes }) => undoes === id) : undefined;
  // After a commit made elsewhere, the later ones cannot be undone either.
  const isReached = last?.after === undefined || last.after.commit === now.commit;
  const isLater = last !== undefined && last.id > id && last.irreversible === undefined && isReached;
  const hint = isLater ? `Undo later changes first, beginning with ${last.id}.` : LOOK;
  if (undoing)
    refuseDifferences(differences, "since: it was undone", `To redo it, give the id ${undoing.id}.`);
  refuseDifferences(differences, "since this change", hint);
}

const LOOK =
  "git_status and git_log show what is different now. git_reset can move the branch back to an earlier commit.";

function refuseDifferences(changed: readonly string[], when: string, hint: string): void {
  if (changed.length === 0) return;
  throw new Fault("conflict", `Something has changed ${when}: ${changed.join(", ")}`, {
    hint,
    details: { changed },
  });
}

function describe(before: Snapshot, now: Snapshot): readonly string[] {
  const refs = Object.keys(before.refs).filter((name) => before.refs[name] !== now.refs[name]);
  return [
    ...(before.head !== now.head || before.commit !== now.commit ? ["HEAD"] : []),
    ...refs,
    ...(hasSameIndex(before, now) ? [] : ["index"]),
    ...(before.worktree === now.worktree ? [] : ["work tree"]),
    ...(hasSameStashes(before, now) ? [] : ["stashes"]),
  ];
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly moved: readonly ChangedEntry[];
  readonly kept: readonly TreeEntry[];
}

/** From one tree to another, touching only files that are different in these. */
async function moveWorktree(
  change: RepositoryChange,
  call: RepositoryCall,
  { from, to, moved, kept }: Move,
): Promise<void> {
  const { repository } = call;
  // A filter may refuse bytes as they are on disk: it gets them all the same, and restoreBytes corrects what it did.
  const required = await call.text(REQUIRED_FILTERS, { accept: [1] });
  const settings = required.split("\0").flatMap((name) => (name === "" ? [] : ["-c", `${name}=false`]));
  await withTemporaryIndex(call, async (indexFile) => {
    // With -m, git would check this itself, but refuse where the bytes on disk, once converted, are not those of the tree.
    await requireBytes(call, indexFile, moved);
    await change.run(["read-tree", from], { indexFile });
    await change.run([...settings, "read-tree", "--reset", "-u", from, to], { indexFile });
    // Those were there, though a sparse checkout leaves them out.
    const missing = kept.map(({ path }) => path).filter((path) => !isThere(toPlace(repository, path)));
    if (missing.length === 0) return;
    await change.run(["-c", "core.sparseCheckout=false", "read-tree", to], { indexFile });
    const input = toPathInput(missing);
    await change.run([...settings, "checkout-index", "-z", "--stdin"], { indexFile, input });
  });
}

const REQUIRED_FILTERS = ["config", "-z", "--name-only", "--get-regexp", String.raw`^filter\..*\.required$`];

async function restoreRefs(change: RepositoryChange, before: Snapshot, now: Snapshot): Promise<void> {
  const updates = Object.keys(before.refs).map((name) => toUpdate(name, before.refs[name], now.refs[name]));
  const isElsewhere = before.head !== now.head;
  if (before.head !== null && !isElsewhere) updates.push(toUpdate(before.head, before.commit, now.commit));
  // First, since HEAD may point to a branch that is deleted here.
  if (isElsewhere || before.head === null) await restoreHead(change, before, now);
  const input = updates.join("");
  if (input !== "") await change.run(["update-ref", "-m", "git_undo", "--stdin"], { input });
}

/** Takes off what is new, and puts back what is missing. The older ones stay as they are. */
async function restoreStashes(change: RepositoryChange, before: Snapshot, now: Snapshot): Promise<void> {
  const same = countSameStashes(before, now);
  for (let left = now.stashes?.length ?? 0; left > same; left -= 1)
    await change.run(["stash", "drop", "--quiet"]);
  const missing = (before.stashes ?? []).toReversed().slice(same);
  for (const { commit, message } of missing)
    await change.run(["stash", "store", "--quiet", "--message", message, commit]);
}

async function restoreHead(
  change: RepositoryChange,
  { head, commit }: Snapshot,
  now: Snapshot,
): Promise<void> {
  const from = now.commit === null ? [] : [now.commit];
  if (head !== null) await change.run(["symbolic-ref", "-m", "git_undo", "HEAD", head]);
  else if (commit !== null && (now.head !== null || commit !== now.commit))
    await change.run(["update-ref", "-m", "git_undo", "--no-deref", "HEAD", commit, ...from]);
}

/** Fails if the ref has moved meanwhile, so that no newer commit is lost. */
function toUpdate(name: string, to: string | null | undefined, from: string | null | undefined): string {
  if (to === from) return "";
  if (to === null || to === undefined) return `delete ${name} ${from}\n`;
  return from === null || from === undefined ? `create ${name} ${to}\n` : `update ${name} ${to} ${from}\n`;
}
