import { type Dirent, lstatSync, readdirSync } from "node:fs";

import { countOf, Fault } from "@suite/server-kit/domain";

import { IN_PROGRESS_HINT, UNCOMMITTED_HINT, UNRESOLVED_HINT } from "../git/failure-readings.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, readNames, toFileName } from "../names.ts";
import { isForeign } from "../reading/own-index.ts";
import {
  type Conflict,
  findOperation,
  namesOf,
  type OperationInProgress,
  readStatus,
  type Status,
} from "../reading/status.ts";
import { listDifferences } from "./prediction.ts";
import { listHidden } from "./snapshot.ts";

const MOST_NAMED = 20;
const NO_SUBMODULES = "--ignore-submodules=all";
const FLAGS = ["-z", "--name-only", "--no-renames", "--no-ext-diff", NO_SUBMODULES];

/** The files that are different: diff-files, or diff-index with a commit. */
export async function compare(
  call: RepositoryCall,
  [command = "", ...rest]: readonly string[],
): Promise<readonly string[]> {
  const isStaged = rest.includes("--cached");
  // Staged changes of submodules are known without looking into them.
  const staged = isStaged ? ["--ignore-submodules=dirty"] : [];
  const names = await readNames(call, [command, ...FLAGS, ...staged, ...rest, "--"]);
  const hidden = isStaged ? [] : await listHidden(call);
  return hidden.length === 0 ? names : [...new Set([...names, ...hidden])];
}

/** Files of a commit that the index does not have: checking it out writes them. */
export const listMissing = (call: RepositoryCall, commit: string): Promise<readonly string[]> =>
  compare(call, ["diff-index", "--cached", "--diff-filter=D", NO_SUBMODULES, commit]);

/** Git would refuse only after it has begun, and leave a state that looks like its result. */
export async function requireSettled(call: RepositoryCall): Promise<void> {
  const operation = findOperation(call);
  if (operation !== undefined) throw refuseInProgress(operation);
  await requireResolved(call);
}

export async function requireResolved(
  call: RepositoryCall,
  isAbout = (_: string): boolean => true,
): Promise<void> {
  const { conflicts } = await readStatus(call, { submodules: "all" });
  const left = conflicts.filter(({ path }) => isAbout(path));
  if (left.length > 0) throw refuseUnresolved(left);
}

export const refuseInProgress = (operation: OperationInProgress): Fault =>
  new Fault("precondition_failed", `git ${operation} is in progress`, { hint: IN_PROGRESS_HINT });

/** The files that moving HEAD and the work tree to a commit changes. Refused, as by git, where one has uncommitted changes. */
export async function requireSwitchable(call: RepositoryCall, commit: string): Promise<readonly string[]> {
  const status = await readStatus(call, { submodules: "all" });
  const { operation, conflicts } = status;
  if (operation !== undefined && operation !== "bisect") throw refuseInProgress(operation);
  if (conflicts.length > 0) throw refuseUnresolved(conflicts);
  const committed = status.head === undefined ? undefined : await listDifferences(call, status.head, commit);
  // Files in both commits that are only untracked now stay as they are, too.
  const differing = new Set(committed);
  const missing = await listMissing(call, commit);
  await requireNothingInTheWay(
    call,
    missing.filter((file) => committed === undefined || differing.has(file)),
  );
  // Files that the index already has as in that commit stay as they are.
  const files = new Set(await compare(call, ["diff-index", "--cached", commit]));
  const changed = committed === undefined ? [...files] : committed.filter((file) => files.has(file));
  const moved = new Set(changed);
  refuseUncommitted(status, (file) => moved.has(file));
  return changed;
}

/** Refuses to overwrite uncommitted changes, which git itself does only once it has begun. */
export async function requireCommitted(
  call: RepositoryCall,
  overwrites: (file: string, isStaged: boolean, isGone: boolean) => boolean,
): Promise<void> {
  refuseUncommitted(await readStatus(call, { submodules: "all" }), overwrites);
}

