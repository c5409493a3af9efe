import { countOf } from "@suite/server-kit/domain";
import { Count, FromOne, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import type { FoundFile } from "../domain/searching/content-search.ts";
import type { MatchingLine } from "../domain/searching/matching-lines.ts";
import { withGuard } from "../state.ts";
import {
  countOfPage,
  describeStart,
  EXCLUDE_NAMES,
  Globs,
  noteOnGlobs,
  noteOnPlainText,
  noteOnWalk,
  renderList,
  toOneLine,
  walkInput,
  walkOutput,
} from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

const Lines = v.exactOptional(v.array(v.string()));

export const searchContent = defineTool({
  name: "search_content",
  title: "Search in files",
  description:
    "Finds lines in a file or below a directory by plain text or RE2 expression (regex: true). " +
    "mode files or count: only which files match, or how many lines. include, exclude: globs.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 7,
  alsoKnownAs: ["grep", "search", "search_in_files", "search_code"],
  aliases: {
    path: PATH_NAMES,
    pattern: ["query", "search"],
    exclude: EXCLUDE_NAMES,
    include: ["glob", "globs"],
    limit: ["max_matches", "head_limit", "max_results"],
    mode: ["output_mode"],
    ignore_case: ["case_insensitive", "ignoreCase"],
    context: ["context_lines"],
  },
  input: schema(
    v.strictObject({
      path: StartPath,
      pattern: v.pipe(v.string(), v.minLength(1), v.maxLength(1000)),
      regex: v.optional(v.boolean()),
      ignore_case: v.optional(v.boolean()),
      mode: v.optional(v.picklist(["lines", "files", "count"])),
      only_matching: v.optional(v.pipe(v.boolean(), v.description("Only the match, or its first group"))),
      context: v.optional(v.pipe(Count, v.maxValue(20), v.description("Lines around each"))),
      documents: v.optional(v.pipe(v.boolean(), v.description("Also in PDF, DOCX"))),
      include: Globs,
      exclude: Globs,
      limit: v.optional(v.pipe(FromOne, v.maxValue(10_000))),
      max_bytes: MaxBytes,
      ...walkInput,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      files: v.array(
        v.object({
          path: v.string(),
          matches: v.exactOptional(
            v.array(
              v.object({
                line: FromOne,
                column: FromOne,
                text: v.string(),
                before: Lines,
                after: Lines,
              }),
            ),
          ),
          count: v.exactOptional(Count),
        }),
      ),
      matches: Count,
      total_matches: v.exactOptional(Count),
      total_files: v.exactOptional(Count),
      is_lower_bound: v.exactOptional(v.literal(true)),
      files_searched: Count,
      binary_files: v.exactOptional(Count),
      document_files: v.exactOptional(Count),
      ...walkOutput,
    }),
  ),
  untrusted: ["files"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { findContent } = await import("../domain/searching/find-content.ts");
      const { stop, progress, budget, state } = context;
      const { documents } = state;
      return findContent(guard, { ...input, budget }, { signal: stop, onProgress: progress, documents });
    }),
  text: (page, { mode, cursor, path }) => {
    const { total_matches: total, total_files: totalFiles, is_lower_bound } = page;
    const lines = countOfPage(page.matches, { total, is_lower_bound }, "match");
    const files = countOfPage(page.files.length, { total: totalFiles, is_lower_bound }, "file");
    const isPart = totalFiles === undefined && (page.truncated || cursor !== undefined);
    const all = `${mode === "files" ? "" : `${lines} in `}${files}${isPart ? " on this page" : ""}`;
    const found = page.files.length === 0 ? "nothing" : all;
    const searched = `${countOf(page.files_searched, "file")} searched`;
    const binary = page.binary_files === undefined ? "" : `, ${page.binary_files} of them binary`;
    return renderList(
      `${describeStart(page.path, path)}: ${found}, ${searched}${binary}`,
      renderMatches(page.files),
      page,
    );
  },
  note: (page, { path, pattern, regex, include, exclude }) => [
    page.files.length === 0 && noteOnPlainText(pattern, regex),
    page.files.length === 0 &&
      page.document_files !== undefined &&
      "Set documents: true to look inside PDF, DOCX, XLSX, PPTX, ODT and EPUB files too.",
    page.files_searched === 0 &&
      include &&
      `include matches no file${exclude ? ", or only files that exclude leaves out" : ""}.`,
    page.files_searched === 0 && noteOnGlobs(include, path),
    page.files.some(({ matches = [] }) => matches.some(({ text }) => text.includes("\uFFFD"))) &&
      "\uFFFD may stand for bytes that are not UTF-8; read_text_file with encoding shows the characters.",
    ...noteOnWalk(page),
  ],
});

/** By file: its path, then its lines with their numbers. `12:` is a match, `11-` a line of context. */
export const renderMatches = (files: readonly FoundFile[]): string =>
  files
    .map(({ path, matches, count }) => {
      if (matches) return [path, ...renderFile(matches)].join("\n");
      return count === undefined ? path : `${path}: ${count}`;
    })
    .join(files.some(({ matches }) => matches) ? "\n\n" : "\n");

/** A line that is context of two matches, or a match itself, is shown once. */
function renderFile(matches: readonly MatchingLine[]): string[] {
  const lines = new Map<number, string>();
  for (const { line, before = [], after = [] } of matches) {
    for (const [index, text] of before.entries())
      lines.set(line - before.length + index, `- ${toOneLine(text)}`);
    for (const [index, text] of after.entries()) lines.set(line + 1 + index, `- ${toOneLine(text)}`);
  }
  const hasContext = lines.size > 0;
  for (const { line, text } of matches) lines.set(line, `: ${toOneLine(text)}`);
  const numbers = [...lines.keys()].toSorted((a, b) => a - b);
  return numbers.flatMap((number, index) => {
    const isGap = hasContext && index > 0 && numbers[index - 1] !== number - 1;
    return [...(isGap ? ["--"] : []), `${number}${lines.get(number)}`];
  });
}
