import { existsSync } from "node:fs";
import { join } from "node:path";

import { countOf, Fault, quotePath } from "@suite/server-kit/domain";

import type { Asked, Files, Told } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import {
  atOrBelow,
  FROM_INPUT,
  fromFileName,
  isPattern,
  listUnmatched,
  readNames,
  toPathInput,
  toPathspec,
  toPlace,
  toRepositoryPath,
} from "../names.ts";
import { FORCE_REMOVE, onDisk, splitByLinks } from "../reading/behind-links.ts";
import { toPathHint } from "../reading/files.ts";
import { findHunks, toPatch } from "../reading/hunks.ts";
import { namesOf, readStatus, type Status } from "../reading/status.ts";
import type { RepositoryChange, ChangeTool } from "./changes.ts";
import { requireNoMarkers } from "./conflict-markers.ts";
import { requireUnfiltered } from "./filters.ts";
import { replaceIndex, withTemporaryIndex } from "./snapshot.ts";

/** Stages files as they are now, including deletions. Git lists them first, so that a dry run reports the same files. */
export const stageFiles: ChangeTool<{ files: typeof Files }, Told<{}>> = async (call, change, asked) => {
  const paths = asked.files.map((file) => toRepositoryPath(call.repository, file));
  const found = await findStageable(call, paths, await readStatus(call, { untracked: "all" }));
  if (found.length === 0 || asked.dry_run) return { changed: found };
  await change.begin({ tool: "git_add", summary: `stage ${describeFiles(found)}` });
  await keepingIndex(call, change, () => addFiles(call, change, found));
  return { changed: found };
};

export const describeFiles = (files: readonly string[]): string =>
  files.length === 1 ? (files[0] ?? "") : `${files.length} files`;

/** Call only after `change.begin`. */
export async function addFiles(
  call: RepositoryCall,
  change: RepositoryChange,
  files: readonly string[],
): Promise<void> {
  const { there, gone } = splitByLinks(call.repository, files);
  if (gone.length > 0) await change.run(FORCE_REMOVE, { input: toPathInput(gone) });
  if (there.length === 0) return;
  // Files may be outside of a sparse checkout, or in a directory that is tracked in other letters: only `git add` looks.
  const args = (await hasSetting(call, "(sparsecheckout|ignorecase)")) ? ADD : ADD_BY_NAME;
  const { stderr } = await change.run(args, { input: toPathInput(there) });
  const [, ignored] = /^Ignoring path (.+)$/m.exec(stderr) ?? [];
  if (ignored === undefined) return;
  throw new Fault("invalid_input", `Git takes in nothing with the name ${quotePath(ignored)}`, {
    hint: "Leave it out, and name the other files.",
  });
}

const ADD = ["--literal-pathspecs", "add", "--all", ...FROM_INPUT];
/** `git add` would compare every name with every file. */
const ADD_BY_NAME = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];

async function hasSetting(call: RepositoryCall, key: string): Promise<boolean> {
  const args = ["config", "--type=bool", "--get-regexp", String.raw`^core\.${key}$`];
  return / true$/m.test(await call.text(args, { accept: [1] }));
}

