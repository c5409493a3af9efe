import { quotePath } from "@suite/server-kit/domain";
import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { FileDiff } from "../domain/reading/diff-files.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { ByteCount, Cursor, FilePath } from "./schemas.ts";

export const diffFilesTool: ToolDefinition<FilesystemState> = defineTool({
  name: "diff_files",
  title: "Compare two files",
  description:
    "Compares two files and gives a unified diff. Binary files, and those over 4 MiB, are only told to be the same or to differ.",
  effects: "read",
  touches: "files in the allowed directories",
  group: "read",
  input: schema(
    v.strictObject({
      old_path: FilePath,
      new_path: FilePath,
      context_lines: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))),
      cursor: v.optional(Cursor),
    }),
  ),
  output: schema(
    v.object({
      old_path: v.string(),
      new_path: v.string(),
      identical: v.boolean(),
      compared: v.picklist(["lines", "bytes"]),
      diff: v.string(),
      added_lines: ByteCount,
      removed_lines: ByteCount,
      minimal: v.boolean(),
      truncated: v.boolean(),
      next_cursor: v.exactOptional(Cursor),
    }),
  ),
  async run(input, context: FilesystemContext) {
    const { diffFiles } = await import("../domain/reading/diff-files.ts");
    return withGuard(context, (guard) => diffFiles(guard, input, context.stop));
  },
  text: renderDiff,
});

function renderDiff({ diff, next_cursor: cursor, ...facts }: FileDiff): TextPart[] {
  const names = `${quotePath(facts.old_path)} and ${quotePath(facts.new_path)}`;
  if (facts.identical) return [`${names} are identical`];
  if (facts.compared === "bytes") return [`${names} differ (compared by bytes, not lines)`];
  if (diff === "") return [`${names} have the same lines, but differ in encoding or byte order mark`];
  const change = `${facts.added_lines} lines added, ${facts.removed_lines} removed`;
  const header = `${names}: ${change}${facts.minimal ? "" : ", too many for the shortest diff"}`;
  const parts = [header, untrusted(diff, `diff of ${facts.old_path} and ${facts.new_path}`)];
  return cursor === undefined ? parts : [...parts, `Cut: the rest with cursor: "${cursor}"`];
}
