import { quotePath } from "@suite/server-kit/domain";
import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { ReplacedFiles } from "../domain/editing/replace-in-files.ts";
import type { Applied } from "../domain/writing/changes/apply-change.ts";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { describeCount } from "./listings.ts";
import { ByteCount, Count, DryRun, FilePath } from "./schemas.ts";

const Globs = v.optional(v.array(v.string()));

export const replaceInFilesTool: ToolDefinition<FilesystemState> = defineTool({
  name: "replace_in_files",
  title: "Replace text in many files",
  description:
    "Replaces text, or an RE2 expression (regex; $1 in the replacement), in all files below a directory, all or none. " +
    "Shows a diff first; then repeat it with expected_count.",
  effects: "destructive",
  touches: "files in the allowed directories",
  group: "write",
  input: schema(
    v.pipe(
      v.strictObject({
        path: FilePath,
        pattern: v.pipe(v.string(), v.minLength(1)),
        replacement: v.string(),
        regex: v.optional(v.boolean()),
        ignore_case: v.optional(v.boolean()),
        include: Globs,
        exclude: Globs,
        respect_gitignore: v.optional(v.boolean()),
        expected_count: v.optional(v.pipe(Count, v.description("count of the dry run"))),
        dry_run: DryRun,
      }),
      // Who has not seen the replacements yet only gets to see them, and nobody need be asked about that.
      v.transform((input) => ({
        ...input,
        dry_run: input.dry_run === true || input.expected_count === undefined,
      })),
    ),
  ),
  output: schema(
    v.object({
      count: ByteCount,
      files: v.array(v.object({ path: v.string(), count: Count })),
      diff: v.exactOptional(v.string()),
      truncated: v.exactOptional(v.boolean()),
      skipped: v.exactOptional(v.array(v.object({ path: v.string(), reason: v.string() }))),
      skipped_total: v.exactOptional(ByteCount),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context: FilesystemContext) {
    const { replaceInFiles } = await import("../domain/editing/replace-in-files.ts");
    const onProgress = (seen: number): void => context.progress(seen);
    return withChange(context, isDryRun, (request) => replaceInFiles({ ...request, onProgress }, input));
  },
  text: render,
});

const MOST_NAMED = 20;

function render(result: ReplacedFiles & Applied): TextPart[] {
  const {
    count,
    files,
    diff,
    truncated,
    skipped = [],
    skipped_total: skippedTotal = skipped.length,
  } = result;
  const unread = skippedTotal > 0 ? [`${skippedTotal} files were skipped.`] : [];
  if (count === 0) return ["Nothing to replace.", ...unread];
  const where = files.slice(0, MOST_NAMED).map(({ path, count: times }) => `${quotePath(path)}: ${times}`);
  const rest = files.length > MOST_NAMED ? [`… and ${files.length - MOST_NAMED} more files`] : [];
  const sum = `${describeCount(count, "replacement", "replacements")} in ${describeCount(files.length, "file", "files")}`;
  const head = result.dry_run
    ? `${sum} to make. Nothing was changed: to make them, repeat this with expected_count: ${count}.`
    : `${sum} made.${howToUndo(result)}`;
  const parts = [head, ...where, ...rest, ...unread];
  if (diff === undefined) return parts;
  return [...parts, untrusted(diff, "diff"), ...(truncated ? ["The diff is cut."] : [])];
}
