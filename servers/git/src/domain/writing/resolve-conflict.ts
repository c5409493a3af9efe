import { isUtf8 } from "node:buffer";

import { Fault, fitText, shownSize } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type Asked, FromOne, type Told } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { FROM_INPUT, fromFileName, toPathInput, toRepositoryPath } from "../names.ts";
import { readAttribute } from "../reading/attributes.ts";
import { FORCE_REMOVE } from "../reading/behind-links.ts";
import {
  LARGEST_FILE,
  mergeStages,
  readBlob,
  readStages,
  refuseUnknown,
  type Region,
  type Stage,
  type Stages,
  SUBMODULE,
  uniteSides,
} from "../reading/conflicts.ts";
import { readStatus } from "../reading/status.ts";
import type { RepositoryChange } from "./changes.ts";
import { requireNoMarkers } from "./conflict-markers.ts";
import { requireUnfiltered } from "./filters.ts";
import { requireNothingInTheWay } from "./in-the-way.ts";

const Choice = v.strictObject({
  region: FromOne,
  use: v.optional(v.picklist(["ours", "theirs", "base", "both"])),
  // Instead of any side.
  text: v.optional(v.string()),
});

type Choice = v.InferOutput<typeof Choice>;

export const RESOLUTION = {
  path: v.string(),
  // `both`: ours, then theirs, in every region. `file`: as it is on disk now. `deleted`: remove it.
  use: v.optional(v.picklist(["ours", "theirs", "both", "file", "deleted"])),
  regions: v.optional(v.pipe(v.array(Choice), v.minLength(1))),
  text: v.optional(v.string()),
};

type ResolveRequest = Asked<typeof RESOLUTION>;

export const RESOLVED = {
  remaining: v.number(),
  // In a dry run: what the file would be, as far as it fits.
  text: v.exactOptional(v.string()),
  cut: v.exactOptional(v.literal(true)),
};

const REMOVE = ["--literal-pathspecs", "rm", "--quiet", "--force"];

/** Writes the resolved file and stages it. */
export async function resolveConflict(
  call: RepositoryCall,
  change: RepositoryChange,
  { path: given, use, text, regions, dry_run: dryRun }: ResolveRequest,
  budget: number,
): Promise<Told<typeof RESOLVED>> {
  if ([use, text, regions].filter((way) => way !== undefined).length !== 1) {
    throw new Fault("invalid_input", "Pass exactly one of `use`, `text` or `regions`");
  }
  const path = toRepositoryPath(call.repository, given);
  const { conflicts } = await readStatus(call);
  if (!conflicts.some((conflict) => conflict.path === path)) throw refuseUnknown(path, conflicts);
  const stages = (await readStages(call)).get(path) ?? [];
  const [, ours, theirs] = stages;
  // Undefined if that side deleted the file, or no side was chosen.
  const chosen = use === "ours" ? ours : use === "theirs" ? theirs : undefined;
  const choices = use === "both" ? use : regions;
  const content = choices ? await chooseRegions(call, stages, path, choices) : text;
  const remaining = conflicts.length - 1;
  const isWritten = content !== undefined || (chosen !== undefined && chosen.mode !== SUBMODULE);
  if (isWritten) await requireNothingInTheWay(call, [path]);
  if (use === "file") await requireNoMarkers(call, [path]);
  if (use === "file" || content !== undefined) await requireUnfiltered(call, [path]);
  if (dryRun) {
    const bytes = isWritten && chosen ? await readBlob(call, chosen.oid, LARGEST_FILE) : undefined;
    return { changed: [path], remaining, ...preview(content ?? toText(bytes), budget / 2) };
  }
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
    const isConverted = text !== undefined && !(await isEncoded(call, path));
    const stored = chosen ?? (await storeText(change, stages, content ?? "", isConverted ? path : undefined));
    await writeResolved(change, input, stored);
  }
  return { changed: [path], remaining };
}

const toText = (bytes: Buffer | undefined): string | undefined =>
  bytes && isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;

function preview(text: string | undefined, budget: number): { readonly text?: string; readonly cut?: true } {
  if (text === undefined) return {};
  return shownSize(text) <= budget ? { text } : { text: fitText(text, 0, budget), cut: true };
}

/** With a path, the text is converted as that file would be: line ends, filters. */
async function storeText(
  change: RepositoryChange,
  [base, ours, theirs]: Stages,
  content: string,
  path: string | undefined,
): Promise<Stage> {
  const convert = path === undefined ? {} : { lastArgument: fromFileName(path) };
  // Git would refuse line ends that are not what a checkout would write.
  const args = [
    "-c",
    "core.safecrlf=false",
    "hash-object",
    "-w",
    "--stdin",
    ...(path === undefined ? [] : ["--path"]),
  ];
  const { stdout } = await change.run(args, { input: content, ...convert });
  const isTheirs = ours === undefined || (theirs !== undefined && ours.mode === base?.mode);
  const mode = (isTheirs ? theirs : ours)?.mode ?? "100644";
  return { mode: mode.startsWith("100") ? mode : "100644", oid: stdout.toString().trim() };
}

/** Whether files have another encoding on disk than in git. Text from a caller is as in git. */
const isEncoded = async (call: RepositoryCall, path: string): Promise<boolean> => {
  const encodings = await readAttribute(call, "working-tree-encoding", [path]);
  return !/^un(?:set|specified)$/.test(encodings.get(path) ?? "unset");
};

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
  given: readonly Choice[] | "both",
): Promise<string> {
  const merged = await mergeStages(call, stages);
  if (!merged) {
    throw new Fault("unsupported", `${JSON.stringify(path)} has no regions to choose from`, {
      hint: "It is no text, too large, or missing on one side: use ours or theirs, or give its text.",
    });
  }
  const known = merged.flatMap((part) => (typeof part === "string" ? [] : [part.region]));
  const choices = given === "both" ? known.map((region) => ({ region, use: given })) : given;
  const left = known.filter((region) => !choices.some((choice) => choice.region === region));
  const strange = choices.find(({ region }) => !known.includes(region));
  if (left.length > 0 || strange) {
    const what = strange ? `there is no region ${strange.region}` : `no choice given for ${left.join(", ")}`;
    throw new Fault("invalid_input", `${JSON.stringify(path)} has regions ${known.join(", ")}: ${what}`);
  }
  let text = "";
  for (const part of merged) text += typeof part === "string" ? part : await applyChoice(call, part, choices);
  return text;
}

async function applyChoice(call: RepositoryCall, part: Region, choices: readonly Choice[]): Promise<string> {
  const choice = choices.findLast(({ region }) => region === part.region);
  const sides = `${part.ours}${part.theirs}`;
  const isDos = sides.includes("\r\n") && !/(?<!\r)\n/.test(sides);
  const end = isDos ? "\r\n" : "\n";
  if (choice?.text !== undefined)
    return withEnd(isDos ? choice.text.replaceAll(/\r?\n/g, end) : choice.text, end);
  if (choice?.use === "both") return uniteSides(call, part, (ours, theirs) => withEnd(ours, end) + theirs);
  if (choice?.use === undefined)
    throw new Fault("invalid_input", `Say which side to use in region ${part.region}, or give its text`);
  return part[choice.use];
}

const withEnd = (text: string, end: string): string =>
  text === "" || text.endsWith("\n") ? text : `${text}${end}`;
