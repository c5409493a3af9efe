import { shownSize } from "@suite/server-kit/domain";
import * as v from "valibot";

import { type FieldsOf, Count, Paths } from "../fields.ts";
import type { RepositoryCall } from "../git/repository-call.ts";
import { fromFileName, toFileName, toReadPathspec, toRepositoryPath } from "../names.ts";
import { ChangedFilesReader, CountedFile } from "./changed-files.ts";
import { requireKnownPaths } from "./files.ts";
import { decodeText, LineReader } from "./records.ts";
import { toRange } from "./revisions.ts";

/** What is compared with what. */
export type DiffKind = "unstaged" | "staged" | { readonly target: string };

export const DIFF = {
  paths: Paths,
  // Lines around a change.
  context_lines: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))),
  stat_only: v.optional(v.boolean()),
  ignore_whitespace: v.optional(v.boolean()),
};

export type DiffRequest = FieldsOf<typeof DIFF>;

export const DIFF_PAGE = {
  // Only on the first page.
  files: v.exactOptional(v.array(CountedFile)),
  diff: v.string(),
  // Only on the first page: how many files were not listed.
  left_out: v.exactOptional(Count),
  // Files whose diff, or a line of it, was cut because it would have filled the page.
  cut: v.exactOptional(v.array(v.string())),
};

/** `next`: the line of the patch, counted from 0, where the next page begins. */
export type DiffPage = FieldsOf<typeof DIFF_PAGE> & { readonly next?: number };

export interface DiffLimits {
  /** Limit for the patch, in characters. */
  readonly budget: number;
  readonly from?: number | undefined;
}

/** The part of a page that one file of several may take. */
const SHARE = 0.5;

/** Options of every diff, so that neither settings nor external programs affect it. */
export const DIFF_OPTIONS: readonly string[] = [
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--find-renames",
];

/** What comes after `diff` and the kinds of output. */
export async function toDiffArguments(
  call: RepositoryCall,
  kind: DiffKind,
  request: DiffRequest,
  // The staged state of submodules is known without entering them.
  submodules: "all" | "dirty" = kind === "staged" ? "dirty" : "all",
): Promise<string[]> {
  const { context_lines: contextLines = 3, paths = [] } = request;
  const target = typeof kind === "object" ? kind.target : undefined;
  // With just two arguments, one of them outside the repository, git compares them as arbitrary files.
  const isAlone = target !== undefined && !target.includes("..") && paths.length === 0;
  const compared = (isAlone ? [""] : paths).map((path) =>
    toReadPathspec(toRepositoryPath(call.repository, path)),
  );
  return [
    ...DIFF_OPTIONS,
    // Has no effect, except that git refuses it when it compares files outside of a repository.
    "--dense",
    // An option, because a setting would not override .gitmodules.
    ...(call.git.isTrusting ? [] : [`--ignore-submodules=${submodules}`]),
    // --unified implies --patch.
    ...(request.stat_only ? [] : [`--unified=${contextLines}`]),
    ...(request.ignore_whitespace ? ["--ignore-all-space"] : []),
    ...(kind === "staged" ? ["--cached"] : []),
    ...(target === undefined ? [] : ["--end-of-options", await toRange(call, target)]),
    "--",
    ...compared,
    // Given twice: with a blob and a single path, git would compare the blob with whatever file the path leads to.
    ...(target === undefined ? [] : compared),
  ];
}

/** A diff as far as it fits. The output is streamed, and git is stopped when the page is full. */
export async function readDiff(
  call: RepositoryCall,
  kind: DiffKind,
  request: DiffRequest,
  limits: DiffLimits,
): Promise<DiffPage> {
  const rest = await toDiffArguments(call, kind, request);
  const { from = 0 } = limits;
  const facts = from === 0 ? ["--raw", "--numstat", "-z"] : [];
  const patch = request.stat_only ? [] : ["--patch"];
  const { isCombined, page } = await readDiffOutput(call, ["diff", ...facts, ...patch, ...rest], limits);
  if (isEmpty(page) && from === 0) {
    await requireKnownPaths(call, request.paths, typeof kind === "object" ? kind.target : "");
  }
  if (!isCombined || request.stat_only) return page;
  // For files with conflicts, git prints either the facts or the patch.
  const combined = await readDiffOutput(call, ["diff", ...patch, ...rest], limits, false);
  return { ...page, ...combined.page };
}

export const isEmpty = ({ files, diff }: Partial<DiffPage>): boolean => !files && diff === "";

interface DiffOutput {
  readonly page: DiffPage;
  /** There are conflicts, shown by git as a combined diff. */
  readonly isCombined: boolean;
}

