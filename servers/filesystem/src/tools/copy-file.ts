import { countOf, describeBytes } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import {
  applied,
  describeSkipped,
  describeTransfer,
  howToUndo,
  transferOutput,
  withChange,
} from "./changes.ts";
import { skippedOutput } from "./listings.ts";
import { TRANSFER_NAMES, transferInput } from "./schemas.ts";

export const copyFileTool = defineTool({
  name: "copy_file",
  title: "Copy a file or directory",
  description:
    "Copies files, or directories with their content, all or none. source and destination as in move_file.",
  effects: "destructive",
  affects: "files in the allowed directories",
  group: "write",
  version: 4,
  aliases: TRANSFER_NAMES,
  input: schema(v.strictObject(transferInput)),
  output: schema(
    v.object({
      ...transferOutput,
      entries: v.exactOptional(Count),
      bytes: v.exactOptional(Count),
      ...skippedOutput,
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context) {
    const { copyEntry } = await import("../domain/writing/copy-entry.ts");
    return withChange(context, isDryRun, (request) => copyEntry(request, input));
  },
  text(result, { dry_run: isDryRun }) {
    const { entries = 1, bytes = 0 } = result;
    const what = [...(entries === 1 ? [] : [countOf(entries, "entry")]), describeBytes(bytes)];
    return [
      `${describeTransfer(result, "copied", isDryRun, what)}.${howToUndo(result)}`,
      ...describeSkipped(result),
    ];
  },
});
