import { isUtf8 } from "node:buffer";

import { type ChildResult, countOf, Fault } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type FieldsOf, Count, FromOne, Paths, Revision } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, parseRevision, splitRecords, toReadPathspec, toRepositoryPath } from "../names.ts";
import { DIFF, DIFF_OPTIONS, type DiffLimits, type DiffPage, isEmpty, readDiffOutput } from "./diff.ts";
import { toDate } from "./dates.ts";
import { requireKnownPaths } from "./files.ts";
import { runWithPatterns } from "./patterns.ts";
import { decodeText, toShortLine } from "./records.ts";
import { toRange } from "./revisions.ts";

export const COMMIT = {
  commit: v.string(),
  parents: v.array(v.string()),
  author: v.string(),
  email: v.string(),
  date: v.string(),
  refs: v.exactOptional(v.array(v.string())),
  subject: v.string(),
  body: v.exactOptional(v.string()),
};

export type Commit = FieldsOf<typeof COMMIT>;

export const LOG = {
  range: v.optional(v.string()),
  max_count: v.optional(v.pipe(FromOne, v.maxValue(1000)), 10),
  skip: v.optional(Count),
  since: v.optional(v.string()),
  until: v.optional(v.string()),
  author: v.optional(v.string()),
  grep: v.optional(v.pipe(v.string(), v.description("Pattern in the message"))),
  // A text whose number of occurrences a commit has changed.
  search: v.optional(v.string()),
  paths: Paths,
  // History of these lines, in one file.
  start_line: v.optional(FromOne),
  end_line: v.optional(FromOne),
  follow: v.optional(v.pipe(v.boolean(), v.description("One file across renames"))),
  all: v.optional(v.pipe(v.boolean(), v.description("All branches"))),
};

export type LogRequest = FieldsOf<typeof LOG>;

// Not %aI, which git leaves as it is where it cannot read the date.
const FIELDS = ["%H", "%P", "%an", "%ae", "%ad", "%D", "%s", "%b"];
const COMMIT_FORMAT: string = `--format=${FIELDS.join("%x00")}%x00`;
/** The backups for git_undo are not part of the history. */
const WITHOUT_BACKUPS: readonly string[] = ["--exclude=refs/suite/*", "--decorate-refs-exclude=refs/suite/*"];

export async function readLog(call: RepositoryCall, request: LogRequest): Promise<readonly Commit[]> {
  // Lines imply a patch.
  const { stdout, hidden } = await runLog(call, request, ["--no-patch", COMMIT_FORMAT]);
  const commits = parseCommits(stdout).slice(hidden);
  if (commits.length === 0) await requireKnownPaths(call, request.paths, request.range);
  return commits;
}

/** What git prints of each commit is up to `output`. The first `hidden` of them were not asked for. */
export async function runLog(
  call: RepositoryCall,
  request: LogRequest,
  output: readonly string[],
): Promise<{ readonly stdout: Buffer; readonly hidden: number }> {
  const paths = (request.paths ?? []).map((path) => toRepositoryPath(call.repository, path));
  if (request.follow && paths.length !== 1)
    throw new Fault("invalid_input", "follow is for one file", { hint: "Name it alone in paths." });
  // --follow takes no pattern.
  const [followed] = request.follow
    ? paths.map((path) => Buffer.concat([Buffer.from(":(top)"), fromFileName(path)]))
    : [];
  const lines = toLineRange(request, paths);
  // With these, git's --skip also counts commits that it does not show.
  const isHiding = request.search !== undefined || request.follow || lines.length > 0;
  const hidden = isHiding ? (request.skip ?? 0) : 0;
  const args = [
    "log",
    "--no-color",
    "--no-show-signature",
    // -S reads files, and would run their textconv drivers.
    "--no-textconv",
    "--no-ext-diff",
    ...output,
    "--date=iso-strict",
    `--max-count=${hidden + request.max_count}`,
    ...(request.skip === undefined || hidden > 0 ? [] : [`--skip=${request.skip}`]),
    ...WITHOUT_BACKUPS,
    ...toFilters(request),
    ...lines,
    ...(request.all ? ["--all"] : []),
    "--end-of-options",
    ...(request.range === undefined ? [] : [await toRange(call, request.range)]),
    "--",
    ...(followed || lines.length > 0 ? [] : paths.map(toReadPathspec)),
  ];
  const { grep, author } = request;
  const patterns = [grep, author].filter((pattern) => pattern !== undefined);
  const run = (given: readonly string[]): Promise<ChildResult> =>
    runWithPatterns(call, patterns, () => given, followed && { lastArgument: followed });
  const { stdout } = await run(args).catch(async (thrown: unknown) => {
    if (lines.length > 0) throw toLineFault(thrown);
    // To git, an author is a header. One that is no pattern, such as "(", can still be part of a name.
    if (!(thrown instanceof Fault && thrown.message.includes("header, '"))) throw thrown;
    const found = await run(args.filter((argument) => argument !== `--author=${author}`));
    // Otherwise it may have been meant as a pattern.
    if (found.stdout.length === 0) throw thrown;
    return found;
  });
  return { stdout, hidden };
}

/** `-L` and its value, if lines are asked for. It takes the name of one file, and neither a pattern nor several tips. */
function toLineRange(
  { start_line: start, end_line: end, follow, all }: LogRequest,
  paths: readonly string[],
): readonly string[] {
  if (start === undefined && end === undefined) return [];
  const [path = "", ...others] = paths;
  const name = fromFileName(path);
  if (path === "" || others.length > 0 || follow || all || !isUtf8(name)) {
    throw new Fault("invalid_input", "The history of lines is that of one file, on one branch", {
      hint: "Name the file alone in paths, without follow and all. Renames are followed.",
    });
  }
  return ["-L", `${start ?? 1},${end ?? ""}:${name.toString()}`];
}

