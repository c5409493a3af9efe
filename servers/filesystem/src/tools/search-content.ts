import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count, Limit, LineNumber, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { renderMatches } from "../domain/searching/render-matches.ts";
import { withGuard } from "../state.ts";
import { EXCLUDE_NAMES, Globs, noteOnPage, renderList, walkInput, walkOutput } from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

const Lines = v.exactOptional(v.array(v.string()));

export const searchContent = defineTool({
  name: "search_content",
  title: "Search in files",
  description:
    "Finds lines in the files below a path, or in one file, by plain text or with regex: true by RE2 expression. " +
    "mode files or count only says which files match, or how often. include and exclude are globs. 100 matches a page.",
  effects: "read",
  touches: "files in the allowed directories",
  group: "read",
  version: 2,
  formerly: ["grep", "search", "search_in_files", "search_code"],
  aliases: {
    path: PATH_NAMES,
    exclude: EXCLUDE_NAMES,
    include: ["glob", "globs"],
    limit: ["max_matches", "head_limit", "max_results"],
    mode: ["output_mode"],
    ignore_case: ["case_insensitive"],
  },
  input: schema(
    v.strictObject({
      path: StartPath,
      pattern: v.pipe(v.string(), v.minLength(1), v.maxLength(1000)),
      regex: v.optional(v.boolean()),
      ignore_case: v.optional(v.boolean()),
      mode: v.optional(v.picklist(["lines", "files", "count"])),
      context: v.optional(v.pipe(Count, v.maxValue(20), v.description("Lines around each"))),
      include: Globs,
      exclude: Globs,
      limit: v.optional(v.pipe(Limit, v.maxValue(10_000))),
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
                line: LineNumber,
                column: LineNumber,
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
      files_searched: Count,
      binary_files: Count,
      ...walkOutput,
    }),
  ),
  untrusted: ["files"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { findContent } = await import("../domain/searching/find-content.ts");
      const { stop, progress, budget } = context;
      return findContent(guard, { ...input, budget }, { signal: stop, onProgress: (seen) => progress(seen) });
    }),
  text: (page, { mode }) => {
    const matches = mode === "files" ? "" : `${countOf(page.matches, "match", "matches")} in `;
    const found = page.files.length === 0 ? "nothing" : `${matches}${countOf(page.files.length, "file")}`;
    const searched = `${countOf(page.files_searched, "file")} searched`;
    const binary = page.binary_files === 0 ? "" : `, ${page.binary_files} of them binary`;
    return renderList(
      `${quoteShown(page.path)}: ${found}, ${searched}${binary}`,
      renderMatches(page.files),
      page,
    );
  },
  note: (page) => noteOnPage(page),
});
