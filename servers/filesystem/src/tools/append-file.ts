import { quotePath } from "@suite/server-kit/domain";
import { defineTool, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import type { FilesystemContext, FilesystemState } from "../state.ts";
import { applied, howToUndo, withChange } from "./changes.ts";
import { ByteCount, DryRun, ETag, FilePath, IfMatch } from "./schemas.ts";

export const appendFileTool: ToolDefinition<FilesystemState> = defineTool({
  name: "append_file",
  title: "Append to a file",
  description:
    "Adds text to the end of a file exactly as given, newlines included. Creates the file if it is missing.",
  effects: "write",
  touches: "files in the allowed directories",
  group: "write",
  version: 2,
  input: schema(v.strictObject({ path: FilePath, content: v.string(), if_match: IfMatch, dry_run: DryRun })),
  output: schema(
    v.object({
      path: v.string(),
      created: v.boolean(),
      size: ByteCount,
      etag: v.exactOptional(ETag),
      ...applied,
    }),
  ),
  async run({ dry_run: isDryRun, ...input }, context: FilesystemContext) {
    const { appendFile } = await import("../domain/writing/append-file.ts");
    return withChange(context, isDryRun, (request) => appendFile(request, input));
  },
  text(result) {
    const { path, created, size, etag, dry_run: isDryRun } = result;
    const did = `${isDryRun ? "would be " : ""}${created ? "created" : "appended to"}`;
    const facts = `${size} bytes${etag === undefined ? "" : `, etag ${etag}`}`;
    return `${quotePath(path)} ${did}: ${facts}.${howToUndo(result)}`;
  },
});
