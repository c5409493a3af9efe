import { untrusted, type Note, type TextPart } from "@suite/server-kit";
import { countOf, quoteShown } from "@suite/server-kit/domain";
import { Count, Cursor, ETag, FromOne, MaxBytes } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { defineTool } from "../define.ts";
import { readText, type FilePage } from "../domain/reading/read-text.ts";
import { withGuard } from "../state.ts";
import { NextCursor } from "./listings.ts";
import { FilePath, PATH_NAMES } from "./schemas.ts";

export const readTextFile = defineTool({
  name: "read_text_file",
  title: "Read a text file",
  description:
    "Reads a text file, or a part: head or tail lines, or start_line to end_line (counted from 1). " +
    "A truncated result says how to continue. Its etag is for if_match of a later write.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 3,
  alsoKnownAs: ["read_file", "read", "cat", "view"],
  aliases: { path: PATH_NAMES, start_line: ["offset"], head: ["limit"] },
  input: schema(
    v.strictObject({
      path: FilePath,
      head: v.optional(FromOne),
      tail: v.optional(FromOne),
      start_line: v.optional(FromOne),
      end_line: v.optional(FromOne),
      cursor: NextCursor,
      encoding: v.optional(v.pipe(v.string(), v.description("Default: by BOM, else UTF-8"))),
      max_bytes: MaxBytes,
    }),
  ),
  output: schema(
    v.object({
      path: v.string(),
      text: v.string(),
      etag: ETag,
      encoding: v.string(),
      bom: v.exactOptional(v.literal(true)),
      size: Count,
      start_line: v.exactOptional(FromOne),
      end_line: v.exactOptional(Count),
      total_lines: v.exactOptional(Count),
      truncated: v.boolean(),
      next_line: v.exactOptional(FromOne),
      next_cursor: v.exactOptional(Cursor),
      more_before: v.exactOptional(v.literal(true)),
      hidden_characters: v.exactOptional(Count),
    }),
  ),
  untrusted: ["text"],
  run: (input, context) => withGuard(context, (guard) => readText(guard, input, context, context.budget)),
  text: renderPage,
  note: noteOnRest,
});

function renderPage(page: FilePage): TextPart[] {
  const facts = [describeLines(page), `etag ${page.etag}`];
  if (page.encoding !== "utf-8") facts.push(page.encoding);
  const header = `${quoteShown(page.path)}: ${facts.join(", ")}`;
  return page.text === "" ? [header] : [header, untrusted(page.text)];
}

function describeLines({
  text,
  size,
  start_line: first,
  end_line: last,
  total_lines: total,
}: FilePage): string {
  if (text === "") return "empty";
  if (first === undefined || last === undefined) return `the end of ${countOf(size, "byte")}`;
  const lines = first === last ? `line ${first}` : `lines ${first}-${last}`;
  return total === undefined ? lines : `${lines} of ${total}`;
}

function noteOnRest(page: FilePage): Note {
  const { truncated, next_line: line, next_cursor: cursor, hidden_characters: hidden } = page;
  const what = page.more_before ? "What comes before" : "The rest of the line";
  const next = line === undefined ? `${what}: cursor: "${cursor}".` : `Continue with start_line: ${line}.`;
  return [
    hidden !== undefined && `${countOf(hidden, "hidden character")} shown as \\u{…}.`,
    truncated && `Truncated. ${next}`,
  ];
}
