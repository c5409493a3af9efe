import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { ByteCount, DryRun, FilePath, IfMatch } from "./schemas.ts";

export const deleteFileTool: ToolDefinition<FilesystemState> = defineTool({
  name: "delete_file",
  title: "Delete a file or directory",
  description:
    "Moves a file to the trash, from where undo brings it back; a directory only with recursive. permanent deletes for good.",
  effects: "destructive",
  touches: "files in the allowed directories",
  group: "write",
  input: schema(
    v.strictObject({
      path: FilePath,
      recursive: v.optional(v.boolean()),
      permanent: v.optional(v.boolean()),
      if_match: IfMatch,
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      kind: v.picklist(["file", "directory", "link", "other"]),
      entries: ByteCount,
      bytes: ByteCount,
      truncated: v.boolean(),
      permanent: v.boolean(),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context: FilesystemContext) {
    const { deleteEntry } = await import("../domain/writing/delete-entry.ts");
    return withChange(context, isDryRun, (request) => deleteEntry(request, input));
  },
  confirm: ({ path, permanent }) => `Delete ${quotePath(path)}${permanent ? " for good" : ""}?`,
  text(result) {
    const { path, kind, entries, truncated, permanent, dry_run: isDryRun } = result;
    const what = kind === "directory" ? `, with ${truncated ? "more than " : ""}${entries - 1} entries` : "";
    const did = `${isDryRun ? "would be " : ""}deleted${permanent ? " for good" : ""}`;
    return `${quotePath(path)} ${did}${what}.${howToUndo(result)}`;
  },
});
