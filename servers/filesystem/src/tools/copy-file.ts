import { countOf, describeBytes, quoteShown } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { applied, describeChange, describeSkipped, howToUndo, withChange } from "./changes.ts";
import { EntryKind, skippedOutput } from "./listings.ts";
import { TRANSFER_NAMES, transferInput } from "./schemas.ts";

export const copyFileTool = defineTool({
  name: "copy_file",
  title: "Copy a file or directory",
  description:
    "Copies a file, or a directory with its content. destination is the full new path; missing directories are created. " +
    "Replaces nothing unless overwrite is set.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 2,
  aliases: TRANSFER_NAMES,
  input: schema(v.strictObject(transferInput)),
  output: schema(
    v.object({
      source: v.string(),
      destination: v.string(),
      kind: EntryKind,
      entries: Count,
      bytes: Count,
      destination_existed: v.boolean(),
      ...skippedOutput,
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { copyEntry } = await import("../domain/writing/copy-entry.ts");
    return withChange(context, isDryRun, (request) => copyEntry(request, input));
  },
  text(result, { dry_run: isDryRun }) {
    const { source, destination, entries, bytes, destination_existed: existed } = result;
    const what = [
      ...(entries === 1 ? [] : [countOf(entries, "entry")]),
      describeBytes(bytes),
      ...(existed ? ["replacing what was there"] : []),
    ];
    return [
      `${describeChange(source, "copied", isDryRun)} to ${quoteShown(destination)} (${what.join(", ")}).${howToUndo(result)}`,
      ...describeSkipped(result),
    ];
  },
});
