import { countOf, fromPathText, quotePath } from "@suite/server-kit/domain";
import { Count, DryRun, IfMatch } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { EntryKind } from "./listings.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const deleteFileTool = defineTool({
  name: "delete_file",
  title: "Delete a file or directory",
  description:
    "Moves a file to the trash, from which undo restores it; a directory only with recursive. permanent deletes it for good.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 2,
  alsoKnownAs: ["remove_file", "delete_directory", "delete"],
  aliases: { path: PATH_NAMES },
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
      kind: EntryKind,
      entries_inside: v.exactOptional(Count),
      bytes: Count,
      is_lower_bound: v.exactOptional(v.literal(true)),
      permanent: v.boolean(),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { deleteEntry } = await import("../domain/writing/delete-entry.ts");
    return withChange(context, isDryRun, (request) => deleteEntry(request, input));
  },
  confirm: ({ path, permanent }) => `Delete ${quotePath(fromPathText(path))}${permanent ? " for good" : ""}?`,
  text(result, { dry_run: isDryRun }) {
    const { path, entries_inside: inside, is_lower_bound: isMore, permanent } = result;
    const what =
      inside === undefined ? "" : `, with ${isMore ? "at least " : ""}${countOf(inside, "entry")} in it`;
    return `${describeChange(path, `deleted${permanent ? " for good" : ""}`, isDryRun)}${what}.${howToUndo(result)}`;
  },
});