/** Also for `diff-tree`, whose output ends in the same way. */
export async function readDiffOutput(
  call: RepositoryCall,
  args: readonly string[],
  { budget, from = 0 }: DiffLimits,
  hasFacts: boolean = from === 0,
): Promise<DiffOutput> {
  const collector = new DiffCollector(budget, from, hasFacts);
  const onOutput = (chunk: Buffer): "stop" | undefined => collector.push(chunk);
  await call.run(args, { onOutput });
  return collector.finish();
}

const FILE_HEADER = /^diff --(?:git|cc|combined) /;

/** From "--- a/…" or "+++ b/…", a line of a patch as Latin-1. If both name a file, the second counts. */
export function toPatchPath(line: string): string | undefined {
  // A tab follows a name with spaces in it.
  const [, name] = /^(?:---|\+\+\+) (.+?)\t?$/.exec(line) ?? [];
  if (name === undefined || name === "/dev/null") return undefined;
  const bytes = Buffer.from(name, "latin1");
  return toFileName((name.startsWith('"') ? fromFileName(bytes.toString()) : bytes).subarray(2));
}

/** Takes `--raw --numstat -z --patch` output: the list of files, then the patch in lines. */
class DiffCollector {
  /** Undefined once the list of files is read, and if there is none. */
  #files: ChangedFilesReader | undefined;
  #listed: ReturnType<ChangedFilesReader["list"]> | undefined;
  readonly #lines: string[] = [];
  readonly #cut: string[] = [];
  readonly #budget: number;
  readonly #from: number;
  readonly #reader = new LineReader((line) => this.#take(line));
  #line = -1;
  #used = 0;
  #usedByFile = 0;
  #fileCount = 0;
  #isCut = false;
  #isInHeader = false;
  #path = "";
  #next: number | undefined;

  constructor(budget: number, from: number, hasFacts: boolean) {
    this.#budget = budget;
    this.#from = from;
    // The list of files may take half of the page.
    if (hasFacts) this.#files = new ChangedFilesReader(budget * SHARE);
  }

  push(chunk: Buffer): "stop" | undefined {
    if (!this.#files) return this.#reader.push(chunk);
    const patch = this.#files.push(chunk);
    if (patch === undefined) return this.#files.isTooLong ? "stop" : undefined;
    this.#listed = this.#files.list();
    this.#files = undefined;
    this.#used = this.#listed.size;
    return this.#reader.push(patch);
  }

  finish(): DiffOutput {
    const { files = [], leftOut = 0, isCombined = false } = this.#files?.list() ?? this.#listed ?? {};
    if (this.#next === undefined) this.#reader.end();
    const page = {
      ...(files.length > 0 && { files }),
      diff: this.#lines.join("\n"),
      ...(leftOut > 0 && { left_out: leftOut }),
      ...(this.#cut.length > 0 && { cut: this.#cut }),
      ...(this.#next !== undefined && { next: this.#next }),
    };
    return { page, isCombined };
  }

  #take(bytes: Buffer): "stop" | undefined {
    this.#line += 1;
    const isFile = FILE_HEADER.test(bytes.subarray(0, 12).toString("latin1"));
    if (isFile) this.#beginFile();
    else if (this.#isInHeader) this.#readHeader(bytes.toString("latin1"));
    if (this.#line < this.#from || this.#isCut) return undefined;
    const line = decodeText(bytes);
    // Measured as JSON with invisible characters revealed, which is longer than the text.
    const size = shownSize(line) + 1;
    if (this.#used + size > this.#budget && this.#lines.length > 0) {
      this.#next = this.#line;
      return "stop";
    }
    if (this.#usedByFile + size > this.#budget * SHARE && this.#fileCount > 1) {
      this.#isCut = true;
      this.#noteCut();
      return undefined;
    }
    this.#used += size;
    this.#usedByFile += size;
    if (size <= this.#budget) this.#lines.push(line);
    else {
      this.#lines.push(`${line.slice(0, this.#budget / 8)}…`);
      this.#noteCut();
    }
    return undefined;
  }

  #beginFile(): void {
    this.#fileCount += 1;
    this.#usedByFile = 0;
    this.#isCut = false;
    this.#isInHeader = true;
    this.#path = "";
  }

  #readHeader(line: string): void {
    if (line.startsWith("@@")) this.#isInHeader = false;
    else this.#path = toPatchPath(line) ?? this.#path;
  }

  #noteCut(): void {
    if (!this.#cut.includes(this.#path)) this.#cut.push(this.#path);
  }
}
