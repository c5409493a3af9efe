import { redactUrls } from "../git/redact-url.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { toRevision } from "../names.ts";
import { decodeText } from "./records.ts";

export interface Branch {
  readonly name: string;
  readonly commit: string;
  readonly current?: true;
  readonly upstream?: string;
  /** As in "ahead 1, behind 2" or "gone". */
  readonly tracking?: string;
  readonly date: string;
  readonly subject: string;
}

export interface Tag {
  readonly name: string;
  /** What it leads to in the end. */
  readonly commit: string;
  readonly annotated: boolean;
  readonly date: string;
  readonly subject: string;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Lines of fields with a NUL between them: none of the fields has a line end or a NUL. */
async function listRefs(
  call: RepositoryCall,
  fields: readonly string[],
  args: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const format = `--format=${fields.map((field) => `%(${field})`).join("%00")}`;
  const { stdout } = await call.run(["for-each-ref", format, ...args], {
    maxOutputBytes: MOST_BYTES,
  });
  return decodeText(stdout)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\0"));
}

export interface BranchRequest {
  readonly type: "local" | "remote" | "all";
  readonly contains?: string | undefined;
  readonly notContains?: string | undefined;
  readonly merged?: string | undefined;
  readonly noMerged?: string | undefined;
}

export async function listBranches(call: RepositoryCall, request: BranchRequest): Promise<readonly Branch[]> {
  const { type, contains, notContains, merged, noMerged } = request;
  const filters: readonly (readonly [option: string, revision: string | undefined])[] = [
    ["--contains", contains],
    ["--no-contains", notContains],
    ["--merged", merged],
    ["--no-merged", noMerged],
  ];
  const rows = await listRefs(
    call,
    [
      "HEAD",
      "refname:short",
      "objectname",
      "upstream:short",
      "upstream:track,nobracket",
      "committerdate:iso-strict",
      "subject",
      "symref",
    ],
    [
      "--sort=-committerdate",
      ...filters.flatMap(([option, revision]) =>
        revision === undefined ? [] : [`${option}=${toRevision(revision)}`],
      ),
      ...(type === "remote" ? [] : ["refs/heads"]),
      ...(type === "local" ? [] : ["refs/remotes"]),
    ],
  );
  return rows
    .filter(([, , , , , , , symref = ""]) => symref === "")
    .map(([head, name = "", commit = "", upstream = "", tracking = "", date = "", subject = ""]) => ({
      name,
      commit,
      ...(head === "*" && { current: true as const }),
      ...(upstream !== "" && { upstream }),
      ...(tracking !== "" && { tracking }),
      date,
      subject,
    }));
}

export async function listTags(call: RepositoryCall): Promise<readonly Tag[]> {
  const fields = ["refname:short", "objectname", "*objectname", "creatordate:iso-strict", "subject"];
  const rows = await listRefs(call, fields, ["--sort=-creatordate", "refs/tags"]);
  return rows.map(([name = "", object = "", peeled = "", date = "", subject = ""]) => ({
    name,
    commit: peeled === "" ? object : peeled,
    annotated: peeled !== "",
    date,
    subject,
  }));
}

const MOST_NAMES = 2000;

/** Short names of branches and tags, for completion. */
export async function listNames(call: RepositoryCall): Promise<readonly string[]> {
  const args = [`--count=${MOST_NAMES}`, "refs/heads", "refs/tags", "refs/remotes"];
  return (await listRefs(call, ["refname:short"], args)).map(([name = ""]) => name);
}

export interface Remote {
  readonly name: string;
  readonly fetch_url: string;
  readonly push_url: string;
}

export async function listRemotes(call: RepositoryCall, signal: AbortSignal): Promise<readonly Remote[]> {
  const simple = await call.git.simple(call.repository, signal);
  const remotes = await simple.getRemotes(true);
  return remotes.map(({ name, refs }) => ({
    name,
    fetch_url: redactUrls(refs.fetch),
    push_url: redactUrls(refs.push),
  }));
}

/** Where a ref was, or what was put aside. */
export interface LogEntry {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  readonly message: string;
}

async function readEntries(call: RepositoryCall, args: readonly string[]): Promise<readonly LogEntry[]> {
  const { stdout } = await call.run(args);
  return decodeText(stdout)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", commit = "", date = "", message = ""] = line.split("\0");
      return { name, commit, date, message };
    });
}

export const listStashes = (call: RepositoryCall): Promise<readonly LogEntry[]> =>
  readEntries(call, ["stash", "list", "--no-color", "--format=%gd%x00%H%x00%aI%x00%gs"]);

/** What a ref pointed to, the latest first. */
export function readReflog(
  call: RepositoryCall,
  { ref, skip, maxCount }: { readonly ref: string; readonly skip: number; readonly maxCount: number },
): Promise<readonly LogEntry[]> {
  const format = "--format=%gd%x00%H%x00%cI%x00%gs";
  const args = ["log", "--walk-reflogs", "--no-color", format, `--max-count=${maxCount}`, `--skip=${skip}`];
  return readEntries(call, [...args, "--end-of-options", toRevision(ref), "--"]);
}

export interface Worktree {
  readonly path: string;
  readonly commit?: string;
  readonly branch?: string;
  readonly bare?: true;
  readonly locked?: true;
  readonly prunable?: true;
}

/** Those inside the boundary: a repository can name any place as a work tree, and git would tell whether it is there. */
export async function listWorktrees(call: RepositoryCall): Promise<readonly Worktree[]> {
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
