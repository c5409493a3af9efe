import type { StopSignal } from "@suite/server-kit/domain";

import type { Git } from "../git/git.ts";
import { redactUrls } from "../git/redact-url.ts";
import { toRevision } from "../names.ts";
import type { Repository } from "../repository/repository.ts";
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
  git: Git,
  repository: Repository,
  fields: readonly string[],
  args: readonly string[],
  signal: StopSignal,
): Promise<readonly (readonly string[])[]> {
  const format = `--format=${fields.map((field) => `%(${field})`).join("%00")}`;
  const { stdout } = await git.run(repository, ["for-each-ref", format, ...args], {
    signal,
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

export async function listBranches(
  git: Git,
  repository: Repository,
  request: BranchRequest,
  signal: StopSignal,
): Promise<readonly Branch[]> {
  const { type, contains, notContains, merged, noMerged } = request;
  const filters: readonly (readonly [option: string, revision: string | undefined])[] = [
    ["--contains", contains],
    ["--no-contains", notContains],
    ["--merged", merged],
    ["--no-merged", noMerged],
  ];
  const rows = await listRefs(
    git,
    repository,
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
    signal,
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

export async function listTags(
  git: Git,
  repository: Repository,
  signal: StopSignal,
): Promise<readonly Tag[]> {
  const fields = ["refname:short", "objectname", "*objectname", "creatordate:iso-strict", "subject"];
  const rows = await listRefs(git, repository, fields, ["--sort=-creatordate", "refs/tags"], signal);
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
export async function listNames(
  git: Git,
  repository: Repository,
  signal: StopSignal,
): Promise<readonly string[]> {
  const args = [`--count=${MOST_NAMES}`, "refs/heads", "refs/tags", "refs/remotes"];
  return (await listRefs(git, repository, ["refname:short"], args, signal)).map(([name = ""]) => name);
}

export interface Remote {
  readonly name: string;
  readonly fetch_url: string;
  readonly push_url: string;
}

export async function listRemotes(
  git: Git,
  repository: Repository,
  signal: AbortSignal,
): Promise<readonly Remote[]> {
  const simple = await git.simple(repository, signal);
  const remotes = await simple.getRemotes(true);
  return remotes.map(({ name, refs }) => ({
    name,
    fetch_url: redactUrls(refs.fetch),
    push_url: redactUrls(refs.push),
  }));
}

export interface Stash {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  readonly message: string;
}

export async function listStashes(
  git: Git,
  repository: Repository,
  signal: StopSignal,
): Promise<readonly Stash[]> {
  const args = ["stash", "list", "--no-color", "--format=%gd%x00%H%x00%aI%x00%gs"];
  return decodeText((await git.run(repository, args, { signal })).stdout)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", commit = "", date = "", message = ""] = line.split("\0");
      return { name, commit, date, message };
    });
}

export interface ReflogEntry {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  readonly message: string;
}

/** What a ref pointed to, the latest first. */
export async function readReflog(
  git: Git,
  repository: Repository,
  { ref, skip, maxCount }: { readonly ref: string; readonly skip: number; readonly maxCount: number },
  signal: StopSignal,
): Promise<readonly ReflogEntry[]> {
  const format = "--format=%gd%x00%H%x00%cI%x00%gs";
  const args = ["log", "--walk-reflogs", "--no-color", format, `--max-count=${maxCount}`, `--skip=${skip}`];
  const { stdout } = await git.run(repository, [...args, "--end-of-options", toRevision(ref), "--"], {
    signal,
  });
  return decodeText(stdout)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name = "", commit = "", date = "", message = ""] = line.split("\0");
      return { name, commit, date, message };
    });
}

export interface Worktree {
  readonly path: string;
  readonly commit?: string;
  readonly branch?: string;
  readonly bare?: true;
  readonly locked?: true;
  readonly prunable?: true;
}

export async function listWorktrees(
  git: Git,
  repository: Repository,
  signal: StopSignal,
): Promise<readonly Worktree[]> {
  const text = await git.text(repository, ["worktree", "list", "--porcelain"], { signal });
  return text
    .split("\n\n")
    .filter((block) => block.trim() !== "")
    .map((block) => {
      const facts = new Map(
        block.split("\n").map((line) => {
          const space = line.indexOf(" ");
          return space < 0 ? ([line, ""] as const) : ([line.slice(0, space), line.slice(space + 1)] as const);
        }),
      );
      const [commit, branch] = [facts.get("HEAD"), facts.get("branch")];
      return {
        path: facts.get("worktree") ?? "",
        ...(commit !== undefined && !/^0+$/.test(commit) && { commit }),
        ...(branch !== undefined && { branch: branch.replace("refs/heads/", "") }),
        ...(facts.has("bare") && { bare: true as const }),
        ...(facts.has("locked") && { locked: true as const }),
        ...(facts.has("prunable") && { prunable: true as const }),
      };
    });
}
