import { Fault } from "@suite/server-kit/domain";

import type { RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, toRange, toReadPathspec, toRepositoryPath, toRevision } from "../names.ts";
import { DIFF_OPTIONS, type DiffLimits, type DiffPage, isEmpty, readDiffOutput } from "./diff.ts";
import { toDate } from "./dates.ts";
import { requireKnownPaths } from "./files.ts";
import { decodeText } from "./records.ts";

export interface Commit {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly date: string;
  readonly refs?: readonly string[];
  readonly subject: string;
  readonly body?: string;
}

export interface LogRequest {
  readonly range?: string | undefined;
  readonly maxCount: number;
  readonly skip?: number | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly author?: string | undefined;
  readonly grep?: string | undefined;
  /** A text whose number of occurrences a commit has changed. */
  readonly search?: string | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly follow?: boolean | undefined;
  readonly firstParent?: boolean | undefined;
  readonly all?: boolean | undefined;
}

const FIELDS = ["%H", "%P", "%an", "%ae", "%aI", "%D", "%s", "%b"];
const COMMIT_FORMAT: string = `--format=${FIELDS.join("%x00")}%x00`;
/** Our own backups are nobody's history. */
const WITHOUT_BACKUPS: readonly string[] = ["--exclude=refs/suite/*", "--decorate-refs-exclude=refs/suite/*"];

const MOST_BYTES = 32 * 1024 * 1024;

export async function readLog(call: RepositoryCall, request: LogRequest): Promise<readonly Commit[]> {
  const paths = (request.paths ?? []).map((path) => toRepositoryPath(call.repository, path));
  // No pattern is followed, and no more than one file.
  const [only, ...others] = paths;
  const isFollowing = request.follow && only !== undefined && others.length === 0;
  const followed = isFollowing ? Buffer.concat([Buffer.from(":(top)"), fromFileName(only)]) : undefined;
  const args = [
    "log",
    "--no-color",
    "--no-show-signature",
    // -S looks into files, and would ask their drivers for them.
    "--no-textconv",
    "--no-ext-diff",
    COMMIT_FORMAT,
    `--max-count=${request.maxCount}`,
    ...WITHOUT_BACKUPS,
    ...toFilters(request),
    ...(request.all ? ["--all"] : []),
    "--end-of-options",
    ...(request.range === undefined ? [] : [toRange(request.range)]),
    "--",
    ...(followed ? [] : paths.map(toReadPathspec)),
  ];
  const { stdout } = await call.run(args, {
    maxOutputBytes: MOST_BYTES,
    ...(followed && { lastArgument: followed }),
  });
  const commits = parseCommits(stdout);
  if (commits.length === 0) await requireKnownPaths(call, request.paths);
  return commits;
}

function toFilters(request: LogRequest): readonly string[] {
  const valued: readonly (readonly [option: string, value: string | number | undefined])[] = [
    ["--skip", request.skip],
    ["--since", request.since === undefined ? undefined : toDate("since", request.since)],
    ["--until", request.until === undefined ? undefined : toDate("until", request.until)],
    ["--author", request.author],
    ["--grep", request.grep],
  ];
  return [
    ...valued.flatMap(([option, value]) => (value === undefined ? [] : [`${option}=${value}`])),
    ...(request.grep !== undefined || request.author !== undefined ? ["--regexp-ignore-case"] : []),
    ...(request.search === undefined ? [] : [`-S${request.search}`]),
    ...(request.follow ? ["--follow"] : []),
    ...(request.firstParent ? ["--first-parent"] : []),
  ];
}

/** A record ends with a NUL and a line end; none of its fields can hold a NUL. */
function parseCommits(output: Buffer): readonly Commit[] {
  const commits: Commit[] = [];
  const fields: string[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    fields.push(decodeText(output.subarray(start, end)));
    start = end + 1;
    if (fields.length < FIELDS.length) continue;
    commits.push(toCommit(fields.splice(0)));
    if (output[start] === 10) start += 1;
  }
  return commits;
}

function toCommit(fields: readonly string[]): Commit {
  const [commit = "", parents = "", author = "", email = "", date = "", refs = "", subject = "", body = ""] =
    fields;
  return {
    commit,
    parents: parents.split(" ").filter((parent) => parent !== ""),
    author,
    email,
    date,
    ...(refs !== "" && { refs: refs.split(", ") }),
    subject,
    ...(body.trim() !== "" && { body: body.trimEnd() }),
  };
}

export interface ShownCommit extends DiffPage {
  readonly commit: Commit;
}

export interface ShowRequest {
  readonly revision: string;
  readonly paths?: readonly string[] | undefined;
  readonly contextLines?: number | undefined;
  readonly statOnly?: boolean | undefined;
}

/** A commit and what it changed: compared with its first parent, or with nothing where there is none. */
export async function readCommit(
  call: RepositoryCall,
  request: ShowRequest,
  limits: DiffLimits,
): Promise<ShownCommit> {
  const commit = await findCommit(call, request.revision);
  const from = limits.from ?? 0;
  const args = [
    "diff-tree",
    "-r",
    "--no-commit-id",
    ...DIFF_OPTIONS,
    ...(from === 0 ? ["--raw", "--numstat", "-z"] : []),
    ...(request.statOnly ? [] : ["--patch", `--unified=${request.contextLines ?? 3}`]),
    ...(commit.parents[0] === undefined ? ["--root"] : [commit.parents[0]]),
    commit.commit,
    "--",
    ...(request.paths ?? []).map((path) => toReadPathspec(toRepositoryPath(call.repository, path))),
  ];
  const page = await readDiffOutput(call, args, limits);
  if (isEmpty(page) && from === 0) await requireKnownPaths(call, request.paths);
  return { ...page, commit };
}

export async function findCommit(call: RepositoryCall, revision: string): Promise<Commit> {
  const [commit] = await readLog(call, { range: toRevision(revision), maxCount: 1 });
  // A revision that is no commit is refused by git; this is for an expression that selects nothing.
  if (!commit) {
    throw new Fault("not_found", `${JSON.stringify(revision)} names no commit`, {
      ...(revision.includes(":") && {
        hint: "To read a file of a revision, use git_read_file with path and revision.",
      }),
    });
  }
  return commit;
}
