import { Fault, quotePath } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { FieldsOf } from "../fields.ts";
import { redactUrl } from "../git/redact-url.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { decodeText, LineReader, toShortBytes, toShortLine } from "./records.ts";
import { toRevision } from "./revisions.ts";

export const BRANCH = {
  name: v.string(),
  commit: v.string(),
  current: v.exactOptional(v.literal(true)),
  upstream: v.exactOptional(v.string()),
  // As in "ahead 1, behind 2" or "gone".
  tracking: v.exactOptional(v.string()),
  date: v.string(),
  subject: v.string(),
};

export const TAG = {
  name: v.string(),
  // The commit it finally points to; absent if that is another kind of object.
  commit: v.exactOptional(v.string()),
  annotated: v.boolean(),
  date: v.string(),
  subject: v.string(),
};

const listRefs = (
  call: RepositoryCall,
  fields: readonly string[],
  args: readonly string[],
): Promise<readonly (readonly string[])[]> => {
  const format = `--format=${fields.map((field) => `%(${field})`).join("%00")}`;
  return readRows(call, ["for-each-ref", format, ...args]);
};

/** More than any names and what is shown after them. */
const LONGEST_ROW = 64 * 1024;
/** Enough for half a million refs. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Lines of fields with a NUL between them: none of the fields has a line end or a NUL. The last may be of any length: only
 * what is shown of it is kept.
 */
async function readRows(
  call: RepositoryCall,
  args: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  let kept = 0;
  let isBegun = false;
  const take = (line: Buffer, isWhole: boolean): undefined => {
    if (!isBegun) {
      const last = line.lastIndexOf(0) + 1;
      const row = Buffer.concat([line.subarray(0, last), toShortBytes(line.subarray(last))]);
      kept += row.length;
      if (kept > MOST_BYTES) throw new Fault("too_large", "There are too many of them to be listed");
      rows.push(toRow(row));
    }
    isBegun = !isWhole;
  };
  const reader = new LineReader(take, { longest: LONGEST_ROW });
  await call.run(args, { onOutput: (chunk) => reader.push(chunk) });
  return rows;
}

/** Decodes each field separately: a subject that is not UTF-8 must not garble the names beside it. */
const toRow = (line: Buffer): readonly string[] =>
  line
    .toString("latin1")
    .split("\0")
    .map((field) => decodeText(Buffer.from(field, "latin1")));

export const BRANCHES = {
  branch_type: v.optional(v.picklist(["local", "remote", "all"])),
  contains: v.optional(v.string()),
  not_contains: v.optional(v.string()),
  merged: v.optional(v.string()),
  no_merged: v.optional(v.string()),
};

export async function listBranches(
  call: RepositoryCall,
  { branch_type: type = "local", ...asked }: FieldsOf<typeof BRANCHES>,
): Promise<readonly FieldsOf<typeof BRANCH>[]> {
  const filters: string[] = [];
  for (const [option, revision] of [
    ["--contains", asked.contains],
    ["--no-contains", asked.not_contains],
    ["--merged", asked.merged],
    ["--no-merged", asked.no_merged],
  ] as const) {
    if (revision !== undefined) filters.push(`${option}=${await toRevision(call, revision)}`);
  }
  const rows = await listRefs(
    call,
    [
      "HEAD",
      // Not refname:short, which gives heads/… if a tag has the same name.
      "refname:lstrip=2",
      "objectname",
      "upstream:lstrip=2",
      "upstream:track,nobracket",
      "committerdate:iso-strict",
      "symref",
      "subject",
    ],
    [
      "--sort=-committerdate",
      ...filters,
      ...(type === "remote" ? [] : ["refs/heads"]),
      ...(type === "local" ? [] : ["refs/remotes"]),
    ],
  );
  return rows
    .filter(([, , , , , , symref = ""]) => symref === "")
    .map(([head, name = "", commit = "", upstream = "", tracking = "", date = "", , subject = ""]) => ({
      name,
      commit,
      ...(head === "*" && { current: true as const }),
      ...(upstream !== "" && { upstream }),
      ...(tracking !== "" && { tracking }),
      date,
      subject: toShortLine(subject),
    }));
}

export async function listTags(call: RepositoryCall): Promise<readonly FieldsOf<typeof TAG>[]> {
  const fields = ["refname:lstrip=2", "objectname", "objecttype", "creatordate:iso-strict", "subject"];
  const rows = await listRefs(call, fields, ["--sort=-creatordate", "refs/tags"]);
  // for-each-ref may peel a tag only once.
  const input = rows.map(([, object = ""]) => `${object}^{}\n`).join("");
  const args = ["cat-file", "--batch-check=%(objecttype) %(objectname)"];
  const ends = rows.length === 0 ? [] : await call.lines(args, { input });
  return rows.map(([name = "", , type, date = "", subject = ""], at) => {
    const [, commit] = /^commit (\w+)$/.exec(ends[at] ?? "") ?? [];
    const facts = { annotated: type === "tag", date, subject: toShortLine(subject) };
    return { name, ...(commit !== undefined && { commit }), ...facts };
  });
}

