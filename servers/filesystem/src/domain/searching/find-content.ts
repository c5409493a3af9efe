import { fstatSync, lstatSync } from "node:fs";
import { basename, dirname } from "node:path";

import {
  type DocumentFiles,
  Fault,
  fromCursor,
  isCount,
  isListOf,
  isText,
  type JsonValue,
  type PageEnd,
  type PathGuard,
  type SafePath,
  type StopSignal,
  TimeSlices,
  toPageEnd,
} from "@suite/server-kit/domain";

import { readWhole } from "../reading/document.ts";
import { type GlobTest, parseExcludes, parseIncludes } from "../walking/globs/glob.ts";
import { findLandmarks, toLandmark } from "../walking/landmark.ts";
import { Beyond, Room } from "../walking/room.ts";
import { SkippedList, walk, type WalkOptions, type WalkResult } from "../walking/walk.ts";
import { fromStart, type PageRequest, showBelow, toReport, type WalkReport } from "../walking/start.ts";
import { type ContentMode, type ContentPlace, ContentSearch, type FoundFile } from "./content-search.ts";
import {
  createExpressionMatcher,
  createExtractor,
  createLiteralMatcher,
  type LineMatcher,
} from "./line-matcher.ts";

export interface ContentRequest extends PageRequest {
  readonly pattern: string;
  readonly mode?: ContentMode | undefined;
  readonly regex?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly context?: number | undefined;
  /** Of each line, only what matches, or the first group of the expression. */
  readonly only_matching?: boolean | undefined;
  /** Whether to look inside PDFs and the like, too. */
  readonly documents?: boolean | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

export interface ContentPage extends PageEnd, WalkReport {
  /** The allowed directory. */
  readonly path: string;
  readonly files: FoundFile[];
  /** Lines that match, on this page. */
  readonly matches: number;
  /** On all pages, unless lines are listed. */
  readonly total_matches?: number;
  readonly total_files?: number;
  /** There are more: counting took too long. */
  readonly is_lower_bound?: true;
  readonly files_searched: number;
  readonly binary_files?: number;
  /** Those of them that may be documents. */
  readonly document_files?: number;
}

export interface ContentTools extends Pick<WalkOptions, "signal" | "onProgress"> {
  readonly documents?: DocumentFiles;
}

const DEFAULT_MATCHES = 100;
const COUNTING_MS = 2000;

/** Lines that contain a text or match an expression, in all files below a path or in one file, page by page. */
export async function findContent(
  guard: PathGuard,
  request: ContentRequest,
  { signal, onProgress, documents }: ContentTools,
): Promise<ContentPage> {
  const { path = ".", pattern, regex = false, ignore_case: ignoresCase = false, context = 0 } = request;
  const { include = [], exclude: excluded = [], respect_gitignore: respectIgnore = true } = request;
  const { mode = "lines" } = request;
  const about = toAbout(request);
  const matcher = await createMatcher(pattern, regex, !ignoresCase);
  if (request.documents) await documents?.require("documents");
  const extract = request.only_matching ? await createExtractor(pattern, regex, !ignoresCase) : undefined;
  return fromStart(guard, path, async (start) => {
    const [wanted, exclude] = [parseIncludes(include, start), parseExcludes(excluded, start)];
    const isFile = lstatSync(start, { throwIfNoEntry: false })?.isFile() === true;
    const from = fromContentEnd(request.cursor, about, (mark) =>
      isFile ? [basename(start)] : findLandmarks(guard, start, mark),
    );
    const limit = request.limit ?? DEFAULT_MATCHES;
    const { base, prefix, toShown } = showBelow(guard, isFile ? dirname(start) : start);
    const room = new Room(request.budget, base + path);
    const beyond = new Beyond(from === undefined && mode !== "lines", COUNTING_MS);
    const search = new ContentSearch({
      mode,
      room,
      matcher,
      context: extract ? 0 : context,
      extract,
      limit,
      from,
      toText: request.documents && documents ? createToText(documents, signal) : undefined,
      needsUtf8: /[^\0-\x7F]/.test(pattern),
      toShown,
      beyond,
    });
    const options = { signal, onProgress, respectIgnore, exclude, from: from?.path };
    const result = isFile
      ? await searchFile(guard, start, search, signal)
      : await searchBelow(guard, start, search, options, wanted);
    return {
      path: base,
      files: search.found,
      matches: search.matches,
      ...search.totals(),
      files_searched: search.files,
      ...(search.binaryFiles > 0 && { binary_files: search.binaryFiles }),
      ...(search.documentFiles > 0 && { document_files: search.documentFiles }),
      ...toContentEnd(search.next, about),
      ...toReport({ guard, path, start }, result, room, prefix),
    };
  });
}

/** For cursors. */
const toAbout = ({ path = ".", pattern, mode = "lines", ...request }: ContentRequest): JsonValue => ({
  content: path,
  pattern,
  mode,
  regex: request.regex ?? false,
  ignoresCase: request.ignore_case ?? false,
  include: request.include ?? [],
  excluded: request.exclude ?? [],
  respectIgnore: request.respect_gitignore ?? true,
  ...(request.documents && { documents: true }),
});

const createToText =
  (documents: DocumentFiles, signal: StopSignal) =>
  async (path: string, fd: number): Promise<string | Fault | undefined> => {
    try {
      const bytes = await readWhole(path, { fd, stats: fstatSync(fd, { bigint: true }) }, signal);
      return (await documents.read(bytes, "it", signal))?.text;
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof Fault) return thrown;
      throw thrown;
    }
  };

