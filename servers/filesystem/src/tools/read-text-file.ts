import { quotePath } from "@suite/server-kit/domain";
import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { readText, type FilePage } from "../domain/reading/read-text.ts";
import { withGuard, type FilesystemContext, type FilesystemState } from "../state.ts";
import { ByteCount, Count, Cursor, ETag, FilePath, LineNumber } from "./schemas.ts";

export const readTextFile: ToolDefinition<FilesystemState> = defineTool({
  name: "read_text_file",
  title: "Read a text file",
  description:
    "Reads a text file, or a part: head, tail, or start_line to end_line (counted from 1). " +
    "At most 128 KiB a call; a cut result says how to go on. Its etag is for if_match of a later write.",
  effects: "read",
  touches: "files in the allowed directories",
  group: "read",
  version: 2,
  input: schema(
    v.strictObject({
      path: FilePath,
      head: v.optional(Count),
      tail: v.optional(Count),
      start_line: v.optional(LineNumber),
      end_line: v.optional(LineNumber),
      cursor: v.optional(v.pipe(Cursor, v.description("next_cursor of a cut result"))),
      encoding: v.optional(v.pipe(v.string(), v.description("Default: by BOM, else UTF-8"))),
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      text: v.string(),
      etag: ETag,
      encoding: v.string(),
      bom: v.exactOptional(v.literal(true)),
      size: ByteCount,
      start_line: v.exactOptional(LineNumber),
      end_line: v.exactOptional(ByteCount),
      total_lines: v.exactOptional(ByteCount),
      truncated: v.boolean(),
      next_line: v.exactOptional(LineNumber),
      next_cursor: v.exactOptional(Cursor),
      more_before: v.exactOptional(v.literal(true)),
      hidden_characters: v.exactOptional(Count),
    }),
  ),
  run: (input, context: FilesystemContext) => withGuard(context, (guard) => readText(guard, input, context)),
  text: renderPage,
});

function renderPage(page: FilePage): TextPart[] {
  const facts = [describeLines(page), `etag ${page.etag}`];
  if (page.encoding !== "utf-8") facts.push(page.encoding);
  if (page.hidden_characters !== undefined)
    facts.push(`${page.hidden_characters} hidden characters shown as \\u{…}`);
  const header = `${quotePath(page.path)}: ${facts.join(", ")}`;
  if (page.text === "") return [header];
  const parts = [header, untrusted(page.text, page.path)];
  return page.truncated ? [...parts, describeRest(page)] : parts;
}

function describeLines({
  text,
  size,
  start_line: first,
  end_line: last,
  total_lines: total,
}: FilePage): string {
  if (text === "") return "empty";
  if (first === undefined || last === undefined) return `the end of ${size} bytes`;
  const lines = first === last ? `line ${first}` : `lines ${first}-${last}`;
  return total === undefined ? lines : `${lines} of ${total}`;
}

function describeRest({ more_before: isBefore, next_line: line, next_cursor: cursor }: FilePage): string {
  if (line !== undefined) return `Cut: line ${line} and on with start_line: ${line}`;
  const what = isBefore ? "what comes before" : "the rest of the line and on";
  return `Cut: ${what} with cursor: "${cursor}"`;
}