function toLineFault(thrown: unknown): unknown {
  if (!(thrown instanceof Fault)) return thrown;
  const [, has] = /has only (\d+) line/.exec(thrown.message) ?? [];
  if (has !== undefined)
    return new Fault("invalid_input", `The file has only ${countOf(Number(has), "line")}`, { cause: thrown });
  if (!/There is no path/.test(thrown.message)) return thrown;
  const hint = "git_log with paths, without lines, shows when it was there.";
  return new Fault("not_found", "There is no such file in that revision", { hint, cause: thrown });
}

/** More are not counted. */
const MOST_COUNTED = 1000;

/** How many commits there are in all; undefined if there are too many, or if git would have to compare files to know. */
export async function countCommits(call: RepositoryCall, request: LogRequest): Promise<number | undefined> {
  const { range, all, since, until, skip: _, max_count: __, ...filters } = request;
  if (Object.values(filters).some((filter) => filter !== undefined && filter !== false)) return undefined;
  const args = [
    "rev-list",
    "--count",
    `--max-count=${MOST_COUNTED + 1}`,
    WITHOUT_BACKUPS[0] ?? "",
    ...toFilters({ since, until, max_count: 0 }),
    ...(all ? ["--all"] : []),
    "--end-of-options",
    ...(range === undefined ? (all ? [] : ["HEAD"]) : [await toRange(call, range)]),
    "--",
  ];
  const count = Number(await call.text(args));
  return count > MOST_COUNTED ? undefined : count;
}

function toFilters(request: LogRequest): readonly string[] {
  const valued: readonly (readonly [option: string, value: string | undefined])[] = [
    ["--since", request.since === undefined ? undefined : toDate("since", request.since)],
    ["--until", request.until === undefined ? undefined : toDate("until", request.until)],
    ["--author", request.author && toLiteral(request.author)],
    ["--author", request.author],
    ["--grep", request.grep],
  ];
  return [
    ...valued.flatMap(([option, value]) => (value === undefined ? [] : [`${option}=${value}`])),
    ...(request.grep !== undefined || request.author !== undefined ? ["--regexp-ignore-case"] : []),
    ...(request.search === undefined ? [] : [`-S${request.search}`]),
    ...(request.follow ? ["--follow"] : []),
  ];
}

/** Names and addresses have characters that mean something in patterns: 1+ann@example.org, helper[bot]. */
const toLiteral = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`);

/** Each field ends with a NUL, which none can hold; a line end follows the last one of a commit. */
function parseCommits(output: Buffer): readonly Commit[] {
  const fields = splitRecords(output).map(decodeText);
  return Array.from({ length: Math.floor(fields.length / FIELDS.length) }, (_, at) =>
    toCommit(fields.slice(at * FIELDS.length, (at + 1) * FIELDS.length)),
  );
}

function toCommit(fields: readonly string[]): Commit {
  const [commit = "", parents = "", author = "", email = "", date = "", refs = "", subject = "", body = ""] =
    fields;
  return {
    commit: commit.trimStart(),
    parents: parents.split(" ").filter((parent) => parent !== ""),
    author: toShortLine(author),
    email: toShortLine(email),
    date,
    ...(refs !== "" && { refs: toFewRefs(refs.split(", ")) }),
    subject,
    ...(body.trim() !== "" && { body: body.trimEnd() }),
  };
}

const MOST_REFS = 50;

const toFewRefs = (names: string[]): string[] =>
  names.length > MOST_REFS ? [...names.slice(0, MOST_REFS), "…"] : names;

export const SHOW = {
  revision: Revision,
  paths: Paths,
  context_lines: DIFF.context_lines,
  stat_only: DIFF.stat_only,
};

/** Whether a shallow clone ends at this commit, which git shows without parents: then it takes every file for added. */
export const isBoundary = async (call: RepositoryCall, commit: string): Promise<boolean> =>
  /^tree \w+\nparent /.test(await call.text(["cat-file", "commit", commit]));

/** The changes of a commit against its first parent, or against nothing if it has none. */
export async function readCommit(
  call: RepositoryCall,
  commit: Commit,
  request: Omit<FieldsOf<typeof SHOW>, "revision">,
  limits: DiffLimits,
): Promise<DiffPage> {
  const from = limits.from ?? 0;
  const args = [
    "diff-tree",
    "-r",
    "--no-commit-id",
    ...DIFF_OPTIONS,
    ...(from === 0 ? ["--raw", "--numstat", "-z"] : []),
    ...(request.stat_only ? [] : ["--patch", `--unified=${request.context_lines ?? 3}`]),
    ...(commit.parents[0] === undefined ? ["--root"] : [commit.parents[0]]),
    commit.commit,
    "--",
    ...(request.paths ?? []).map((path) => toReadPathspec(toRepositoryPath(call.repository, path))),
  ];
  const { page } = await readDiffOutput(call, args, limits);
  if (isEmpty(page) && from === 0) await requireKnownPaths(call, request.paths, commit.commit);
  return page;
}

export async function findCommit(call: RepositoryCall, revision: string): Promise<Commit> {
  const [commit] = await readLog(call, { range: parseRevision(revision), max_count: 1 });
  // Git refuses a revision that is not a commit; this is for an expression that selects nothing.
  if (!commit) {
    throw new Fault("not_found", `${JSON.stringify(revision)} names no commit`, {
      ...(revision.includes(":") && {
        hint: "To read a file of a revision, use git_read_file with path and revision.",
      }),
    });
  }
  return commit;
}
