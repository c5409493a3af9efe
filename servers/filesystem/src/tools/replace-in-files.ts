import { untrusted, type TextPart } from "@suite/server-kit";
import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count, DryRun, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { fromBase } from "../domain/walking/start.ts";
import { applied, describeSkipped, howToUndo, withChange } from "./changes.ts";
import { noteOnLinks } from "./edit-file.ts";
import { EXCLUDE_NAMES, Globs, noteOnGlobs, noteOnPlainText, noteOnWalk, reportOutput } from "./listings.ts";
import { PATH_NAMES, StartPath } from "./schemas.ts";

export const replaceInFilesTool = defineTool({
  name: "replace_in_files",
  title: "Replace text in many files",
  description:
    "Replaces text, or an RE2 expression (regex; $1 in replacement), in all files below path, all or none. " +
    "Without expected_count only shows a diff and the count to pass.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 6,
  aliases: {
    path: PATH_NAMES,
    pattern: ["query", "search"],
    exclude: EXCLUDE_NAMES,
    include: ["glob", "globs"],
    replacement: ["replace"],
  },
  input: schema(
    v.pipe(
      v.strictObject({
        path: StartPath,
        pattern: v.pipe(v.string(), v.minLength(1)),
        replacement: v.string(),
        regex: v.optional(v.boolean()),
        ignore_case: v.optional(v.boolean()),
        include: Globs,
        exclude: Globs,
        respect_gitignore: v.optional(v.boolean()),
        expected_count: v.optional(Count),
        max_bytes: MaxBytes,
        dry_run: DryRun,
      }),
      // Without expected_count, the call only previews the replacements, which needs no confirmation.
      v.transform((input) => ({
        ...input,
        path: input.path ?? ".",
        dry_run: input.dry_run === true || input.expected_count === undefined,
      })),
    ),
  ),
  output: schema(
    v.object({
      path: v.exactOptional(v.string()),
      count: Count,
      files: Count,
      counts: v.array(Count),
      diff: v.exactOptional(v.string()),
      truncated: v.exactOptional(v.boolean()),
      other_names: v.exactOptional(Count),
      separated_names: v.exactOptional(Count),
      ...reportOutput,
      ...applied,
    }),
  ),
  untrusted: ["diff"],
  async run({ dry_run: isDryRun, max_bytes: longest, ...input }, context) {
    const { replaceInFiles } = await import("../domain/editing/replace-in-files.ts");
    const { progress: onProgress, budget } = context;
    const scope = { ...input, diffRoom: longest === undefined ? undefined : budget };
    const result = await withChange(context, isDryRun, (request) =>
      replaceInFiles({ ...request, onProgress }, scope),
    );
    return { ...result, changed: result.changed.map((path) => fromBase(result.path, path)) };
  },
  text(result, { dry_run: isDryRun }): TextPart[] {
    const { path: base, count, files, changed, counts, diff } = result;
    const skipped = describeSkipped(result);
    if (count === 0) return ["Nothing to replace.", ...skipped];
    const within = base === undefined ? "" : ` of ${quoteShown(base)}`;
    const sum = `${countOf(count, "replacement")} in ${countOf(files, "file")}${within}`;
    const where = changed.map((path, index) => `${quoteShown(path)}: ${counts[index]}`);
    const rest = files > where.length ? [`… and ${countOf(files - where.length, "more file")}`] : [];
    const head = isDryRun ? `${sum} to make.` : `${sum} made.${howToUndo(result)}`;
    return [head, ...where, ...rest, ...skipped, ...(diff === undefined ? [] : [untrusted(diff)])];
  },
  note(result, { dry_run: isDryRun, path, pattern, regex, include }) {
    const { count, truncated, other_names: others, separated_names: separated } = result;
    const hasReturn = pattern.includes(regex ? String.raw`\r` : "\r");
    return [
      count === 0 && noteOnPlainText(pattern, regex),
      count === 0 && noteOnGlobs(include, path),
      count === 0 &&
        hasReturn &&
        String.raw`Every line end is \n to the pattern, also where a file has \r\n.`,
      isDryRun &&
        count > 0 &&
        `To make ${count === 1 ? "it" : "them"}, repeat this with expected_count: ${count}.`,
      truncated && "The diff is truncated: max_bytes shows more of it.",
      noteOnLinks(others),
      separated !== undefined &&
        "Hard links among these files are not kept: each name becomes a file of its own.",
      ...noteOnWalk(result),
    ];
  },
});
