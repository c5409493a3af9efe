import { isUtf8 } from "node:buffer";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type AskedToWrite, FromOne } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import {
  FROM_INPUT,
  fromFileName,
  splitRecords,
  toFileName,
  toPathInput,
  toRepositoryPath,
} from "../names.ts";
import { FORCE_REMOVE, splitByLinks } from "../reading/behind-links.ts";
import { Conflict, readStatus } from "../reading/status.ts";
import { findEntry, readSmallFile } from "../repository/small-file.ts";
import type { RepositoryChange } from "./changes.ts";
import { requireNothingInTheWay } from "./in-the-way.ts";

/** A place where both sides have changed the same lines. Counted from 1 within its file. */
const Region = v.object({ region: v.number(), base: v.string(), ours: v.string(), theirs: v.string() });
type Region = v.InferOutput<typeof Region>;

export const ConflictedFile = v.object({
  ...Conflict.entries,
  // Absent where the file is binary, too large, or missing on one side.
  regions: v.exactOptional(v.array(Region)),
});
export type ConflictedFile = v.InferOutput<typeof ConflictedFile>;

interface Stage {
  readonly mode: string;
  readonly oid: string;
}

/** The versions of a conflicted file in the index. */
type Stages = readonly [base?: Stage, ours?: Stage, theirs?: Stage];

const SUBMODULE = "160000";
const LARGEST_FILE = 2 * 1024 * 1024;

/** Every file with conflicts, or those that are asked for. */
export async function listConflicts(
  call: RepositoryCall,
  files: readonly string[] | undefined,
): Promise<readonly ConflictedFile[]> {
  const { repository } = call;
  const { conflicts } = await readStatus(call);
  const wanted = files?.map((file) => toRepositoryPath(repository, file));
  const missing = wanted?.find((path) => !conflicts.some((conflict) => conflict.path === path));
  if (missing !== undefined) throw refuseUnknown(missing, conflicts);
  const found: ConflictedFile[] = [];
  for (const conflict of conflicts) {
    if (wanted && !wanted.includes(conflict.path)) continue;
    const merged = await mergeStages(call, await readStages(call, conflict.path));
    const regions = merged?.flatMap((part) => (typeof part === "string" ? [] : [part]));
    found.push({ ...conflict, ...(regions && { regions }) });
  }
  return found;
}

const refuseUnknown = (path: string, conflicts: readonly Conflict[]): Fault =>
  new Fault("not_found", `${JSON.stringify(path)} has no conflicts`, {
    hint:
      conflicts.length === 0
        ? "No file has any: continue with git_continue_or_abort, if git_status names an operation."
        : `These have: ${conflicts
            .slice(0, 10)
            .map((conflict) => conflict.path)
            .join(", ")}.`,
  });

async function readStages(call: RepositoryCall, path: string): Promise<Stages> {
  const { stdout } = await call.run(["ls-files", "--unmerged", "-z"]);
  const stages: [Stage?, Stage?, Stage?] = [];
  for (const record of splitRecords(stdout)) {
    const tab = record.indexOf(9);
    const [mode = "", oid = "", stage] = record.subarray(0, tab).toString().split(" ");
    if (toFileName(record.subarray(tab + 1)) === path) stages[Number(stage) - 1] = { mode, oid };
  }
  return stages;
}

