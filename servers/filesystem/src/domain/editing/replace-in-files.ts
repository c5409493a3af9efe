import { countOf, etagOf, Fault, type PathGuard, readBytes, writeNewFile } from "@suite/server-kit/domain";
import type { WalkReport } from "../walking/start.ts";
import {
  type Applied,
  applyChange,
  type ChangeRequest,
  MOST_NAMED,
  type Proposal,
} from "../writing/changes/apply-change.ts";
import { withFile } from "../writing/current-file.ts";
import {
  type FileReplacement,
  type FoundReplacements,
  findReplacements,
  type ReplaceScope,
} from "./find-replacements.ts";
import type { Preview } from "../writing/source-text.ts";
import { createReplacer, type ReplacerOptions } from "./replacer.ts";

export interface ReplaceInput extends ReplaceScope, ReplacerOptions {
  /** How many replacements a dry run found. */
  readonly expected_count?: number | undefined;
}

export interface ReplacedFiles extends Preview, WalkReport {
  /** What paths in the diff are relative to. */
  path?: string;
  /** In all files. */
  count: number;
  /** How many in each file, in the order of the paths that are changed; of the first of them. */
  counts: number[];
  files: number;
  /** Names of these files that are not changed with them, and keep the old content. */
  other_names?: number;
  /** How many of these files were other names of one of them, and become files of their own. */
  separated_names?: number;
}

interface ReplaceRequest extends ChangeRequest {
  readonly onProgress?: (seen: number) => void;
}

/**
 * Replaces a text in many files: in all of them, or in none. Who does not say how many replacements are expected has
 * not seen them yet, and only gets to see them.
 */
export async function replaceInFiles(
  request: ReplaceRequest,
  input: ReplaceInput,
): Promise<ReplacedFiles & Applied> {
  const { guard, signal, onProgress } = request;
  const { expected_count: expected } = input;
  const replacer = await createReplacer(input);
  const isDryRun = request.isDryRun === true || expected === undefined;
  return applyChange({ ...request, isDryRun }, [], async () => {
    const found = await findReplacements(input, { guard, replacer, signal, onProgress });
    const count = found.files.reduce((sum, file) => sum + file.count, 0);
    if (expected !== undefined && expected !== count) throw refuseOther(expected, count);
    return propose(request, found, count, isDryRun);
  });
}

function propose(
  { guard }: ReplaceRequest,
  { files, base, preview, report }: FoundReplacements,
  count: number,
  isDryRun: boolean,
): Proposal<ReplacedFiles> {
  const links = countLinks(files);
  const describe = (): ReplacedFiles => ({
    count,
    files: files.length,
    counts: files.slice(0, MOST_NAMED).map((file) => file.count),
    ...(isDryRun && preview),
    ...(base !== undefined && { path: base }),
    ...links,
    ...report,
  });
  if (files.length === 0) return { describe };
  return {
    describe,
    plan: {
      tool: "replace_in_files",
      summary: `replaced ${countOf(count, "time")} in ${countOf(files.length, "file")}`,
      operations: files.map(({ path, stats, bytes, etag }) => ({
        kind: "put",
        path,
        replaces: true,
        basedOn: etag,
        fill: (temporary) => writeNewFile({ path: temporary, like: stats }, bytes),
      })),
      isCurrent: () => files.every((file) => isAsRead(guard, file)),
    },
  };
}

/** Several of the files may be names of the same one. */
function countLinks(
  files: readonly FileReplacement[],
): Pick<ReplacedFiles, "other_names" | "separated_names"> {
  const names = new Map(files.map(({ stats: { dev, ino, nlink } }) => [`${dev}-${ino}`, Number(nlink)]));
  const others = [...names.values()].reduce((sum, count) => sum + count, 0) - files.length;
  const separated = files.length - names.size;
  return { ...(others > 0 && { other_names: others }), ...(separated > 0 && { separated_names: separated }) };
}

/** By content, as it was found. */
const isAsRead = (guard: PathGuard, { path, stats: { size }, etag }: FileReplacement): boolean =>
  withFile(
    guard,
    path,
    ({ fd, stats }) => stats.size === size && etagOf(readBytes(fd, 0, Number(size))) === etag,
  ) === true;

const refuseOther = (expected: number, count: number): Fault =>
  new Fault("precondition_failed", `There are ${count} replacements to make, not ${expected}`, {
    hint: "Nothing was changed. Look at them with dry_run, then give that number.",
    details: { count },
  });
