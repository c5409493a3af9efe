import { untrusted, type TextPart } from "@suite/server-kit";
import { countOf, noteCursor, quoteShown } from "@suite/server-kit/domain";
import { Count, Cursor, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import type { FileDiff } from "../domain/reading/diff-files.ts";
import { withGuard } from "../state.ts";
import { NextCursor } from "./listings.ts";
import { FilePath } from "./schemas.ts";

export const diffFilesTool = defineTool({
  name: "diff_files",
  title: "Compare two files",
  description:
    "Compares two files and returns a unified diff. For binary files and files over 4 MiB, only whether they differ.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 2,
  aliases: { old_path: ["path1"], new_path: ["path2"], context: ["context_lines"] },
  input: schema(
    v.strictObject({
      old_path: FilePath,
      new_path: FilePath,
      context: v.optional(v.pipe(Count, v.maxValue(100))),
      cursor: NextCursor,
      max_bytes: MaxBytes,
    }),
  ),
  output: schema(
    v.object({
      old_path: v.string(),
      new_path: v.string(),
      identical: v.boolean(),
      compared: v.picklist(["lines", "bytes"]),
      diff: v.string(),
      added_lines: Count,
      removed_lines: Count,
      minimal: v.boolean(),
      truncated: v.boolean(),
      next_cursor: v.exactOptional(Cursor),
    }),
  ),
  untrusted: ["diff"],
  async run(input, context) {
    const { diffFiles } = await import("../domain/reading/diff-files.ts");
    return withGuard(context, (guard) => diffFiles(guard, input, context.stop, context.budget));
  },
  text: renderDiff,
  note: noteCursor,
});

function renderDiff({ diff, ...facts }: FileDiff): TextPart[] {
  const names = `${quoteShown(facts.old_path)} and ${quoteShown(facts.new_path)}`;
  if (facts.identical) return [`${names} are identical`];
  if (facts.compared === "bytes") return [`${names} differ (compared by bytes, not lines)`];
  if (diff === "") return [`${names} have the same lines, but differ in encoding or byte order mark`];
  const change = `${countOf(facts.added_lines, "line")} added, ${facts.removed_lines} removed`;
  return [`${names}: ${change}${facts.minimal ? "" : ", too many for the shortest diff"}`, untrusted(diff)];
}
