import { isUtf8 } from "node:buffer";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { RepositoryCall } from "../git/repository-call.ts";
import { splitRecords, toFileName, toRepositoryPath } from "../names.ts";
import { temporaryName } from "../repository/temporary.ts";
import { Conflict, readStatus } from "./status.ts";

/** A place where both sides have changed the same lines. Counted from 1 within its file. */
const Region = v.object({ region: v.number(), base: v.string(), ours: v.string(), theirs: v.string() });
export type Region = v.InferOutput<typeof Region>;

export const ConflictedFile = v.object({
  ...Conflict.entries,
  // Absent where the file is binary, too large, or missing on one side.
  regions: v.exactOptional(v.array(Region)),
});
export type ConflictedFile = v.InferOutput<typeof ConflictedFile>;

/** A version of a file. */
export interface Stage {
  readonly mode: string;
  readonly oid: string;
}

/** The versions of a conflicted file in the index. */
export type Stages = readonly [base?: Stage, ours?: Stage, theirs?: Stage];

export const SUBMODULE = "160000";
export const LARGEST_FILE: number = 2 * 1024 * 1024;

/** Every file with conflicts, or those that are asked for. */
export async function listConflicts(
  call: RepositoryCall,
  files: readonly string[] | undefined,
): Promise<readonly ConflictedFile[]> {
  const { conflicts } = await readStatus(call);
  const wanted = files?.map((file) => toRepositoryPath(call.repository, file));
  const missing = wanted?.find((path) => !conflicts.some((conflict) => conflict.path === path));
  if (missing !== undefined) throw refuseUnknown(missing, conflicts);
  const stages = await readStages(call);
  const found: ConflictedFile[] = [];
  for (const conflict of conflicts) {
    if (wanted && !wanted.includes(conflict.path)) continue;
    const merged = await mergeStages(call, stages.get(conflict.path));
    const regions = merged?.flatMap((part) => (typeof part === "string" ? [] : [part]));
    found.push({ ...conflict, ...(regions && { regions }) });
  }
  return found;
}

/** For a path without conflicts. */
export const refuseUnknown = (path: string, conflicts: readonly Conflict[]): Fault =>
  new Fault("not_found", `${JSON.stringify(path)} has no conflicts`, {
    hint:
      conflicts.length === 0
        ? "No file has any: continue with git_continue_or_abort, if git_status names an operation."
        : `These have: ${conflicts
            .slice(0, 10)
            .map((conflict) => conflict.path)
            .join(", ")}.`,
  });

/** Of every file with conflicts, by its path. */
export async function readStages(call: RepositoryCall): Promise<ReadonlyMap<string, Stages>> {
  const { stdout } = await call.run(["ls-files", "--unmerged", "-z"]);
  const found = new Map<string, [Stage?, Stage?, Stage?]>();
  for (const record of splitRecords(stdout)) {
    const tab = record.indexOf(9);
    const [mode = "", oid = "", stage] = record.subarray(0, tab).toString().split(" ");
    const path = toFileName(record.subarray(tab + 1));
    const stages = found.get(path) ?? [];
    stages[Number(stage) - 1] = { mode, oid };
    found.set(path, stages);
  }
  return found;
}

/** The file as git merges it: merged text, and regions with conflicts. */
export async function mergeStages(
  call: RepositoryCall,
  [base, ours, theirs]: Stages = [],
): Promise<readonly (string | Region)[] | undefined> {
  if (!ours || !theirs || ![ours.mode, theirs.mode].every((mode) => mode.startsWith("100"))) return undefined;
  const contents: Buffer[] = [];
  for (const stage of [ours, base, theirs]) {
    const content = stage ? await readBlob(call, stage.oid, LARGEST_FILE) : Buffer.alloc(0);
    if (!content || content.includes(0) || !isUtf8(content)) return undefined;
    contents.push(content);
  }
  return mergeContents(call, contents, base !== undefined);
}

/** `both`: the lines of ours, then of theirs, as git splits them: lines that the two have in common come once. */
export async function uniteSides(
  call: RepositoryCall,
  { ours, theirs }: Pick<Region, "ours" | "theirs">,
  unite: (ours: string, theirs: string) => string,
): Promise<string> {
  const parts = await mergeContents(
    call,
    [ours, "", theirs].map((text) => Buffer.from(text)),
    false,
  );
  return parts.map((part) => (typeof part === "string" ? part : unite(part.ours, part.theirs))).join("");
}

