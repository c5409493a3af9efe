import { quoteShown } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeTransfer, howToUndo, transferOutput, withChange } from "./changes.ts";
import { TRANSFER_NAMES, transferInput } from "./schemas.ts";

export const moveFileTool = defineTool({
  name: "move_file",
  title: "Move or rename",
  description:
    "Moves or renames files or directories, all or none. destination is the full new path; for a list of sources, the directory " +
    "they go into, or a list of new paths. Missing directories are created. Replaces nothing unless overwrite is set.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 4,
  alsoKnownAs: ["rename_file", "rename"],
  aliases: TRANSFER_NAMES,
  input: schema(v.strictObject(transferInput)),
  output: schema(
    v.object({
      ...transferOutput,
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { moveEntry } = await import("../domain/writing/move-entry.ts");
    return withChange(context, isDryRun, (request) => moveEntry(request, input));
  },
  text(result, { dry_run: isDryRun }) {
    const { source = "", changed } = result;
    if (changed.length === 0)
      return source === "" ? "All are already there." : `${quoteShown(source)} is already there.`;
    return `${describeTransfer(result, "moved", isDryRun, [])}.${howToUndo(result)}`;
  },
});
