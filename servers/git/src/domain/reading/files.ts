import { isUtf8 } from "node:buffer";

import { countOf, Fault, fitItems, quotePath, shownSize, suggest } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type FieldsOf, Paths, Revision } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import {
  endsLikeId,
  fromFileName,
  atOrBelow,
  isPattern,
  listUnmatched,
  readNames,
  splitRecords,
  toFileName,
  toPathspec,
  toReadPathspec,
  toRepositoryPath,
} from "../names.ts";
import { toRevision } from "./revisions.ts";

export interface ListedFile {
  readonly path: string;
  readonly type: "file" | "executable" | "link" | "submodule" | "directory";
}

const TYPES: { readonly [mode: string]: ListedFile["type"] } = {
  "100644": "file",
  "100755": "executable",
  "120000": "link",
  "160000": "submodule",
  "040000": "directory",
};

/** Without a revision, lists the index, which a bare repository does not have. */
export const FILES = { revision: v.optional(Revision), paths: Paths };

/** Tracked files, in git's order. */
export async function listFiles(
  call: RepositoryCall,
  { revision: asked, paths = [] }: FieldsOf<typeof FILES>,
): Promise<readonly ListedFile[]> {
  const revision = asked ?? (call.repository.isBare ? "HEAD" : undefined);
  const given = paths.map((path) => toRepositoryPath(call.repository, path));
  const args =
    revision === undefined
      ? ["ls-files", "--stage", "-z", "--", ...given.map(toReadPathspec)]
      : [
          "--literal-pathspecs",
          "ls-tree",
          "-r",
          "-z",
          "--full-tree",
          "--end-of-options",
          await toRevision(call, revision),
          ...toTreePaths(given),
        ];
  const { stdout } = await call.run(args);
  const files = splitRecords(stdout).map((record) => {
    const tab = record.indexOf(9);
    const mode = record.subarray(0, 6).toString("latin1");
    return { path: toFileName(record.subarray(tab + 1)), type: TYPES[mode] ?? "file" };
  });
  const isGiven = given.length === 0 ? () => true : atOrBelow(given);
  // A conflict has the same path up to three times.
  const isWanted = (path: string, at: number): boolean =>
    revision === undefined ? path !== files[at - 1]?.path : isGiven(path);
  const found = files.filter(({ path }, at) => isWanted(path, at));
  if (revision !== undefined) requireNames(given, found);
  if (found.length === 0) await requireKnownPaths(call, paths, revision);
  return found;
}

/**
 * For an empty result: a path that does not exist now or in the past is a mistake, which the result would hide. A
 * pattern may well match nothing. `range`: the revisions asked about, which may no longer be in any branch.
 */
export async function requireKnownPaths(
  call: RepositoryCall,
  paths: readonly string[] = [],
  range = "",
): Promise<void> {
  const named = paths
    .map((given) => ({ given, path: toRepositoryPath(call.repository, given) }))
    .filter(({ path }) => path !== "" && !isPattern(path));
  if (named.length === 0) return;
  // Most are tracked, and git is asked for all of these at once.
  const names = named.map(({ path }) => path);
  const tracked = await readNames(call, ["ls-files", "-z", "--", ...names.map(toPathspec)], {
    accept: [128],
  });
  const untracked = new Set(listUnmatched(names, tracked));
  for (const { given, path } of named) {
    if (!untracked.has(path) || (await isAnywhere(call, toPathspec(path), range))) continue;
    throw new Fault("not_found", `Nothing in this repository has or had the path ${quotePath(given)}`, {
      hint: await toPathHint(call, path),
    });
  }
}

/** Whether the path is in the index, the work tree or any commit, even one whose side a merge discarded. */
async function isAnywhere(call: RepositoryCall, pathspec: string, range: string): Promise<boolean> {
  const others = call.repository.isBare ? [] : ["--others", "--directory"];
  const now = ["ls-files", "-z", "--cached", ...others, "--", pathspec];
  const named = range.split(/\.{2,3}/).filter((side) => side !== "" && !side.includes(":"));
  const commits = ["--exclude=refs/suite/*", "--all", "--reflog", "--end-of-options", ...named];
  const ever = ["log", "--full-history", "--max-count=1", "--format=%H", ...commits, "--", pathspec];
  for (const args of [now, ever]) {
    const { stdout } = await call.run(args, { accept: [128] });
    if (stdout.length > 0) return true;
  }
  return false;
}

const MOST_SUGGESTED = 20_000;

const WHERE_PATHS_ARE = "Give it relative to the root of the repository; git_list_files shows what there is.";

/** Names a similar path of the index or of `others`, or says `otherwise` how to find one. */
export async function toPathHint(
  call: RepositoryCall,
  given: string,
  otherwise = WHERE_PATHS_ARE,
  others: readonly string[] = [],
): Promise<string> {
  const path = toRepositoryPath(call.repository, given);
  // In a bare repository, there may be no HEAD.
  const files = await listFiles(call, {}).catch((): readonly ListedFile[] => []);
  const outer = files.find((file) => file.type === "submodule" && atOrBelow([file.path])(path));
  if (outer) return `${quotePath(outer.path)} is a submodule: give its path as repo_path.`;
  const names = [...files.map((file) => file.path), ...others]
    .slice(0, MOST_SUGGESTED)
    .flatMap((name) => name.split("/").map((_, at, parts) => parts.slice(0, at + 1).join("/")));
  const meant = suggest(path, new Set(names));
  // It may be in the index, but not where it was looked for.
  return meant === undefined || meant === path ? otherwise : `Did you mean ${quotePath(meant)}?`;
}