/** The ids of refs by their whole names: of all, or of those that match. */
export async function readRefs(
  call: RepositoryCall,
  patterns: readonly string[] = [],
): Promise<ReadonlyMap<string, string>> {
  const lines = await call.lines(["for-each-ref", "--format=%(refname) %(objectname)", ...patterns]);
  return new Map(lines.map((line) => line.split(" ") as [string, string]));
}

const MOST_NAMES = 2000;

/** Short names of branches and tags, for completion. */
export async function listNames(call: RepositoryCall): Promise<readonly string[]> {
  const args = [`--count=${MOST_NAMES}`, "refs/heads", "refs/tags", "refs/remotes"];
  return (await listRefs(call, ["refname:short"], args)).map(([name = ""]) => name);
}

export const REMOTE = { name: v.string(), fetch_url: v.string(), push_url: v.string() };

/** As in `origin<TAB>/srv/my repos/app.git (fetch) [blob:none]`. Nothing follows the name of one without an address. */
const REMOTE_LINE = /^([^\t\n]+)\t(?:(.*) \((fetch|push)\)(?: \[.*\])?)?$/gm;

export async function listRemotes(call: RepositoryCall): Promise<readonly FieldsOf<typeof REMOTE>[]> {
  const lines = (await call.text(["remote", "-v"])).matchAll(REMOTE_LINE);
  const remotes = new Map<string, FieldsOf<typeof REMOTE>>();
  for (const [, name = "", url = "", way] of lines) {
    const { fetch_url: fetched, push_url: pushed } = remotes.get(name) ?? { fetch_url: "", push_url: "" };
    remotes.set(name, {
      name,
      fetch_url: way === "fetch" ? redactUrl(url) : fetched,
      push_url: way === "push" ? redactUrl(url) : pushed,
    });
  }
  return [...remotes.values()];
}

/** An entry of a reflog or of the stash. */
export const LOG_ENTRY = { name: v.string(), commit: v.string(), date: v.string(), message: v.string() };

type LogEntry = FieldsOf<typeof LOG_ENTRY>;

async function readEntries(call: RepositoryCall, args: readonly string[]): Promise<readonly LogEntry[]> {
  const rows = await readRows(call, args);
  return rows.map(([name = "", commit = "", date = "", message = ""]) => ({
    name,
    commit,
    date,
    message: toShortLine(message),
  }));
}

export const listStashes = (call: RepositoryCall): Promise<readonly LogEntry[]> =>
  readEntries(call, ["stash", "list", "--no-color", "--format=%gd%x00%H%x00%aI%x00%gs"]);

/** The commits that a ref pointed to, latest first. */
export async function readReflog(
  call: RepositoryCall,
  { ref, skip, maxCount }: { readonly ref: string; readonly skip: number; readonly maxCount: number },
): Promise<readonly LogEntry[]> {
  // With a date, git names entries by the time the ref moved instead of their number.
  const args = ["log", "--walk-reflogs", "--no-color", "--date=iso-strict", "--format=%gd%x00%H%x00%x00%gs"];
  const revision = await toRevision(call, requireWholeLog(ref));
  const page = [`--max-count=${maxCount}`, `--skip=${skip}`];
  const entries = await readEntries(call, [...args, ...page, "--end-of-options", revision, "--"]);
  return entries.map((entry, at) => {
    const [name, date = ""] = entry.name.slice(0, -1).split("@{");
    return { ...entry, name: `${name}@{${skip + at}}`, date };
  });
}

/** From an entry such as main@{2} or main@{yesterday}, git does not number from 0, or shows no dates. */
function requireWholeLog(ref: string): string {
  if (!/@\{(?!-|u|push)/i.test(ref)) return ref;
  throw new Fault("invalid_input", `${quotePath(ref)} is an entry of a reflog, not a ref`, {
    hint: "Give the ref alone, and skip for older entries.",
  });
}

export const WORKTREE = {
  path: v.string(),
  commit: v.exactOptional(v.string()),
  branch: v.exactOptional(v.string()),
  bare: v.exactOptional(v.literal(true)),
  locked: v.exactOptional(v.literal(true)),
  prunable: v.exactOptional(v.literal(true)),
};

/** Those inside the boundary: a repository can name any place as a work tree, and git would tell whether it is there. */
export async function listWorktrees(call: RepositoryCall): Promise<readonly FieldsOf<typeof WORKTREE>[]> {
  const blocks = (await call.text(["worktree", "list", "--porcelain"])).split("\n\n");
  return blocks
    .filter((block) => block.trim() !== "")
    .flatMap((block) => {
      const facts = new Map(
        block.split("\n").map((line) => {
          const [name = ""] = line.split(" ", 1);
          return [name, line.slice(name.length + 1)];
        }),
      );
      const [path = "", commit, branch] = [facts.get("worktree"), facts.get("HEAD"), facts.get("branch")];
      if (!isInside(call, path)) return [];
      return {
        path,
        ...(commit !== undefined && !/^0+$/.test(commit) && { commit }),
        ...(branch !== undefined && { branch: branch.replace("refs/heads/", "") }),
        ...(facts.has("bare") && { bare: true as const }),
        ...(facts.has("locked") && { locked: true as const }),
        ...(facts.has("prunable") && { prunable: true as const }),
      };
    });
}

function isInside({ guard }: RepositoryCall, path: string): boolean {
  try {
    guard.locate(path);
    return true;
  } catch {
    return false;
  }
}
