import { untrusted, type TextPart } from "@suite/server-kit";
import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count, Cursor, ETag, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { readMany, type FileReport } from "../domain/reading/many.ts";
import { withGuard } from "../state.ts";
import { FilePath } from "./schemas.ts";

export const readMultipleFiles = defineTool({
  name: "read_multiple_files",
  title: "Read several text files",
  description: "Reads up to 100 text files or documents. One that fails is reported in its place.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 3,
  aliases: { paths: ["files", "file_paths"] },
  input: schema(
    v.strictObject({
      paths: v.pipe(v.array(FilePath), v.minLength(1), v.maxLength(100)),
      max_bytes: MaxBytes,
    }),
  ),
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
      failed: Count,
      omitted: v.exactOptional(Count),
      truncated: v.boolean(),
    }),
  ),
  untrusted: ["files[].text"],
  run: ({ paths }, context) =>
    withGuard(context, (guard) =>
      readMany(guard, paths, context.stop, context.budget, context.state.documents),
    ),
  text: ({ files }) => files.flatMap(renderFile),
  note: ({ files, omitted = 0 }) => [
    files.some(({ truncated }) => truncated) &&
      "Truncated. Continue a file with read_text_file and its cursor.",
    files.some(({ error }) => error?.code === "unsupported" && error.message.includes("encoding")) &&
      "encoding is an argument of read_text_file.",
    omitted > 0 &&
      `${countOf(omitted, "path")} from paths[${files.length}] on did not fit: read them in another call.`,
  ],
});

function renderFile({ path, text, etag, next_cursor: cursor, error }: FileReport): TextPart[] {
  const name = quoteShown(path);
  if (error) return [`${name}: ${error.code}: ${error.message}`];
  if (text === undefined || text === "") return [`${name}: empty, etag ${etag}`];
  const rest = cursor === undefined ? "" : `, truncated, cursor: "${cursor}"`;
  return [`${name}: etag ${etag}${rest}`, untrusted(text)];
}
