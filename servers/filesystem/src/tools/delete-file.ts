import { countOf, describeBytes, fromPathText, quotePath } from "@suite/server-kit/domain";
import { Count, DryRun, IfMatch } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { EntryKind } from "./listings.ts";
import { FilePaths, PATH_NAMES } from "./schemas.ts";

export const deleteFileTool = defineTool({
  name: "delete_file",
  title: "Delete a file or directory",
  description:
    "Moves a file, or a list of them, to the trash, from which undo restores it; a directory only with recursive. permanent deletes it for good.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 3,
  alsoKnownAs: ["remove_file", "delete_directory", "delete"],
  aliases: { path: [...PATH_NAMES, "paths"] },
  input: schema(
    v.strictObject({
      path: FilePaths,
      recursive: v.optional(v.boolean()),
      permanent: v.optional(v.boolean()),
      if_match: IfMatch,
      dry_run: DryRun,
    }),
  ),
  output: schema(
    v.object({
      path: v.exactOptional(v.string()),
      kind: v.exactOptional(EntryKind),
      targets: v.exactOptional(Count),
      entries_inside: v.exactOptional(Count),
      bytes: v.exactOptional(Count),
      is_lower_bound: v.exactOptional(v.literal(true)),
      permanent: v.exactOptional(v.boolean()),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { deleteEntry } = await import("../domain/writing/delete-entry.ts");
    return withChange(context, isDryRun, (request) => deleteEntry(request, input));
  },
  confirm: ({ path, permanent }) => `Delete ${nameAll([path].flat())}${permanent ? " for good" : ""}?`,
  text(result, { dry_run: isDryRun }) {
    const {
      path = "",
      targets,
      bytes = 0,
      entries_inside: inside,
      is_lower_bound: isMore,
      permanent,
    } = result;
    const did = `deleted${permanent ? " for good" : ""}`;
    if (targets !== undefined)
      return `${targets} ${isDryRun ? "would be " : ""}${did} (${isMore ? "at least " : ""}${describeBytes(bytes)}).${howToUndo(result)}`;
    const what =
      inside === undefined ? "" : `, with ${isMore ? "at least " : ""}${countOf(inside, "entry")} in it`;
    return `${describeChange(path, did, isDryRun)}${what}.${howToUndo(result)}`;
  },
});

const MOST_NAMED = 10;

function nameAll(paths: readonly string[]): string {
  const named = paths
    .slice(0, MOST_NAMED)
    .map((path) => quotePath(fromPathText(path)))
    .join(", ");
  return paths.length > MOST_NAMED ? `${named} and ${paths.length - MOST_NAMED} more` : named;
}
