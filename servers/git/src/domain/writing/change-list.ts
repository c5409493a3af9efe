import { existsSync, linkSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { RepositoryCall } from "../git/repository-call.ts";
import { readBlobs } from "../reading/records.ts";
import { UNDO_EMAIL } from "../reading/revisions.ts";
import type { Repository } from "../repository/repository.ts";
import { copyIndex, type Snapshot, UNMERGED } from "./snapshot.ts";

const Id = v.pipe(v.string(), v.regex(/^\d{8}T\d{9}-[0-9a-f]{4}$/));
const ObjectId = v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const Tree = v.union([ObjectId, v.literal(""), v.pipe(v.string(), v.regex(/^unmerged:[0-9a-f]{64}$/))]);
// As git accepts them, so none can be taken for an option or hold a line break.
const RefName = v.pipe(
  v.string(),
  v.regex(/^refs\/(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)))[^\0-\x20\x7F~^:?*[\\]+(?<![./])$/),
);
const State: v.GenericSchema<unknown, Snapshot> = v.strictObject({
  head: v.nullable(RefName),
  commit: v.nullable(ObjectId),
  refs: v.record(RefName, v.nullable(ObjectId)),
  index: Tree,
  flags: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
  worktree: v.exactOptional(Tree),
  operation: v.nullable(v.picklist(["merge", "rebase", "cherry-pick", "revert", "bisect", "am"])),
  merge: v.exactOptional(
    v.strictObject({ heads: v.array(ObjectId), message: v.string(), mode: v.picklist(["", "no-ff"]) }),
  ),
  stashes: v.exactOptional(v.array(v.strictObject({ commit: ObjectId, message: v.string() }))),
  squash: v.exactOptional(v.literal(true)),
});
/** A change, as it is kept to be undone. */
const KeptChange = v.strictObject({
  id: Id,
  time: v.pipe(v.string(), v.isoTimestamp()),
  tool: v.string(),
  summary: v.string(),
  // The change that an undo undid. An undo that failed on the way has none.
  undoes: v.exactOptional(Id),
  // Why it cannot be undone. It is listed all the same, so that the latest write is never taken for an older one.
  irreversible: v.exactOptional(v.string()),
  // The caller, if authenticated.
  principal: v.exactOptional(v.string()),
  // Of the work tree it was made in: all work trees share this list.
  gitDir: v.string(),
  before: State,
  // Absent if the server was killed during the write.
  after: v.exactOptional(State),
});

export type KeptChange = Readonly<v.InferOutput<typeof KeptChange>>;

const PREFIX = "refs/suite/undo/";
const MOST_CHANGES = 100;

export const indexBackup = ({ gitDir }: Pick<Repository, "gitDir">, id: string): string =>
  join(gitDir, "suite", `${id}.index`);

/** Backs up what a write is about to change: a ref that keeps every object reachable, and the index. */
export async function record(call: RepositoryCall, change: KeptChange): Promise<void> {
  if (!change.after && change.irreversible === undefined) await keepIndex(call, change.id);
  const { before, after } = change;
  const states = after ? [before, after] : [before];
  const refs = states.flatMap((state) => Object.values(state.refs)).filter((oid) => oid !== null);
  const heads = states.flatMap(({ commit, merge, stashes = [] }) => [
    ...(commit === null ? [] : [commit]),
    ...(merge?.heads ?? []),
    ...stashes.map((stash) => stash.commit),
  ]);
  const commits = new Set([...heads, ...(await onlyCommits(call, refs))]);
  const input = toImport(change, [...commits]);
  await call.run(["fast-import", "--quiet", "--force", "--date-format=raw"], { writes: true, input });
}

/** Tags and other objects cannot be parents. */
async function onlyCommits(call: RepositoryCall, oids: readonly string[]): Promise<readonly string[]> {
  if (oids.length === 0) return [];
  const args = ["cat-file", "--batch-check=%(objecttype) %(objectname)"];
  const lines = await call.lines(args, { input: `${oids.join("\n")}\n` });
  return lines.flatMap((line) => (line.startsWith("commit ") ? [line.slice(7)] : []));
}

