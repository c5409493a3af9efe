import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { renderMatches } from "../domain/searching/render-matches.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { describeCount, Globs, renderList, walkInput, walkOutput } from "./listings.ts";
import { ByteCount, Count, FilePath, LineNumber } from "./schemas.ts";

const Lines = v.exactOptional(v.array(v.string()));

export const searchContent: ToolDefinition<FilesystemState> = defineTool({
  name: "search_content",
  title: "Search in files",
  description:
    "Finds lines in the files below a path, or in one file, by plain text or with regex: true by RE2 expression. " +
    "One match per line; binary files are left out. include and excludePatterns are globs. 100 matches a page.",
  effects: "read",
  touches: "files in the allowed directories",
  group: "read",
  input: schema(
    v.strictObject({
      path: FilePath,
      pattern: v.pipe(v.string(), v.minLength(1), v.maxLength(1000)),
      regex: v.optional(v.boolean()),
      case_sensitive: v.optional(v.pipe(v.boolean(), v.description("Default true"))),
      context: v.optional(v.pipe(ByteCount, v.maxValue(20), v.description("Lines before and after"))),
      include: v.optional(Globs),
      excludePatterns: v.optional(Globs),
      max_matches: v.optional(v.pipe(Count, v.maxValue(10_000))),
      ...walkInput,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      matches: v.array(
        v.object({
          path: v.string(),
          line: LineNumber,
          column: LineNumber,
          text: v.string(),
          before: Lines,
          after: Lines,
        }),
      ),
      files_searched: ByteCount,
      binary_files: ByteCount,
      ...walkOutput,
    }),
  ),
  run: (input, context: FilesystemContext) =>
    withGuard(context, async (guard) => {
      const { findContent } = await import("../domain/searching/find-content.ts");
      const { stop, progress } = context;
      return findContent(guard, input, { signal: stop, onProgress: (seen) => progress(seen) });
    }),
  text: (page) => {
    const found = page.matches.length === 0 ? "nothing" : describeCount(page.matches.length, "line", "lines");
    const searched = describeCount(page.files_searched, "file", "files");
    const binary = page.binary_files === 0 ? "" : `, ${page.binary_files} of them binary`;
    const heading = `${quotePath(page.path)}: ${found}, ${searched} searched${binary}`;
    return renderList(heading, renderMatches(page.matches), page);
  },
});