/** ls-tree takes names only. If one is not UTF-8, or is the root, the whole tree is listed and filtered. */
function toTreePaths(paths: readonly string[]): readonly string[] {
  const names = paths.map(fromFileName);
  return names.every((name) => name.length > 0 && isUtf8(name)) ? names.map(String) : [];
}

/** Refuses patterns, unless a file has exactly that name, such as app/[slug]. */
function requireNames(paths: readonly string[], found: readonly ListedFile[]): void {
  const [pattern] = listUnmatched(
    paths.filter(isPattern),
    found.map(({ path }) => path),
  );
  if (pattern === undefined) return;
  throw new Fault(
    "unsupported",
    `A pattern such as ${quotePath(pattern)} does not work together with revision`,
    { hint: "Name directories or files, or leave revision out." },
  );
}

export interface FileVersion {
  readonly oid: string;
  readonly bytes: Buffer;
  readonly size: number;
}

/** A file in a revision or in the index (":"), with at most `most` bytes; `size` is its full size. */
export async function readFileAt(
  call: RepositoryCall,
  { revision, path, most }: { readonly revision: string; readonly path: string; readonly most: number },
): Promise<FileVersion> {
  const inner = toRepositoryPath(call.repository, path);
  const name = revision === ":" ? ":0" : await toRevision(call, revision);
  const bytes = fromFileName(inner);
  const object = isNoLine(bytes)
    ? await findObject(call, revision === ":" ? undefined : name, inner)
    : Buffer.concat([Buffer.from(`${name}:`), bytes]);
  if (object === undefined) throw await explainMissing(call, { revision, path });
  const chunks: Buffer[] = [];
  let length = 0;
  await call.run(["cat-file", "--batch"], {
    input: Buffer.concat([object, Buffer.of(10)]),
    onOutput(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      return length > most + MOST_HEADER ? "stop" : undefined;
    },
  });
  const output = Buffer.concat(chunks);
  const end = output.indexOf(10);
  const header = output.subarray(0, end < 0 ? output.length : end).toString("latin1");
  const [, oid, kind, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header) ?? [];
  if (oid === undefined) throw await explainMissing(call, { revision, path });
  if (kind !== "blob") {
    throw new Fault(
      "invalid_input",
      `${quotePath(path)} is a ${kind === "tree" ? "directory" : kind} in that revision`,
      { hint: "git_list_files lists what is in it." },
    );
  }
  return { oid, size: Number(size), bytes: output.subarray(end + 1, end + 1 + Math.min(Number(size), most)) };
}

const MOST_HEADER = 4096;

/** Whether git would not take the name from a line of input: it ends a line itself, or like an object id, which git would look up. */
const isNoLine = (name: Buffer): boolean => /[\r\n]/.test(name.toString("latin1")) || endsLikeId(name);

/** The id of a file in a revision, or in the index. */
async function findObject(
  call: RepositoryCall,
  revision: string | undefined,
  path: string,
): Promise<Buffer | undefined> {
  const bytes = fromFileName(path);
  const { stdout } =
    revision === undefined
      ? await call.run(["ls-files", "--stage", "-z", "--", toPathspec(path)])
      : await call.run(["ls-tree", "-z", "--full-tree", "--end-of-options", revision], {
          lastArgument: bytes,
        });
  for (const record of splitRecords(stdout)) {
    const tab = record.indexOf(9);
    if (!record.subarray(tab + 1).equals(bytes)) continue;
    // In a conflict, the index has up to three versions of a file, but none at stage 0.
    const [, id] = / ([0-9a-f]{40,64})(?: 0)?$/.exec(record.subarray(0, tab).toString("latin1")) ?? [];
    if (id !== undefined) return Buffer.from(id);
  }
  return undefined;
}

/** If the revision itself is unknown, git's own failure says so. */
async function explainMissing(
  call: RepositoryCall,
  { revision, path }: { readonly revision: string; readonly path: string },
): Promise<Fault> {
  if (revision !== ":") {
    await call.run(["rev-list", "--max-count=1", "--end-of-options", revision, "--"]);
  }
  const where = revision === ":" ? "the index" : JSON.stringify(revision);
  const otherwise = "git_list_files shows what is there, git_log with paths where it went.";
  return new Fault("not_found", `${quotePath(path)} is not in ${where}`, {
    hint: await toPathHint(call, path, otherwise),
  });
}

/** Binary content is returned completely or not at all. */
export function takeBase64(bytes: Buffer, budget: number, path: string): string {
  const text = bytes.toString("base64");
  if (text.length <= budget) return text;
  throw new Fault("too_large", `${quotePath(path)} is not text, and has ${bytes.length} bytes`, {
    hint: "Raise max_bytes.",
  });
}

export interface FileLines {
  readonly text: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly total_lines: number;
  readonly next_line?: number;
  /** Whether it is only the beginning of a line. */
  readonly cut?: true;
}

/** As many lines as fit, or the beginning of one that is too long by itself. */
export function takeLines(text: string, start: number, end: number | undefined, budget: number): FileLines {
  const all = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
  const total = text === "" ? 0 : all.length;
  if (start > Math.max(total, 1))
    throw new Fault("invalid_input", `The file has only ${countOf(total, "line")}`);
  const wanted = all.slice(start - 1, end);
  const { items } = fitItems(wanted, budget, (line) => shownSize(line) + 2);
  const lines =
    items.length === 0 ? wanted.slice(0, 1).map((line) => `${line.slice(0, budget / 4)}…`) : items;
  const last = start + lines.length - 1;
  return {
    text: total === 0 ? "" : lines.join("\n"),
    start_line: start,
    end_line: total === 0 ? 0 : last,
    total_lines: total,
    ...(lines.length < wanted.length && { next_line: last + 1 }),
    ...(items.length < lines.length && { cut: true }),
  };
}
