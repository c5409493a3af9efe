import { quotePath } from "@suite/server-kit/domain";
import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { EditedFile } from "../domain/editing/edit-file.ts";
import type { Applied } from "../domain/writing/changes/apply-change.ts";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { Count, DryRun, ETag, FilePath, IfMatch } from "./schemas.ts";

const Edit = v.strictObject({
  oldText: v.string(),
  newText: v.string(),
  replace_all: v.optional(v.boolean()),
});

export const editFileTool: ToolDefinition<FilesystemState> = defineTool({
  name: "edit_file",
  title: "Edit a text file",
  description:
    "Replaces exact text in a file. Each oldText must be there once (or set replace_all); edits apply in order, all or none. " +
    "Line endings stay. Gives a unified diff.",
  effects: "destructive",
  touches: "files in the allowed directories",
  group: "write",
  version: 2,
  input: schema(
    v.pipe(
      v.strictObject({
        path: FilePath,
        edits: v.pipe(v.array(Edit), v.minLength(1), v.maxLength(500)),
        if_match: IfMatch,
        dry_run: DryRun,
        dryRun: v.optional(v.boolean()),
      }),
      // Both spellings are in use; from here on there is one.
      v.transform(({ dryRun, ...input }) => ({
        ...input,
        dry_run: (input.dry_run ?? false) || dryRun === true,
      })),
    ),
  ),
  output: schema(
    v.object({
      path: v.string(),
      etag: ETag,
      diff: v.exactOptional(v.string()),
      truncated: v.exactOptional(v.boolean()),
      loose_matches: v.exactOptional(v.array(Count)),
      note: v.exactOptional(v.string()),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context: FilesystemContext) {
    const { editFile } = await import("../domain/editing/edit-file.ts");
    return withChange(context, isDryRun, (request) => editFile(request, input));
  },
  text: render,
});

function render(result: EditedFile & Applied): TextPart[] {
  const { path, etag, diff, truncated, note } = result;
  const name = quotePath(path);
  if (result.changed.length === 0)
    return [`${name} is as it was: the new text is the old one. etag ${etag}.`];
  const did = result.dry_run ? "would be edited" : "edited";
  const parts = [`${name} ${did}, etag ${etag}.${howToUndo(result)}`, ...(note === undefined ? [] : [note])];
  if (diff === undefined) return [...parts, "The change is too large for a diff."];
  return [...parts, untrusted(diff, path), ...(truncated ? ["The diff is cut."] : [])];
}
