import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import {
  codeOf,
  Fault,
  KeyedLocks,
  type PathGuard,
  quotePath,
  type SafePath,
  type StopSignal,
} from "@suite/server-kit/domain";
import * as v from "valibot";

import { type Asked, FromOne, type Told } from "../fields.ts";
import type { Git } from "../git/git.ts";
import { RepositoryCall } from "../git/repository-call.ts";
import { readStatus } from "../reading/status.ts";
import { directoriesAbove, isGitDir, openAt, type Repository } from "../repository/repository.ts";
import { toAddress } from "./address.ts";
import { reportTo, type TransferWatcher } from "./remotes.ts";

export interface NewContext {
  readonly git: Git;
  readonly guard: PathGuard;
  readonly signal: StopSignal;
}

export const INIT = {
  path: v.string(),
  branch: v.optional(v.pipe(v.string(), v.description("Default: main"))),
  bare: v.optional(v.boolean()),
};

export const MADE = { path: v.string(), branch: v.exactOptional(v.string()) };
export const CLONED = { ...MADE, commit: v.exactOptional(v.string()) };

export async function init(
  { git, guard, signal }: NewContext,
  { path: given, branch = "main", bare, dry_run: dryRun }: Asked<typeof INIT>,
): Promise<Told<typeof MADE>> {
  const place = findPlace(guard, given);
  requireName(branch);
  return places.run([place], signal, async () => {
    if (openAt(guard, place, { trusted: false }))
      throw new Fault("conflict", `${quotePath(place)} is a git repository already`);
    // Git would complete a partial git directory, and follow symlinks in it.
    requireFree(bare ? place : join(place, ".git"));
    if (dryRun) return { path: place, changed: [place] };
    // Without a template, so that no hooks are copied.
    const flags = ["--quiet", "--template=", `--initial-branch=${branch}`, ...(bare ? ["--bare"] : [])];
    await git.runAlone(["init", ...flags, "--", place], { signal, writes: true });
    return { path: place, changed: [place], branch };
  });
}

export const CLONE = {
  url: v.string(),
  path: v.optional(v.string()),
  branch: v.optional(v.string()),
  depth: v.optional(FromOne),
};

export async function clone(
  { git, guard, signal }: NewContext,
  { url, path: given, branch, depth, dry_run: dryRun }: Asked<typeof CLONE>,
  watcher: TransferWatcher,
): Promise<Told<typeof CLONED>> {
  const base = guard.roots[0] ?? "/";
  const { protocols: network, path: source = url } = toAddress(guard, url, base, { trusted: git.isTrusting });
  const place = findPlace(guard, given ?? toName(url));
  requireFree(place);
  if (branch !== undefined) requireName(branch);
  if (dryRun) return { path: place, changed: [place] };
  const flags = [
    ...(branch === undefined ? [] : [`--branch=${branch}`]),
    ...(depth === undefined ? [] : [`--depth=${depth}`]),
    // Copies objects instead of linking them.
    ...(network === "file" ? ["--no-local", "--no-hardlinks"] : []),
  ];
  const args = [
    "clone",
    "--progress",
    "--template=",
    "--no-recurse-submodules",
    "--upload-pack=git-upload-pack",
  ];
  let wasKilled = false;
  const onKill = (): void => void (wasKilled = true);
  const options = { signal, network, writes: true, onProgress: reportTo(watcher), onKill };
  return places.run([place], signal, async () => {
    const isOurs = makePlace(place);
    try {
      await git.runAlone([...args, ...flags, "--", source, place], options);
    } catch (thrown) {
      // Git cleans up after itself unless it was killed. Otherwise, remaining files belong to another process.
      if (isOurs && (wasKilled || readdirSync(place).length === 0)) rmSync(place, { recursive: true });
      throw thrown;
    }
    const repository = openAt(guard, place, { trusted: false }) as Repository;
    const { branch: made, head } = await readStatus(new RepositoryCall(git, guard, repository, signal));
    // A clone of an empty repository has no commit.
    const facts = {
      ...(made !== undefined && { branch: made }),
      ...(head !== undefined && { commit: head }),
    };
    return { path: place, changed: [place], ...facts };
  });
}

/** Paths where a repository is being created. */
const places = new KeyedLocks();

/** Creates the directory. True if it did not exist before: only then may it be removed after a failure. */
function makePlace(place: string): boolean {
  mkdirSync(dirname(place), { recursive: true });
  try {
    mkdirSync(place);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
    requireFree(place);
    return false;
  }
}

function requireFree(place: string): void {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found && (!found.isDirectory() || readdirSync(place).length > 0))
    throw new Fault("conflict", `${quotePath(place)} exists already, and is not an empty directory`);
}

/** A path inside the allowed directories, and not inside a git directory. */
export function findPlace(guard: PathGuard, given: string): SafePath {
  const place = guard.locate(given, { intent: "write" });
  const isNamedGit = place.split(/[\\/]/).some((part) => part.toLowerCase() === ".git");
  if (isNamedGit || [...directoriesAbove(guard, dirname(place))].some(isGitDir))
    throw new Fault("invalid_input", `${quotePath(given)} is inside a git directory`);
  return place;
}

/** The last part of the address, as git itself would name the directory. */
function toName(url: string): string {
  const name = basename(
    url
      .replace(/[?#].*$/, "")
      .replace(/\/+$/, "")
      .replaceAll(":", "/"),
  ).replace(/\.git$/, "");
  if (/^[\w][\w.-]*$/.test(name)) return name;
  throw new Fault("invalid_input", "Give path: the address does not end with a name");
}

function requireName(branch: string): void {
  // oxlint-disable-next-line no-control-regex -- git takes none in a name
  if (!/^-|\.\.|@\{|[\x00-\x20~^:?*[\\\x7f]|\/$|^\/|\.$|\.lock$/.test(branch) && branch !== "") return;
  throw new Fault("invalid_input", `${JSON.stringify(branch)} is not a name for a branch`);
}