function fromContentEnd(
  cursor: string | undefined,
  about: JsonValue,
  findPaths: (landmark: JsonValue | undefined) => Iterable<string>,
): ContentPlace | undefined {
  const found = fromCursor(cursor, about, isListOf(isText, isCount), function* (short) {
    const [landmark, line = null] = Array.isArray(short) ? (short as readonly JsonValue[]) : [];
    for (const path of findPaths(landmark)) yield [path, line];
  });
  return found && { path: found[0], line: found[1] };
}

const toContentEnd = (next: ContentPlace | undefined, about: JsonValue): PageEnd =>
  toPageEnd(
    next !== undefined,
    next && [next.path, next.line],
    about,
    next && [toLandmark(next.path), next.line],
  );

/** Finds `\n` and `\r` that would have to match; those in `[^\n]` do not. */
const LINE_BREAK = /(?<!\\)(?:\\\\)*\\[nr]/;
const NEGATED_CLASS = /\[\^[^\]]*\]/g;

async function createMatcher(
  pattern: string,
  isRegex: boolean,
  isCaseSensitive: boolean,
): Promise<LineMatcher> {
  if (/[\n\r]/.test(pattern) || (isRegex && LINE_BREAK.test(pattern.replaceAll(NEGATED_CLASS, "")))) {
    throw new Fault(
      "invalid_input",
      "The pattern contains a line break and cannot match anything: lines are searched one by one",
      {
        hint: "Search for one of its lines, with context to see the others; or use replace_in_files with dry_run, whose expressions may span lines.",
      },
    );
  }
  return isRegex
    ? createExpressionMatcher(pattern, isCaseSensitive)
    : createLiteralMatcher(pattern, isCaseSensitive);
}

async function searchBelow(
  guard: PathGuard,
  start: SafePath,
  search: ContentSearch,
  options: WalkOptions,
  wanted: GlobTest | undefined,
): Promise<WalkResult> {
  return walk(guard, start, options, ({ path, name, kind, isBroken }, parent) => {
    if (kind !== "file" || isBroken || wanted?.(path, name, false) === false) return undefined;
    return search.search(path, () => parent.directory.openFile(name), parent);
  });
}

/** A file named as the path is searched even if globs or .gitignore exclude it. */
async function searchFile(
  guard: PathGuard,
  file: SafePath,
  search: ContentSearch,
  signal: StopSignal,
): Promise<Pick<WalkResult, "ignored" | "skipped">> {
  const state = { slices: new TimeSlices(signal), skipped: new SkippedList() };
  const { fd } = guard.openFile(file);
  await search.search(basename(file), () => fd, state);
  return { ignored: 0, skipped: state.skipped };
}
