import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";

import * as v from "valibot";

import { type FieldsOf, Count } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { splitRecords, toFileName } from "../names.ts";
import { readSmallFile } from "../repository/small-file.ts";
import { ChangedFile, CHANGES } from "./changed-files.ts";

/** `kind`: what each side did, as in both_modified or deleted_by_us. */
export const Conflict = v.object({ path: v.string(), kind: v.string() });
export type Conflict = v.InferOutput<typeof Conflict>;

export const STATUS = {
  // Absent where HEAD is detached.
  branch: v.exactOptional(v.string()),
  // Absent before the first commit.
  head: v.exactOptional(v.string()),
  upstream: v.exactOptional(v.string()),
  ahead: v.exactOptional(Count),
  behind: v.exactOptional(Count),
  operation: v.exactOptional(v.string()),
  stashes: v.exactOptional(Count),
  conflicts: v.array(Conflict),
  staged: v.array(ChangedFile),
  unstaged: v.array(ChangedFile),
  untracked: v.array(v.string()),
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
export type Status = FieldsOf<typeof STATUS> & { readonly operation?: OperationInProgress };

export type OperationInProgress = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | "am";

const CONFLICTS: { readonly [letters: string]: string } = {
  DD: "both_deleted",
  AU: "added_by_us",
  UD: "deleted_by_them",
  UA: "added_by_them",
  DU: "deleted_by_us",
  AA: "both_added",
  UU: "both_modified",
};

/** Files and directories in .git that mark an operation in progress, most specific first. */
const OPERATIONS: readonly (readonly [name: string, operation: OperationInProgress])[] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
];

const MOST_STATE_BYTES = 16 * 1024 * 1024;

/** A file that git keeps while an operation is in progress; empty if there is none. By default each byte is one character. */
export function readState(
  { guard, repository: { gitDir } }: RepositoryCall,
  name: string,
  encoding: "latin1" | "utf8" = "latin1",
): string {
  const file = join(gitDir, name);
  return existsSync(file) ? readSmallFile(guard, file, MOST_STATE_BYTES).toString(encoding) : "";
}

export function findOperation(call: RepositoryCall): OperationInProgress | undefined {
  const isThere = (name: string): boolean =>
    lstatSync(join(call.repository.gitDir, name), { throwIfNoEntry: false }) !== undefined;
  const found = OPERATIONS.find(([name]) => isThere(name))?.[1];
  const todo = "sequencer/todo";
  if (found !== undefined || !isThere(todo)) return found;
  // Between two commits, as where it could not begin with the second.
  return readState(call, todo).startsWith("revert ") ? "revert" : "cherry-pick";
}

/** All paths, including the old ones of renamed files. */
export const namesOf = (files: readonly ChangedFile[]): readonly string[] =>
  files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));

export interface StatusOptions {
  readonly untracked?: "no" | "normal" | "all";
  /** Which changes of submodules are left out; none unless said. */
  readonly submodules?: "all" | "unstaged";
}

export async function readStatus(call: RepositoryCall, options: StatusOptions = {}): Promise<Status> {
  const { untracked = "no", submodules } = options;
  const args = [
    "status",
    "--porcelain=v2",
    "--branch",
    "--show-stash",
    "-z",
    "--find-renames",
    `--untracked-files=${untracked}`,
  ];
  const isTrusting = call.git.isTrusting;
  // Git would go into them, and their own configuration decides what runs there. Whether one has moved is known without that.
  const left = submodules === "all" ? "all" : isTrusting ? undefined : "dirty";
  const ignored = left === undefined ? [] : [`--ignore-submodules=${left}`];
  const { stdout } = await call.run([...args, ...ignored]);
  const operation = findOperation(call);
  return {
    ...parseStatus(stdout, submodules === "unstaged" && !isTrusting),
    ...(operation && { operation }),
  };
}

function parseStatus(output: Buffer, hidesSubmodules: boolean): Status {
  const status: Mutable<Status> = { staged: [], unstaged: [], untracked: [], conflicts: [] };
  const records = splitRecords(output);
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] as Buffer;
    const kind = String.fromCodePoint(record[0] ?? 0);
    if (kind === "#") readHeader(record.toString(), status);
    else if (kind === "?") status.untracked.push(toFileName(record.subarray(2)));
    else if (kind === "u") {
      const [fields, path] = splitFields(record, 10);
      status.conflicts.push({ path: toFileName(path), kind: CONFLICTS[fields[1] ?? ""] ?? "unmerged" });
    } else if (kind === "1" || kind === "2") {
      const [fields, path] = splitFields(record, kind === "1" ? 8 : 9);
      const from = kind === "2" ? toFileName(records[(at += 1)] ?? Buffer.alloc(0)) : undefined;
      const [inIndex = ".", inTree = "."] = fields[1] ?? "";
      const isHidden = hidesSubmodules && fields[2]?.startsWith("S");
      addChange(status, [inIndex, isHidden ? "." : inTree], toFileName(path), from);
    }
  }
  return status;
}

function addChange(
  status: Mutable<Status>,
  [inIndex, inTree]: readonly [string, string],
  path: string,
  from: string | undefined,
): void {
  const toChange = (letter: string): ChangedFile => ({
    path,
    change: CHANGES[letter] ?? letter,
    ...(from !== undefined && (letter === "R" || letter === "C") && { from }),
  });
  if (inIndex !== ".") status.staged.push(toChange(inIndex));
  if (inTree !== ".") status.unstaged.push(toChange(inTree));
}

function readHeader(line: string, status: Mutable<Status>): void {
  const [, name, value = ""] = /^# (?:branch\.)?(\w+) (.*)$/s.exec(line) ?? [];
  if (name === "oid" && value !== "(initial)") status.head = value;
  if (name === "head" && value !== "(detached)") status.branch = value;
  if (name === "upstream") status.upstream = value;
  if (name === "stash") status.stashes = Number(value);
  if (name === "ab") {
    const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(value) ?? [];
    status.ahead = Number(ahead);
    status.behind = Number(behind);
  }
}

/** Splits off `count` fields; the rest is a path, which may contain spaces. */
function splitFields(record: Buffer, count: number): [readonly string[], Buffer] {
  let at = 0;
  for (let field = 0; field < count; field += 1) at = record.indexOf(0x20, at) + 1;
  return [
    record
      .subarray(0, at - 1)
      .toString("latin1")
      .split(" "),
    record.subarray(at),
  ];
}
