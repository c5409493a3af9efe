import { quotePath } from "@suite/server-kit/domain";
import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { readMany, type FileReport } from "../domain/reading/many.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { ByteCount, Cursor, ETag, FilePath } from "./schemas.ts";

export const readMultipleFiles: ToolDefinition<FilesystemState> = defineTool({
  name: "read_multiple_files",
  title: "Read several text files",
  description:
    "Reads up to 100 text files in one call, 512 KiB in all. A file that fails or does not fit says so in its place; " +
    "the others are still read.",
  effects: "read",
  touches: "files in the allowed directories",
  group: "read",
  input: schema(v.strictObject({ paths: v.pipe(v.array(FilePath), v.minLength(1), v.maxLength(100)) })),
  output: schema(
    v.object({
      files: v.array(
        v.object({
          path: v.string(),
          text: v.exactOptional(v.string()),
          etag: v.exactOptional(ETag),
          truncated: v.exactOptional(v.boolean()),
          next_cursor: v.exactOptional(Cursor),
          error: v.exactOptional(v.object({ code: v.string(), message: v.string() })),
        }),
      ),
      failed: ByteCount,
      truncated: v.boolean(),
    }),
  ),
  run: ({ paths }, context: FilesystemContext) =>
    withGuard(context, (guard) => readMany(guard, paths, context.stop)),
  text: ({ files }) => files.flatMap(renderFile),
});

function renderFile({ path, text, etag, next_cursor: cursor, error }: FileReport): TextPart[] {
  const name = quotePath(path);
  if (error) return [`${name}: ${error.code}: ${error.message}`];
  if (text === undefined || text === "") return [`${name}: empty, etag ${etag}`];
  const parts = [`${name}: etag ${etag}`, untrusted(text, path)];
  return cursor === undefined ? parts : [...parts, `Cut: the rest with read_text_file, cursor: "${cursor}"`];
}
