import { countOf } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { withGuard } from "../state.ts";
import {
  countOfPage,
  describeStart,
  EntryLimit,
  EXCLUDE_NAMES,
  Globs,
  noteOnGlobs,
  noteOnWalk,
  renderList,
  walkInput,
  walkOutput,
} from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

export const searchFiles = defineTool({
  name: "search_files",
  title: "Find files by name",
  description:
    "Finds files and directories below a path by glob: *.ts matches names at any depth, src/**/*.{ts,md} paths relative to path. " +
    "sort: size or modified returns only files, largest or newest first, with size and time; details adds these to any order.",
  effects: "read",
  affects: "names in the allowed directories",
  group: "read",
  version: 7,
  alsoKnownAs: ["find", "find_files", "glob"],
  aliases: {
    path: PATH_NAMES,
    exclude: EXCLUDE_NAMES,
    pattern: ["glob", "query"],
    sort: ["sort_by", "sortBy"],
    limit: ["max_results"],
  },
  input: schema(
    v.strictObject({
      path: StartPath,
      pattern: v.optional(v.pipe(v.string(), v.minLength(1)), "*"),
      exclude: Globs,
      sort: v.optional(v.picklist(["name", "size", "modified"])),
      details: v.optional(v.boolean()),
      type: v.optional(v.picklist(["file", "directory", "link"])),
      min_size: v.optional(Count),
      max_size: v.optional(Count),
      modified_after: v.optional(v.string()),
      modified_before: v.optional(v.string()),
      limit: EntryLimit,
      ...walkInput,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      matches: v.exactOptional(v.array(v.string())),
      files: v.exactOptional(
        v.array(
          v.object({
            path: v.string(),
            size: v.exactOptional(Count),
            modified: v.exactOptional(v.string()),
          }),
        ),
      ),
      total: v.exactOptional(Count),
      total_bytes: v.exactOptional(Count),
      is_lower_bound: v.exactOptional(v.literal(true)),
      ...walkOutput,
    }),
  ),
  untrusted: ["matches", "files"],
  run: (input, context) =>
    withGuard(context, async (guard) => {
      const { findFiles } = await import("../domain/searching/find-files.ts");
      const { stop, progress, budget } = context;
      return findFiles(guard, { ...input, budget }, { signal: stop, onProgress: progress });
    }),
  text: (page, { path: given }) => {
    const { matches = [], files, total_bytes: bytes, is_lower_bound: isMore } = page;
    const lines =
      files?.map(({ path, size, modified }) => (size === undefined ? path : `${path} ${size} ${modified}`)) ??
      matches;
    const found = lines.length === 0 ? "nothing" : countOfPage(lines.length, page, "match");
    const size = bytes ? `, ${isMore ? "more than " : ""}${countOf(bytes, "byte")} in all` : "";
    return renderList(`${describeStart(page.path, given)}: ${found}${size}`, lines.join("\n"), page);
  },
  note: (page, { path, pattern }) => {
    const isEmpty = !page.truncated && (page.files ?? page.matches)?.length === 0;
    return [
      isEmpty && !/[*?[{/.]/.test(pattern) && `pattern must match a whole name: try *${pattern}*.`,
      isEmpty && noteOnGlobs([pattern], path),
      ...noteOnWalk(page),
    ];
  },
});
