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
    "Reads a text file, or a part: head or tail lines, or start_line to end_line; " +
    "also PDF, DOCX, XLSX, PPTX, ODT, EPUB as Markdown. etag is for if_match of a write.",
  effects: "read",
  affects: "files in the allowed directories",
  group: "read",
  version: 4,
  alsoKnownAs: ["read_file", "read", "cat", "view"],
  aliases: { path: PATH_NAMES, start_line: ["offset"], head: ["limit"] },
  input: schema(
    v.strictObject({
      path: FilePath,
      head: v.optional(FromOne),
      tail: v.optional(FromOne),
      start_line: v.optional(FromOne),
      end_line: v.optional(FromOne),
      pages: v.optional(v.pipe(v.string(), v.description("Or sheets, slides: 2-5"))),
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
      document: v.exactOptional(
        v.object({
          format: v.string(),
          title: v.exactOptional(v.string()),
          pages: v.exactOptional(Count),
          unit: v.exactOptional(v.string()),
          hidden: v.exactOptional(FromOne),
          cut_at: v.exactOptional(FromOne),
        }),
      ),
    }),
  ),
  untrusted: ["text", "document.title"],
  run: (input, context) =>
    withGuard(context, (guard) => readText(guard, input, context, context.budget, context.state.documents)),
  text: renderPage,
  note: noteOnRest,
});

function renderPage(page: FilePage): TextPart[] {
  const facts = [...describeDocument(page), describeLines(page), `etag ${page.etag}`];
  if (page.encoding !== "utf-8") facts.push(page.encoding);
  const header = `${quoteShown(page.path)}: ${facts.join(", ")}`;
  const title = page.document?.title;
  const text = title === undefined ? page.text : `Title: ${title}\n\n${page.text}`;
  return text === "" ? [header] : [header, untrusted(text)];
}

/** If the page has the end of the file. */
const endsWithoutNewline = ({
  text,
  end_line: last,
  total_lines: total,
  document,
  ...page
}: FilePage): boolean =>
  text !== "" &&
  !text.endsWith("\n") &&
  document === undefined &&
  last === total &&
  last !== undefined &&
  (page.next_cursor === undefined || page.more_before === true);

function describeDocument({ document }: FilePage): string[] {
  if (!document) return [];
  const { format, pages, unit = "page" } = document;
  return [format.toUpperCase(), ...(pages === undefined ? [] : [countOf(pages, unit)])];
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

function noteOnRest(page: FilePage, { pages }: { readonly pages?: string | undefined }): Note {
  const { truncated, next_line: line, next_cursor: cursor, hidden_characters: hidden } = page;
  const what = page.more_before ? "What comes before" : "The rest of the line";
  const same = pages === undefined ? "" : `, pages: "${pages}"`;
  const next =
    line === undefined ? `${what}: cursor: "${cursor}"${same}.` : `Continue with start_line: ${line}${same}.`;
  const { hidden: unseen, cut_at: cutAt, unit } = page.document ?? {};
  return [
    hidden !== undefined && `${countOf(hidden, "hidden character")} shown as \\u{…}.`,
    unseen !== undefined && `${countOf(unseen, "piece")} that a reader does not see left out.`,
    cutAt !== undefined &&
      (unit === undefined
        ? "Its text is too long to be read to its end."
        : `There is more: read from ${unit} ${cutAt} on with pages.`),
    truncated && `Truncated. ${next}`,
    endsWithoutNewline(page) && "The last line has no newline.",
  ];
}
