import { createHash } from "node:crypto";

import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { readNames, toPathspec } from "../names.ts";
import { type DiffRequest, toDiffArguments, toPatchPath } from "./diff.ts";
import { requireKnownPaths } from "./files.ts";

/** One change of a file that can be staged or unstaged by itself. */
export interface Hunk {
  /**
   * Begins with a digest of the path. The rest depends only on the changed lines and their context, not on where they are.
   * Identical hunks have `place` as their id.
   */
  readonly id: string;
  /** The id plus its line on the side that staging other hunks does not change: it tells identical hunks apart. */
  readonly place: string;
  readonly path: string;
  readonly header: string;
  readonly added: number;
  readonly removed: number;
  /** Each begins with " ", "+" or "-". Bytes as Latin-1, so that git gets them back unchanged. */
  readonly lines: readonly string[];
  /** The lines of the patch that name the file: Latin-1, too. */
  readonly fileHeader: readonly string[];
}

export interface Hunks {
  readonly hunks: readonly Hunk[];
  /** How many files have conflicts, and therefore no hunks. */
  readonly conflicts: number;
}

export type HunkSide = "unstaged" | "staged";

const PATH_LENGTH = 3;
const ID_LENGTH = 9;
/** With more, changes a few lines apart would be one hunk; with none, nothing would tell git that the place is right. */
const CONTEXT_LINES = 1;

export async function listHunks(
  call: RepositoryCall,
  side: HunkSide,
  paths: string[] | undefined,
): Promise<Hunks> {
  const { hunks, conflicts } = await readHunks(call, side, { paths });
  if (hunks.length === 0 && conflicts === 0) await requireKnownPaths(call, paths);
  return { hunks, conflicts };
}

/** The hunks with these ids, and a way to look for them again. */
export async function findHunks(
  call: RepositoryCall,
  side: HunkSide,
  ids: readonly string[],
): Promise<{ readonly hunks: readonly Hunk[]; readonly readAgain: () => Promise<readonly Hunk[]> }> {
  const args = await toArguments(call, side, { stat_only: true });
  const wanted = new Set(ids.map((id) => id.slice(0, PATH_LENGTH)));
  const changed = await readNames(call, ["diff", "--name-only", "-z", ...args]);
  // Others may be too large to be compared at all.
  const names = changed.filter((name) => wanted.has(toPathDigest(name)));
  const readAgain = async (): Promise<readonly Hunk[]> =>
    names.length === 0 ? [] : (await readHunks(call, side, { names })).hunks;
  return { hunks: chooseHunks(await readAgain(), ids), readAgain };
}

/** Without renames: staging one hunk must not also rename the file. */
async function toArguments(
  call: RepositoryCall,
  side: HunkSide,
  request: DiffRequest,
): Promise<readonly string[]> {
  const args = await toDiffArguments(call, side, request, "all");
  return args.map((argument) => (argument === "--find-renames" ? "--no-renames" : argument));
}

/** As many as fit on a command line. */
const MOST_NAMES = 1000;

async function readHunks(
  call: RepositoryCall,
  side: HunkSide,
  { paths, names = [] }: { readonly paths?: string[] | undefined; readonly names?: readonly string[] },
): Promise<Hunks> {
  const args = await toArguments(call, side, { paths, context_lines: CONTEXT_LINES });
  const some = names.length > MOST_NAMES ? [] : names.map(toPathspec);
  try {
    const { stdout } = await call.run(["diff", "--patch", ...args, ...some]);
    return parseHunks(stdout.toString("latin1"), side);
  } catch (thrown) {
    if (!(thrown instanceof Fault && thrown.code === "too_large")) throw thrown;
    throw new Fault("too_large", "The changes are too large to be shown as hunks", {
      hint: "Name other files in paths (git_status lists them), and stage large ones whole with git_add.",
      cause: thrown,
    });
  }
}

function parseHunks(patch: string, side: HunkSide): Hunks {
  const hunks: Hunk[] = [];
  let conflicts = 0;
  for (const file of patch.split(/(?<=\n|^)(?=diff --(?:git|cc) |\* Unmerged path )/)) {
    if (/^(?:diff --cc|\*)/.test(file)) conflicts += 1;
    const [head = "", ...bodies] = file.split(/(?<=\n)(?=@@ -)/);
    // A change of mode is not part of any hunk.
    const fileHeader = head
      .replace(/\n$/, "")
      .split("\n")
      .filter((line) => !/^(?:old|new) mode /.test(line));
    const path = fileHeader.map(toPatchPath).findLast((name) => name !== undefined);
    if (path === undefined) continue;
    for (const body of bodies) {
      const [header = "", ...lines] = body.replace(/\n$/, "").split("\n");
      const id = toId(path, lines);
      const [, from, to] = /^@@ -(\d+)\S* \+(\d+)/.exec(header) ?? [];
      const place = `${id}-${side === "unstaged" ? to : from}`;
      const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
      hunks.push({ id, place, path, header, added: count("+"), removed: count("-"), lines, fileHeader });
    }
  }
  const counts = new Map<string, number>();
  for (const { id } of hunks) counts.set(id, (counts.get(id) ?? 0) + 1);
  return {
    hunks: hunks.map((hunk) => (counts.get(hunk.id) === 1 ? hunk : { ...hunk, id: hunk.place })),
    conflicts,
  };
}

function toId(path: string, lines: readonly string[]): string {
  const digest = createHash("sha256")
    .update(path)
    .update("\0")
    .update(lines.join("\n"), "latin1")
    .digest("hex");
  return toPathDigest(path) + digest.slice(0, ID_LENGTH);
}

const toPathDigest = (path: string): string =>
  createHash("sha256").update(path).digest("hex").slice(0, PATH_LENGTH);

/** The hunks with these ids, or a fault that says which are not there. */
function chooseHunks(hunks: readonly Hunk[], ids: readonly string[]): readonly Hunk[] {
  // Once its identical twins are staged, a hunk gets the short id, but callers may still know it by `place`.
  const known = new Set(hunks.flatMap(({ id, place }) => [id, place]));
  const missing = ids.filter((id) => !known.has(id));
  const wanted = new Set(ids);
  if (missing.length === 0) return hunks.filter(({ id, place }) => wanted.has(id) || wanted.has(place));
  throw new Fault("not_found", `There are no hunks ${missing.slice(0, 10).join(", ")}`, {
    hint: "The files have changed since, or they are staged already: git_list_hunks shows what there is.",
  });
}

/** A patch of just these hunks, byte for byte. */
export function toPatch(hunks: readonly Hunk[], side: HunkSide): Buffer {
  const parts: string[] = [];
  let file: readonly string[] | undefined;
  let shift = 0;
  for (const { fileHeader, header, lines, added, removed } of hunks) {
    if (fileHeader !== file) {
      parts.push(...fileHeader);
      shift = 0;
    }
    file = fileHeader;
    // Git looks first where the hunk would end up, which hunks that are left out do not move: another place may look the same.
    const moved = header.replace(/^@@ -(\d+)(,?\d*) \+(\d+)/, (_, from: string, length: string, to: string) =>
      side === "unstaged"
        ? `@@ -${from}${length} +${Number(from) + shift}`
        : `@@ -${Number(to) - shift}${length} +${to}`,
    );
    parts.push(moved, lines.join("\n"));
    shift += added - removed;
  }
  return Buffer.from(`${parts.join("\n")}\n`, "latin1");
}