/** Ours, base and theirs. Without a base to show, git compares the sides with each other, as for any file that both added. */
async function mergeContents(
  call: RepositoryCall,
  contents: readonly Buffer[],
  showsBase: boolean,
): Promise<readonly (string | Region)[]> {
  const folder = join(call.repository.gitDir, temporaryName("merge", call.git.pid));
  mkdirSync(folder);
  try {
    const names = contents.map((content, at) => {
      writeFileSync(join(folder, String(at)), content);
      return join(folder, String(at));
    });
    const size = chooseMarkerSize(contents);
    const labels = ["-L", MARK, "-L", MARK, "-L", MARK];
    const style = showsBase ? ["--diff3"] : [];
    const args = ["merge-file", "--stdout", "--quiet", ...style, `--marker-size=${size}`, ...labels];
    // Its exit code is the number of conflicts.
    const accept = Array.from({ length: 127 }, (_, at) => at + 1);
    // The operator may want bases shown.
    const merged = await call.text(["-c", "merge.conflictStyle=merge", ...args, ...names], { accept });
    return parseMerged(merged, toMarkers(size), contents).flatMap(trimRegion);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined if it is larger than that. */
export async function readBlob(call: RepositoryCall, oid: string, most: number): Promise<Buffer | undefined> {
  const size = Number((await call.text(["cat-file", "-s", oid])).trim());
  if (size > most) return undefined;
  return (await call.run(["cat-file", "blob", oid])).stdout;
}

const MARK = "suite";
export const DEFAULT_MARKER_SIZE = 7;

/** The marker lines that git puts around and between the sides. */
const toMarkers = (size: number): readonly string[] =>
  ["<", "|", "=", ">"].map((letter) => letter.repeat(size) + (letter === "=" ? "" : ` ${MARK}`));

/** A size at which no line of the file looks like a marker: it may have underlined headings, or be about conflicts. */
function chooseMarkerSize(contents: readonly Buffer[]): number {
  const lines = new Set(contents.flatMap((content) => toLines(content.toString()).map(withoutEnd)));
  let size = DEFAULT_MARKER_SIZE;
  while (toMarkers(size).some((marker) => lines.has(marker))) size += 1;
  return size;
}

const toLines = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const withoutEnd = (line: string): string => line.replace(/\r?\n?$/, "");

const SIDES = ["ours", "base", "theirs"] as const;

function parseMerged(
  text: string,
  [first, ...markers]: readonly string[],
  contents: readonly Buffer[],
): readonly (string | Region)[] {
  const parts: (string | Region)[] = [];
  let region: Region | undefined;
  let side: (typeof SIDES)[number] = "ours";
  let plain = "";
  let count = 0;
  for (const line of toLines(text)) {
    const marker = region ? markers.indexOf(withoutEnd(line)) : -1;
    if (!region && withoutEnd(line) === first) {
      if (plain !== "") parts.push(plain);
      [region, side, plain] = [{ region: (count += 1), ours: "", base: "", theirs: "" }, "ours", ""];
    } else if (!region) plain += line;
    else if (marker < 0) region[side] += line;
    else if (marker < 2) side = SIDES[marker + 1] ?? side;
    else {
      parts.push(region);
      region = undefined;
    }
  }
  if (plain !== "") return [...parts, plain];
  const last = parts.at(-1);
  return typeof last === "object" ? [...parts.slice(0, -1), withOwnEnds(last, contents)] : parts;
}

/** Lines that both sides begin or end with are not in conflict: git itself leaves them out with the style zdiff3 (2.35). */
function trimRegion(part: string | Region): readonly (string | Region)[] {
  if (typeof part === "string") return [part];
  const [ours, theirs] = [toLines(part.ours), toLines(part.theirs)];
  const most = Math.min(ours.length, theirs.length);
  let first = 0;
  while (first < most && ours[first] === theirs[first]) first += 1;
  let last = 0;
  while (last < most - first && ours.at(-1 - last) === theirs.at(-1 - last)) last += 1;
  const rest = (lines: readonly string[]): string => lines.slice(first, lines.length - last).join("");
  const parts = [
    ours.slice(0, first).join(""),
    { ...part, ours: rest(ours), theirs: rest(theirs) },
    ours.slice(ours.length - last).join(""),
  ];
  return parts.filter((one) => one !== "");
}

/** At the end of the file, git adds a line break to every side, even one that has none. */
function withOwnEnds(last: Region, [ours, base, theirs]: readonly Buffer[]): Region {
  const toEnd = (text: string, content: Buffer | undefined): string =>
    text === "" ? "" : toLines(String(content)).slice(-toLines(text).length).join("");
  return {
    region: last.region,
    base: toEnd(last.base, base),
    ours: toEnd(last.ours, ours),
    theirs: toEnd(last.theirs, theirs),
  };
}