/** The file as git merges it: merged text, and regions with conflicts. */
async function mergeStages(
  call: RepositoryCall,
  [base, ours, theirs]: Stages,
): Promise<readonly (string | Region)[] | undefined> {
  if (!ours || !theirs || ![ours.mode, theirs.mode].every((mode) => mode.startsWith("100"))) return undefined;
  const contents: Buffer[] = [];
  for (const stage of [ours, base, theirs]) {
    const content = stage ? await readBlob(call, stage.oid) : Buffer.alloc(0);
    if (!content || content.includes(0) || !isUtf8(content)) return undefined;
    contents.push(content);
  }
  const { repository } = call;
  const folder = mkdtempSync(join(repository.gitDir, "suite-merge-"));
  try {
    const names = contents.map((content, at) => {
      writeFileSync(join(folder, String(at)), content);
      return join(folder, String(at));
    });
    const size = chooseMarkerSize(contents);
    const labels = ["-L", MARK, "-L", MARK, "-L", MARK];
    const args = ["merge-file", "--stdout", "--quiet", "--diff3", `--marker-size=${size}`, ...labels];
    // Its exit code is the number of conflicts.
    const accept = Array.from({ length: 127 }, (_, at) => at + 1);
    return parseMerged(await call.text([...args, ...names], { accept }), toMarkers(size), contents);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function readBlob(call: RepositoryCall, oid: string, most = LARGEST_FILE): Promise<Buffer | undefined> {
  const size = Number((await call.text(["cat-file", "-s", oid])).trim());
  if (size > most) return undefined;
  return (await call.run(["cat-file", "blob", oid])).stdout;
}

const MARK = "suite";
const DEFAULT_MARKER_SIZE = 7;

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

const Choice = v.strictObject({
  region: FromOne,
  use: v.optional(v.picklist(["ours", "theirs", "base", "both"])),
  // Instead of any side.
  text: v.optional(v.string()),
});

type Choice = v.InferOutput<typeof Choice>;

export const RESOLUTION = {
  path: v.string(),
  // `file`: as it is on disk now. `deleted`: remove it.
  use: v.optional(v.picklist(["ours", "theirs", "file", "deleted"])),
  regions: v.optional(v.pipe(v.array(Choice), v.minLength(1))),
  text: v.optional(v.string()),
};

type ResolveRequest = AskedToWrite<typeof RESOLUTION>;

const REMOVE = ["--literal-pathspecs", "rm", "--quiet", "--force"];

/** Writes the resolved file and stages it. */
export async function resolveConflict(
  call: RepositoryCall,
  change: RepositoryChange,
  { path: given, use, text, regions, dry_run: dryRun }: ResolveRequest,
): Promise<{ readonly path: string; readonly changed: readonly string[]; readonly remaining: number }> {
  const { repository } = call;
  if ([use, text, regions].filter((way) => way !== undefined).length !== 1) {
    throw new Fault("invalid_input", "Pass exactly one of `use`, `text` or `regions`");
  }
  const path = toRepositoryPath(repository, given);
  const { conflicts } = await readStatus(call);
  if (!conflicts.some((conflict) => conflict.path === path)) throw refuseUnknown(path, conflicts);
  const stages = await readStages(call, path);
  const chosen = toSide(stages, use);
  const content = regions ? await chooseRegions(call, stages, path, regions) : text;
  const remaining = conflicts.length - 1;
  const isWritten = content !== undefined || (chosen !== undefined && chosen.mode !== SUBMODULE);
  if (isWritten) await requireNothingInTheWay(call, [path]);
  if (use === "file") await requireNoMarkers(call, [path]);
  if (dryRun) return { path, changed: [path], remaining };
  await change.begin({ tool: "git_resolve_conflict", summary: `resolve ${path}`, worktree: true });
  const input = toPathInput([path]);
  if (use === "file") {
    await change.run(["update-index", "--add", "--remove", "-z", "--stdin"], { input });
  } else if (chosen === undefined && content === undefined) {
    const isSubmodule = stages.some((stage) => stage?.mode === SUBMODULE);
    // `git rm` would also remove a submodule's directory, whose work no backup holds.
    const args = isSubmodule ? FORCE_REMOVE : [...REMOVE, ...FROM_INPUT];
    await change.run(args, { input });
  } else {
    await writeResolved(change, input, chosen ?? (await storeText(change, stages, content ?? "")));
  }
  return { path, changed: [path], remaining };
}

/** The chosen side's version; undefined if that side deleted the file, or no side was chosen. */
function toSide([, ours, theirs]: Stages, use: ResolveRequest["use"]): Stage | undefined {
  if (use === "ours") return ours;
  return use === "theirs" ? theirs : undefined;
}

async function storeText(
  change: RepositoryChange,
  [base, ours, theirs]: Stages,
  content: string,
): Promise<Stage> {
  const { stdout } = await change.run(["hash-object", "-w", "--stdin"], { input: content });
  const isTheirs = ours === undefined || (theirs !== undefined && ours.mode === base?.mode);
  const mode = (isTheirs ? theirs : ours)?.mode ?? "100644";
  return { mode: mode.startsWith("100") ? mode : "100644", oid: stdout.toString().trim() };
}

/** Through the index, so that git writes the file as it writes any other: never through a link. */
async function writeResolved(change: RepositoryChange, input: Buffer, { mode, oid }: Stage): Promise<void> {
  const entry = Buffer.concat([Buffer.from(`${mode} ${oid} 0\t`), input]);
  await change.run(["update-index", "-z", "--index-info"], { input: entry });
  await change.run(["checkout-index", "--force", "--index", "-z", "--stdin"], { input });
}

async function chooseRegions(
  call: RepositoryCall,
  stages: Stages,
  path: string,
  choices: readonly Choice[],
): Promise<string> {
  const merged = await mergeStages(call, stages);
  if (!merged) {
    throw new Fault("unsupported", `${JSON.stringify(path)} has no regions to choose from`, {
      hint: "It is binary, too large, or missing on one side: use ours or theirs, or give its text.",
    });
  }
  const known = merged.flatMap((part) => (typeof part === "string" ? [] : [part.region]));
  const left = known.filter((region) => !choices.some((choice) => choice.region === region));
  const strange = choices.find(({ region }) => !known.includes(region));
  if (left.length > 0 || strange) {
    const what = strange ? `there is no region ${strange.region}` : `no choice given for ${left.join(", ")}`;
    throw new Fault("invalid_input", `${JSON.stringify(path)} has regions ${known.join(", ")}: ${what}`);
  }
  return merged.map((part) => (typeof part === "string" ? part : applyChoice(part, choices))).join("");
}

function applyChoice(part: Region, choices: readonly Choice[]): string {
  const choice = choices.findLast(({ region }) => region === part.region);
  if (choice?.text !== undefined) return withEnd(choice.text);
  if (choice?.use === "both") return withEnd(part.ours) + part.theirs;
  if (choice?.use === undefined)
    throw new Fault("invalid_input", `Say which side to use in region ${part.region}, or give its text`);
  return part[choice.use];
}

const withEnd = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

const LARGEST_CHECKED = 16 * 1024 * 1024;
const MARKER = /^([<>])\1* .*/gm;

/** Git itself would stage these files with the markers it wrote into them, and call them resolved. */
export async function requireNoMarkers(call: RepositoryCall, files: readonly string[]): Promise<void> {
  const { there } = splitByLinks(call.repository, files);
  if (there.length === 0) return;
  const args = ["check-attr", "-z", "--stdin", "conflict-marker-size"];
  // Three records a file: its path, the attribute and the value.
  const records = splitRecords((await call.run(args, { input: toPathInput(there) })).stdout);
  for (const [at, file] of there.entries()) {
    const size = Number.parseInt(String(records[at * 3 + 2]));
    if (!(await hasMarkers(call, file, size > 0 ? size : DEFAULT_MARKER_SIZE))) continue;
    throw new Fault("conflict", `${JSON.stringify(file)} still has conflict markers`, {
      hint: "Edit it until none is left, or choose with git_resolve_conflict: use ours or theirs, regions, or text.",
    });
  }
}

/** Whether there are more of them than in both sides, which may have had lines that look like markers before. */
async function hasMarkers(call: RepositoryCall, path: string, size: number): Promise<boolean> {
  const place = join(call.repository.root, fromFileName(path).toString());
  const entry = findEntry(place);
  if (!entry?.isFile() || entry.size > LARGEST_CHECKED) return false;
  const counts = new Map<string, number>();
  const count = (content: Buffer, by: number): void => {
    for (const [line] of content.toString("latin1").matchAll(MARKER))
      if (line.indexOf(" ") >= size) counts.set(line, (counts.get(line) ?? 0) + by);
  };
  count(readSmallFile(call.guard, place, LARGEST_CHECKED), 1);
  if (counts.size === 0) return false;
  const [, ...sides] = await readStages(call, path);
  for (const side of sides) {
    if (!side || side.mode === SUBMODULE) continue;
    const content = await readBlob(call, side.oid, LARGEST_CHECKED);
    if (!content) return false;
    count(content, -1);
  }
  return [...counts.values()].some((times) => times > 0);
}
