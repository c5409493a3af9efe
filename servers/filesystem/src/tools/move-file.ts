import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { DryRun, FilePath } from "./schemas.ts";

export const moveFileTool: ToolDefinition<FilesystemState> = defineTool({
  name: "move_file",
  title: "Move or rename",
  description:
    "Moves or renames a file or directory. destination is its whole new path. Replaces nothing unless overwrite is set.",
  effects: "destructive",
  touches: "files in the allowed directories",
  group: "write",
  input: schema(
    v.strictObject({
      source: FilePath,
      destination: FilePath,
      overwrite: v.optional(v.boolean()),
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({
      source: v.string(),
      destination: v.string(),
      kind: v.picklist(["file", "directory", "link", "other"]),
      replaced: v.boolean(),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context: FilesystemContext) {
    const { moveEntry } = await import("../domain/writing/move-entry.ts");
    return withChange(context, isDryRun, (request) => moveEntry(request, input));
  },
  text(result) {
    const { source, destination, replaced, changed, dry_run: isDryRun } = result;
    if (changed.length === 0) return `${quotePath(source)} is there already.`;
    const did = isDryRun ? "would be moved" : "moved";
    const what = replaced ? ", in place of what was there" : "";
    return `${quotePath(source)} ${did} to ${quotePath(destination)}${what}.${howToUndo(result)}`;
  },
});