function refuseUncommitted(
  { staged, unstaged }: Status,
  overwrites: (file: string, isStaged: boolean, isGone: boolean) => boolean,
): void {
  const lost = new Set([
    ...namesOf(staged).filter((file) => overwrites(file, true, false)),
    ...unstaged
      .filter(({ path, change }) => overwrites(path, false, change === "deleted"))
      .map(({ path }) => path),
  ]);
  if (lost.size === 0) return;
  const names = [...lost].slice(0, MOST_NAMED);
  throw new Fault(
    "conflict",
    `Uncommitted changes would be overwritten, such as those of ${JSON.stringify(names[0])}`,
    { hint: UNCOMMITTED_HINT, details: { files: names } },
  );
}

/** Files that applying these steps touches, but not those it removes (d) or, in reverse, those it has added (a). */
export function listApplied(
  call: RepositoryCall,
  steps: readonly string[],
  without: "" | "a" | "d" = "d",
): Promise<readonly string[]> {
  const filter = without === "" ? [] : [`--diff-filter=${without}`];
  const args = ["diff-tree", "--stdin", "--no-commit-id", "--root", "-r", ...filter, ...FLAGS];
  return readNames(call, args, { input: steps.map((step) => `${step}\n`).join("") });
}

/** Git silently overwrites ignored files, and directories where a file should be; no backup holds them. */
export async function requireNothingInTheWay(call: RepositoryCall, files: readonly string[]): Promise<void> {
  const { repository } = call;
  if (files.length === 0 || repository.isBare) return;
  const tracked = new Set(await readNames(call, ["ls-files", "-z"]));
  const disk = new Disk(repository.root);
  // A tree may name such files, too. Git never writes them, and we must not follow them.
  if (files.some((file) => isForeign(fromFileName(file).toString("latin1"))))
    throw new Fault("permission_denied", "This names files that are not in the work tree of the repository");
  const lost = new Set<string>();
  for (const file of files) {
    for (const found of disk.findAt(fromFileName(file).toString("latin1"))) {
      const name = toFileName(Buffer.from(found, "latin1"));
      if (tracked.has(name)) continue;
      lost.add(name);
      break;
    }
    if (lost.size >= MOST_NAMED) break;
  }
  if (lost.size === 0) return;
  const names = [...lost];
  throw new Fault("conflict", `Untracked files would be overwritten, such as ${JSON.stringify(names[0])}`, {
    hint: "Move them away, or commit them first.",
    details: { files: names },
  });
}

/** The work tree, by names in Latin-1, one character a byte. Links are not followed: git replaces them. */
class Disk {
  readonly #root: string;
  readonly #directories = new Set<string>();

  constructor(root: string) {
    this.#root = Buffer.from(root).toString("latin1");
  }

  /** What has to go for a file to be written here: itself, a file above it, or everything below it. */
  *findAt(name: string): Generator<string> {
    for (let end = name.indexOf("/"); end !== -1; end = name.indexOf("/", end + 1)) {
      const above = name.slice(0, end);
      if (this.#directories.has(above)) continue;
      const kind = this.#kindOf(above);
      if (kind === "file") yield above;
      if (kind !== "directory") return;
      this.#directories.add(above);
    }
    const kind = this.#kindOf(name);
    if (kind === "file") yield name;
    if (kind === "directory") yield* this.#listBelow(name);
  }

  #kindOf(name: string): "file" | "directory" | undefined {
    const found = lstatSync(this.#toPath(name), { throwIfNoEntry: false });
    return found && (found.isDirectory() ? "directory" : "file");
  }

  *#listBelow(name: string): Generator<string> {
    const entries: Dirent<Buffer>[] = readdirSync(this.#toPath(name), {
      withFileTypes: true,
      encoding: "buffer",
    });
    for (const entry of entries) {
      const inner = `${name}/${entry.name.toString("latin1")}`;
      if (entry.isDirectory()) yield* this.#listBelow(inner);
      else yield inner;
    }
  }

  readonly #toPath = (name: string): Buffer => Buffer.from(`${this.#root}/${name}`, "latin1");
}

export function refuseUnresolved([first, ...others]: readonly Conflict[]): Fault {
  const more = others.length === 0 ? "" : ` and ${countOf(others.length, "other file")}`;
  return new Fault("conflict", `There are conflicts in ${JSON.stringify(first?.path)}${more}`, {
    hint: UNRESOLVED_HINT,
  });
}