/** Restores the index if `work` fails. `work` calls `hasStaged` once it has staged. */
export async function keepingIndex(
  call: RepositoryCall,
  change: RepositoryChange,
  work: (hasStaged: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const readState = async (): Promise<string> => {
    const commands = [["rev-parse", "--verify", "--quiet", "HEAD"], ["write-tree"]];
    const reads = commands.map((args) => change.putBack(args, { accept: [1, 128] }));
    return (await Promise.all(reads)).map(({ stdout }) => stdout.toString()).join("");
  };
  await withTemporaryIndex(call, async (copy) => {
    let staged: string | undefined;
    try {
      await work(async () => {
        staged = await readState();
      });
    } catch (thrown) {
      try {
        // Others may stage while hooks run, and a hook may fail after the commit was made: then the index is not ours to restore.
        const isOurs = staged === undefined ? !isLocked(thrown) : staged === (await readState());
        if (isOurs) replaceIndex(call.repository, copy);
      } catch {
        // The first failure is the one to report.
      }
      throw thrown;
    }
  });
}

/** Another process holds the index, so staging has not begun. */
const isLocked = (thrown: unknown): boolean => thrown instanceof Fault && thrown.code === "unavailable";

/** Files at or below these paths that are different from the index, each by its own name. The status has untracked files. */
export async function findStageable(
  call: RepositoryCall,
  paths: readonly string[],
  status: Status,
): Promise<readonly string[]> {
  const conflicts = status.conflicts.map(({ path }) => path);
  // Git lists a nested repository with a trailing slash; it is never staged.
  const untracked = status.untracked.filter((name) => !name.endsWith("/"));
  const candidates = [...namesOf(status.unstaged), ...untracked, ...conflicts];
  const known = [...candidates, ...status.staged.map((file) => file.path)];
  for (const path of listUnmatched(paths, known))
    if (path !== "") await requireTracked(call, path, untracked);
  const isMeant = atOrBelow(paths);
  await requireNoMarkers(call, conflicts.filter(isMeant));
  const found = [...new Set(candidates)].filter(isMeant).toSorted();
  await requireUnfiltered(call, onDisk(call.repository, found));
  await requireInCone(call, found);
  return found;
}

/** Git does not stage what a sparse checkout leaves out, and only it knows what that is. Without the file, that is nothing. */
async function requireInCone(call: RepositoryCall, files: readonly string[]): Promise<void> {
  if (!existsSync(join(call.repository.gitDir, "info", "sparse-checkout"))) return;
  const { there } = splitByLinks(call.repository, files);
  if (there.length === 0 || !(await hasSetting(call, "sparsecheckout"))) return;
  await call.run([...ADD, "--dry-run"], { input: toPathInput(there) });
}

const PATTERN_HINT =
  "Patterns are not expanded here: name files or directories, as git_status lists them. A directory stands for all in it.";

/** Accepts unchanged files; refuses a path that is neither changed nor tracked: mistyped, or ignored. */
async function requireTracked(
  call: RepositoryCall,
  path: string,
  untracked: readonly string[],
): Promise<void> {
  if (await isTracked(call, path)) return;
  // With ./ in front, no name is taken for a pattern.
  const input = Buffer.concat([Buffer.from("./"), fromFileName(path), Buffer.of(0)]);
  const ignored = await call.run(["check-ignore", "-z", "--stdin"], { accept: [1], input });
  const otherwise = "git_status shows what can be staged.";
  if (ignored.code === 0)
    throw new Fault("invalid_input", `${JSON.stringify(path)} is ignored (.gitignore)`, {
      hint: isPattern(path) ? PATTERN_HINT : otherwise,
    });
  // Some file systems find a file by other letters than its own.
  const says = existsSync(toPlace(call.repository, path))
    ? "is no name that git can stage"
    : "is neither there nor tracked";
  throw new Fault("not_found", `${JSON.stringify(path)} ${says}`, {
    hint: isPattern(path) ? PATTERN_HINT : await toPathHint(call, path, otherwise, untracked),
  });
}

/** What is there but untracked is not taken for another file with a similar name. */
export async function refuseUntracked(call: RepositoryCall, path: string, otherwise: string): Promise<Fault> {
  const untracked = await readNames(call, ["ls-files", "-z", "--others", "--", toPathspec(path)]);
  const hint = untracked.length > 0 ? otherwise : await toPathHint(call, path, otherwise);
  return new Fault("not_found", `${JSON.stringify(path)} is not tracked`, {
    hint: isPattern(path) ? PATTERN_HINT : hint,
  });
}

/** Whether the index has it, or something below it. */
export async function isTracked(call: RepositoryCall, path: string): Promise<boolean> {
  const args = ["--literal-pathspecs", "ls-files", "-z", "--error-unmatch", "--", toPlain(path)];
  return (await readNames(call, args, { accept: [1] })).length > 0;
}

const toPlain = (path: string): string => fromFileName(path).toString();

export type HunkDirection = "stage" | "unstage";

/** Stages or unstages hunks by their ids, and checks that they really moved. */
export async function applyHunks(
  call: RepositoryCall,
  change: RepositoryChange,
  { ids, dry_run: dryRun }: Asked<{ ids: typeof Files }>,
  direction: HunkDirection,
): Promise<{ readonly hunks: string[]; readonly changed: readonly string[] }> {
  const side = direction === "stage" ? "unstaged" : "staged";
  const { hunks, readAgain } = await findHunks(call, side, ids);
  const done = { hunks: hunks.map(({ id }) => id), changed: [...new Set(hunks.map(({ path }) => path))] };
  if (direction === "stage") await requireUnfiltered(call, done.changed);
  const input = toPatch(hunks, side);
  const reverse = direction === "unstage" ? ["--reverse"] : [];
  const args = ["apply", "--cached", "--recount", "--whitespace=nowarn", ...reverse];
  // Fails before the change begins if the patch would not apply.
  await call.run([...args, "--check", "-"], { input });
  if (dryRun) return done;
  await change.begin({
    tool: `git_${direction}_hunks`,
    summary: `${direction} ${countOf(hunks.length, "hunk")} of ${describeFiles(done.changed)}`,
  });
  await change.run([...args, "-"], { input });
  const places = new Set((await readAgain()).map(({ place }) => place));
  const stuck = hunks.filter(({ place }) => places.has(place));
  if (stuck.length > 0)
    throw new Fault(
      "internal",
      `git did not ${direction} ${stuck.map(({ id }) => id).join(", ")}, though it said so`,
    );
  return done;
}
