import { quoteShown } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, howToUndo, withChange } from "./changes.ts";
import { EntryKind } from "./listings.ts";
import { TRANSFER_NAMES, transferInput } from "./schemas.ts";

export const moveFileTool = defineTool({
  name: "move_file",
  title: "Move or rename",
  description:
    "Moves or renames a file or directory. destination is the full new path; missing directories are created. " +
    "Replaces nothing unless overwrite is set.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 2,
  alsoKnownAs: ["rename_file", "rename"],
  aliases: TRANSFER_NAMES,
  input: schema(v.strictObject(transferInput)),
  output: schema(
    v.object({
      source: v.string(),
      destination: v.string(),
      kind: EntryKind,
      destination_existed: v.boolean(),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { moveEntry } = await import("../domain/writing/move-entry.ts");
    return withChange(context, isDryRun, (request) => moveEntry(request, input));
  },
  text(result, { dry_run: isDryRun }) {
    const { source, destination, destination_existed: existed, changed } = result;
    if (changed.length === 0) return `${quoteShown(source)} is already there.`;
    const what = existed ? ", replacing what was there" : "";
    return `${describeChange(source, "moved", isDryRun)} to ${quoteShown(destination)}${what}.${howToUndo(result)}`;
  },
});