function toImport(change: KeptChange, commits: readonly string[]): string {
  const { id, time, summary, before, after } = change;
  const [first, ...others] = commits;
  const content = JSON.stringify(change);
  const message = summary.replaceAll("\n", " ");
  const trees = [
    ["before-index", before.index],
    ["before-worktree", before.worktree],
    ["after-index", after?.index],
    ["after-worktree", after?.worktree],
  ].filter(([, tree]) => tree !== undefined && tree !== "" && !tree.startsWith(UNMERGED));
  return [
    `commit ${PREFIX}${id}`,
    `committer suite <${UNDO_EMAIL}> ${Math.floor(Date.parse(time) / 1000)} +0000`,
    `data ${Buffer.byteLength(message)}`,
    message,
    ...(first === undefined ? [] : [`from ${first}`]),
    ...others.map((oid) => `merge ${oid}`),
    "deleteall",
    "M 100644 inline entry.json",
    `data ${Buffer.byteLength(content)}`,
    content,
    ...trees.map(([name, tree]) => `M 040000 ${tree} ${name}`),
    "",
    "done",
    "",
  ].join("\n");
}

/** Git never writes its index in place, so a hard link preserves it at no cost. */
async function keepIndex(call: RepositoryCall, id: string): Promise<void> {
  const { gitDir } = call.repository;
  const index = join(gitDir, "index");
  if (!existsSync(index)) return;
  mkdirSync(join(gitDir, "suite"), { recursive: true });
  const copy = indexBackup(call.repository, id);
  const isSplit = readdirSync(gitDir).some((name) => name.startsWith("sharedindex."));
  try {
    if (!isSplit) return linkSync(index, copy);
  } catch {
    // Not every file system supports hard links.
  }
  copyIndex(index, copy);
  // Git deletes the shared part of a split index one day.
  if (isSplit) await call.run(WHOLE, { indexFile: copy, writes: true });
}

const WHOLE = ["-c", "core.splitIndex=false", "update-index", "--no-split-index"];

export async function forget(call: RepositoryCall, id: string): Promise<void> {
  await call.run(["update-ref", "-d", `${PREFIX}${id}`], { writes: true });
  rmSync(indexBackup(call.repository, id), { force: true });
}

/** The latest first. */
const listRefs = (call: RepositoryCall): Promise<readonly string[]> =>
  call.lines(["for-each-ref", "--format=%(refname)", "--sort=-refname", PREFIX]);

/** Whether a caller may see and undo a change. With authentication only their own, unless --shared-undo is set. */
export type IsChangeVisible = (change: KeptChange) => boolean;

export async function listChanges(
  call: RepositoryCall,
  isVisible: IsChangeVisible,
): Promise<readonly KeptChange[]> {
  const names = await listRefs(call);
  const changes: KeptChange[] = [];
  await readBlobs(
    call,
    names.map((name) => `${name}:entry.json`),
    (bytes, at) => {
      const change = parseChange(bytes.toString());
      if (
        change?.gitDir === call.repository.gitDir &&
        names[at] === `${PREFIX}${change.id}` &&
        isVisible(change)
      )
        changes.push(change);
    },
  );
  return changes;
}

/** Refs may have come with the repository, so a change is validated strictly. */
function parseChange(text: string): KeptChange | undefined {
  try {
    const { success, output } = v.safeParse(KeptChange, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

/** Which changes were undone, by an undo that is complete and was not undone itself. Entries are the latest first. */
export function findUndone(changes: readonly KeptChange[]): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const { id, undoes, after } of changes)
    if (undoes !== undefined && after && !undone.has(id)) undone.add(undoes);
  return undone;
}

/** The changes that are in force, the latest first: neither undone, nor themselves a complete undo. */
export function listInForce(changes: readonly KeptChange[]): readonly KeptChange[] {
  const undone = findUndone(changes);
  return changes.filter(({ id, undoes, after }) => !undone.has(id) && (undoes === undefined || !after));
}

/** By its id, or the last one. */
export function findChange(changes: readonly KeptChange[], id: string): KeptChange {
  const found = id === "last" ? listInForce(changes)[0] : changes.find((change) => change.id === id);
  if (found) return found;
  throw new Fault(
    "not_found",
    id === "last" ? "There is no change to undo" : `There is no change ${JSON.stringify(id)}`,
    { hint: "Call git_undo without id to list them." },
  );
}

/** Removes all but the newest changes. */
export async function prune(call: RepositoryCall): Promise<void> {
  const old = (await listRefs(call)).slice(MOST_CHANGES);
  if (old.length === 0) return;
  const input = old.map((name) => `delete ${name}\n`).join("");
  await call.run(["update-ref", "--stdin"], { writes: true, input });
  for (const name of old) rmSync(indexBackup(call.repository, name.slice(PREFIX.length)), { force: true });
}
