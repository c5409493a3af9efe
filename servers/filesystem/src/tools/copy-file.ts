import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { ByteCount, DryRun, FilePath } from "./schemas.ts";

export const copyFileTool: ToolDefinition<FilesystemState> = defineTool({
  name: "copy_file",
  title: "Copy a file or directory",
  description:
    "Copies a file, or a directory with its content (20,000 entries, 1 GiB). destination is the whole new path. " +
    "Replaces nothing unless overwrite is set.",
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
      entries: ByteCount,
      bytes: ByteCount,
      replaced: v.boolean(),
      skipped: v.exactOptional(v.array(v.object({ path: v.string(), reason: v.string() }))),
      skipped_total: v.exactOptional(ByteCount),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context: FilesystemContext) {
    const { copyEntry } = await import("../domain/writing/copy-entry.ts");
    return withChange(context, isDryRun, (request) => copyEntry(request, input));
  },
  text(result) {
    const { source, destination, entries, bytes, replaced, skipped = [], dry_run: isDryRun } = result;
    const did = isDryRun ? "would be copied" : "copied";
    const what = `${entries === 1 ? "" : `${entries} entries, `}${bytes} bytes${replaced ? ", in place of what was there" : ""}`;
    const left = skipped.map(({ path, reason }) => `Left out ${quotePath(path)}: ${reason}.`);
    return [
      `${quotePath(source)} ${did} to ${quotePath(destination)} (${what}).${howToUndo(result)}`,
      ...left,
      ...(result.skipped_total === undefined ? [] : [`${result.skipped_total} were left out in all.`]),
    ];
  },
});
