import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import platformPath, { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import { Fault, isWithin, type PathGuard, quotePath, type SafePath } from "@suite/server-kit/domain";

import { parseConfig, type Setting } from "./config-file.ts";
import { toOverrides } from "./safe-settings.ts";
import { findEntry, findSteps, readSmallText } from "./small-file.ts";
import { searchDirectory, stampOf } from "./stamps.ts";

/** A repository inside the boundary. All directories that it consists of have been checked. */
export interface Repository {
  /** The work tree, or where a bare repository was found. Absolute, without links. */
  readonly root: SafePath;
  readonly gitDir: SafePath;
  /** The same as gitDir, except in a linked work tree. */
  readonly commonDir: SafePath;
  readonly isBare: boolean;
  readonly settings: readonly Setting[];
  /**
   * Settings, as `name=value`, that prevent the repository's configuration from making git run programs. Call this right before
   * git is started: the configuration may have changed since the repository was opened.
   */
  readonly overrides: () => readonly string[];
}

export interface RepositoryOptions {
  /** Whether the operator trusts the repository's configuration. */
  readonly trusted: boolean;
}

/** The repository that contains a path. Only reads files: git must not run before its directories are checked. */
export function openRepository(guard: PathGuard, given: string, options: RepositoryOptions): Repository {
  const start = guard.locate(given);
  // Otherwise a missing path would resolve to the repository of a directory above it.
  if (!lstatSync(start, { throwIfNoEntry: false })) throw refuseMissing(given);
  for (let directory = start; ; directory = dirname(directory) as SafePath) {
    // A bare repository inside a work tree may be malicious, so it is only opened if it is named itself.
    const found =
      directory === start || isThere(directory, ".git") ? openAt(guard, directory, options) : undefined;
    if (found) return found;
    const parent = dirname(directory);
    if (parent === directory || !guard.roots.some((root) => isWithin(parent, root))) break;
  }
  throw refuseMissing(given);
}

const refuseMissing = (given: string): Fault =>
  new Fault("not_found", `${quotePath(given)} is not a git repository, nor inside one`, {
    hint: "git_list_repositories shows the repositories there are.",
  });

/** The repository of exactly this directory, if it is one. */
export function openAt(
  guard: PathGuard,
  root: SafePath,
  { trusted }: RepositoryOptions,
): Repository | undefined {
  const boundary = { guard, trusted, bare: new Map() };
  const gitDir = findGitDir(boundary, root);
  if (gitDir === undefined) return undefined;
  const commonDir = findCommonDir(boundary, gitDir);
  requireLinksInside(boundary, gitDir);
  if (commonDir !== gitDir) requireLinksInside(boundary, commonDir);
  requireAlternatesInside(boundary, locateOwn(boundary, commonDir, "objects", "its objects directory"));
  if (sep === "\\") requireWorktreesHere(guard, join(commonDir, "worktrees"));
  const readNow = followFiles(configFiles(gitDir, commonDir), () => {
    const settings = readSettings(guard, gitDir, commonDir);
    // Refuses what cannot be overridden.
    return { settings, overrides: trusted ? [] : toOverrides(settings) };
  });
  const { settings } = readNow();
  const isBare = gitDir === root || (gitDir === commonDir && saysBare(settings));
  requireOwnWorkTree(settings, gitDir, isBare ? undefined : root);
  if (!trusted) requireNotGits(guard, root);
  return { root, gitDir, commonDir, isBare, settings, overrides: () => readNow().overrides };
}

const configFiles = (gitDir: string, commonDir: string): readonly string[] => [
  join(commonDir, "config"),
  join(gitDir, "config.worktree"),
];

const readSettings = (guard: PathGuard, gitDir: string, commonDir: string): readonly Setting[] =>
  configFiles(gitDir, commonDir)
    .filter((file) => findEntry(file))
    .flatMap((file) => parseConfig(readSmallText(guard, file)));

/** Reads again whenever the files are not as they were. */
function followFiles<T>(files: readonly string[], read: () => T): () => T {
  let known: { readonly stamps: string; readonly content: T } | undefined;
  return () => {
    const stamps = files.map(stampOf).join("|");
    if (known?.stamps !== stamps) known = { stamps, content: read() };
    return known.content;
  };
}

const saysBare = (settings: readonly Setting[]): boolean =>
  /^(?:true|yes|on|1)$/i.test(settingOf(settings, "core.bare") ?? "");

/** The limits that every directory of a repository must be in. */
interface Boundary extends RepositoryOptions {
  readonly guard: PathGuard;
  /** Bare repositories by the directory of their .git. A cache: a repository may have many links. */
  readonly bare: Map<string, SafePath | undefined>;
}

/**
 * Git must not read its own files from a work tree: a checkout could replace the configuration or add links after all
 * checks. Any directory with a .git may be a work tree, and only paths below a .git are never checked out.
 */
function requireUntracked(boundary: Boundary, path: string, what: string): void {
  for (const directory of directoriesAbove(boundary.guard, path)) {
    const names = relative(directory, path).toLowerCase().split(sep);
    if (names.includes(".git") || !isThere(directory, ".git")) continue;
    const { bare } = boundary;
    if (!bare.has(directory)) bare.set(directory, findBareAt(boundary, directory));
    const around = bare.get(directory);
    // The inside of a bare repository is not a work tree.
    if (around !== undefined && isWithin(path, around)) continue;
    const where = `the work tree ${quotePath(directory)}`;
    throw refuse(`${what} leads into ${where}, where a checkout could replace it`, { hint: MOVE });
  }
}

/** Directories for git's own files. Work trees under other names in a bare repository are common. */
const GITS_OWN =
  /^(?:branches|hooks|info|logs|modules|objects|rebase-\w+|refs|reftable|remotes|sequencer|worktrees)$/i;

/** A checkout there would write files that git reads for another repository. */
function requireNotGits(guard: PathGuard, root: SafePath): void {
  for (const directory of directoriesAbove(guard, dirname(root))) {
    const [name = ""] = relative(directory, root).split(sep);
    if (GITS_OWN.test(name) && isGitDir(directory) && isThere(root, ".git"))
      throw refuse(`it lies among git's own files in ${quotePath(directory)}`, { hint: MOVE });
  }
}

/** The path itself and the directories above it, up to the boundary. */
export function* directoriesAbove(guard: PathGuard, path: string): Generator<SafePath> {
  for (let directory = path; guard.roots.some((root) => isWithin(directory, root));) {
    yield directory as SafePath;
    const parent = dirname(directory);
    if (parent === directory) return;
    directory = parent;
  }
}

/** The bare repository that the directory's .git leads to, if any. */
function findBareAt(boundary: Boundary, directory: SafePath): SafePath | undefined {
  // Skips further checks: the repository is not opened here.
  const asked = { ...boundary, trusted: true };
  const gitDir = findGitDir(asked, directory);
  if (gitDir === undefined || findCommonDir(asked, gitDir) !== gitDir) return undefined;
  return saysBare(readSettings(boundary.guard, gitDir, gitDir)) ? gitDir : undefined;
}

const settingOf = (settings: readonly Setting[], name: string): string | undefined =>
  settings.findLast(
    ({ section, subsection, key }) => subsection === undefined && `${section}.${key}` === name,
  )?.value;

function findGitDir(boundary: Boundary, root: SafePath): SafePath | undefined {
  if (!isThere(root, ".git")) {
    return isGitDir(root) && basename(root) !== ".git"
      ? locateOwn(boundary, root, ".", "its path")
      : undefined;
  }
  const real = locateOwn(boundary, root, ".git", "its .git");
  if (statSync(real).isDirectory()) return isGitDir(real) ? real : undefined;
  const pointed = /^gitdir: (.+?)[\r\n]*$/s.exec(readSmallText(boundary.guard, real))?.[1];
  if (pointed === undefined) return undefined;
  const target = locateOwn(boundary, dirname(real), pointed, "its .git file");
  return isGitDir(target) ? target : undefined;
}

/** For a directory that git looks at without being asked to: what its .git leads to is inside, if it has one. */
export function requireGitInside(guard: PathGuard, directory: SafePath): void {
  const boundary = { guard, trusted: true, bare: new Map() };
  try {
    const gitDir = findGitDir(boundary, directory);
    if (gitDir !== undefined) findCommonDir(boundary, gitDir);
  } catch (thrown) {
    const why = thrown instanceof Fault ? thrown.message : "it cannot be read";
    const message = `Git might go into another repository at ${quotePath(directory)}: ${why}`;
    throw new Fault("permission_denied", message, { hint: MOVE, cause: thrown });
  }
}

/** Uses the same criteria as git. */
export const isGitDir = (path: string): boolean =>
  isThere(path, "HEAD") &&
  (isThere(path, "commondir") || (isThere(path, "objects") && isThere(path, "refs")));

const isThere = (path: string, name: string): boolean => findEntry(join(path, name)) !== undefined;

function findCommonDir(boundary: Boundary, gitDir: SafePath): SafePath {
  if (!isThere(gitDir, "commondir")) return gitDir;
  const pointed = readSmallText(boundary.guard, join(gitDir, "commondir")).replace(/[\r\n]+$/, "");
  return locateOwn(boundary, gitDir, pointed, "its commondir file");
}

/** Far more than any repository that was ever packed. */
const MOST_ENTRIES = 500_000;

/**
 * Git opens files below its directory by name: refs, logs, objects, the state of an operation. Through a link it would read
 * and write elsewhere. Looks each time, for what is at this path now may have come there since; only directories that are
 * still the same are not read again.
 */
function requireLinksInside(boundary: Boundary, gitDir: string): void {
  const queue: Buffer[] = [Buffer.from(gitDir)];
  const linked = new Set<string>();
  for (let count = 0; queue.length > 0;) {
    const searched = searchDirectory(queue.pop() as Buffer);
    if (!searched) continue;
    if ((count += searched.entries) > MOST_ENTRIES)
      throw refuse(`there are more than ${MOST_ENTRIES} entries in its git directory`);
    for (const directory of searched.directories) queue.push(directory);
    for (const link of searched.links) {
      const target = locateLink(boundary, gitDir, link);
      if (target === undefined || linked.has(target)) continue;
      linked.add(target);
      queue.push(Buffer.from(target));
    }
  }
}

/** Where a link below a git directory leads; undefined for a hook: none is run unless the repository is trusted. */
function locateLink(boundary: Boundary, gitDir: string, link: Buffer): SafePath | undefined {
  if (!isUtf8(link)) throw refuse("it contains a symlink whose name is not valid UTF-8");
  const path = link.toString();
  const name = relative(gitDir, path).replaceAll(sep, "/");
  // These often lead into the work tree.
  const isHook = HOOKS.test(name);
  const limits = { ...boundary, trusted: boundary.trusted || isHook };
  const target = locateOwn(limits, dirname(path), basename(path), `the link ${quotePath(name)}`);
  return isHook ? undefined : target;
}

const HOOKS = /^(?:modules\/.+\/)?hooks(?:\/|$)/;

/** Alternates can name further alternates, even in a cycle. */
const MOST_ALTERNATES = 100;

function requireAlternatesInside(boundary: Boundary, objects: string): void {
  const places = new Set([objects]);
  let count = 0;
  for (const place of places) {
    const file = join(place, "info", "alternates");
    if (!lstatSync(file, { throwIfNoEntry: false })) continue;
    for (const line of readSmallText(boundary.guard, file).split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      if ((count += 1) > MOST_ALTERNATES)
        throw refuse(`it has more than ${MOST_ALTERNATES} alternates`, { hint: "Name fewer of them." });
      // Not unquoted here: only unusual paths need quotes.
      if (line.startsWith('"')) throw refuse("one of its alternates has a quoted path");
      const alternate = locateOwn(boundary, place, line, "one of its alternates");
      requireLinksInside(boundary, alternate);
      places.add(alternate);
    }
  }
}

/** Git looks at every work tree that is named there, whatever it is asked to do. Only Windows has shares. */
function requireWorktreesHere(guard: PathGuard, worktrees: string): void {
  if (!statSync(worktrees, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const name of readdirSync(worktrees)) {
    const [own, file] = [join(worktrees, name), join(worktrees, name, "gitdir")];
    if (findEntry(file) && isOnAnotherMachine(own, readSmallText(guard, file).trim()))
      throw refuse(`its work tree ${quotePath(name)} is on another machine`, { hint: PRUNE });
  }
}

function requireOwnWorkTree(settings: readonly Setting[], gitDir: string, root: string | undefined): void {
  const pointed = settingOf(settings, "core.worktree");
  if (pointed === undefined) return;
  if (root === undefined || findReal(gitDir, pointed) !== root) {
    throw refuse("its core.worktree names another directory");
  }
}

/** Resolves a path that a repository refers to, within the same boundary as a caller's paths. */
function locateOwn(boundary: Boundary, from: string, pointed: string, what: string): SafePath {
  if (lacksDrive(pointed)) throw refuse(`${what} does not say on which drive, or where on it`);
  const path = resolve(from, pointed);
  let real: SafePath;
  try {
    real = boundary.guard.locateExact(path);
  } catch (thrown) {
    throw refuse(`${what} leads out of the directories this server may use`, { cause: thrown });
  }
  // Git resolves ".." after following links, `resolve` before. A leading ".." is the same for both.
  const goesBack = pointed.replace(/^(?:\.\.\/)+/, "").includes("..");
  if (goesBack && findReal(from, pointed) !== real) throw refuse(`${what} goes back up from a link`);
  if (boundary.trusted) return real;
  for (const step of findSteps(path)) requireUntracked(boundary, step, what);
  return real;
}

/** The path as git resolves it: links are followed before "..". */
export function findReal(from: string, pointed: string): string | undefined {
  if (isOnAnotherMachine(from, pointed)) return undefined;
  try {
    return realpathSync.native(isAbsolute(pointed) ? pointed : `${from}/${pointed}`);
  } catch {
    return undefined;
  }
}

interface Paths {
  parse(path: string): { readonly root: string };
  resolve(...paths: string[]): string;
}

/** Looking at a share of Windows says who looks to the machine that has it, which a repository could have chosen. */
export function isOnAnotherMachine(from: string, pointed: string, paths: Paths = platformPath): boolean {
  const { root } = paths.parse(paths.resolve(from, pointed));
  return root.startsWith("\\\\") && root.toLowerCase() !== paths.parse(from).root.toLowerCase();
}

/** On Windows `C:x` is in a working directory to Node.js, but in the root of C: to git; where `\x` is depends on who asks, too. */
export function lacksDrive(pointed: string, paths: Paths & { readonly sep: string } = platformPath): boolean {
  const { root } = paths.parse(pointed);
  return paths.sep === "\\" && /^(?:[a-z]:|[\\/])$/i.test(root);
}

const MOVE = "Move it out of there, or ask the operator to start the server with --trust-repository.";
const PRUNE = "Remove its directory from worktrees in the git directory.";
const NAME = "Ask the operator to name that place, too, with --repository or --allow-dir.";

const refuse = (why: string, { hint = NAME, cause }: { hint?: string; cause?: unknown } = {}): Fault =>
  new Fault("permission_denied", `This repository cannot be used: ${why}`, { hint, cause });
