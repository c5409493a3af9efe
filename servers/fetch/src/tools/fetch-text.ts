import { Reply, type TextPart } from "@suite/server-kit";
import { countOf, untrusted } from "@suite/server-kit/domain";

import type { Document } from "../domain/documents.ts";
import { isDocumentType, type WebPage } from "../domain/page.ts";
import type { FetchResult } from "./fetch-result.ts";
import {
  anchorOf,
  describeBinary,
  isWithoutScheme,
  NO_DOCUMENT_READER,
  type ReadMode,
  truncateIfGiven,
  toUrl,
} from "./reading.ts";

/** The image is in the content only, not again in the structured result. No text of the site's own goes with it. */
export const toImage = (
  { body }: WebPage,
  { type }: Document,
  { etag: _, ...facts }: FetchResult,
): Reply<FetchResult> =>
  new Reply({
    structured: facts,
    content: [
      { type: "text", text: describe(facts) },
      { type: "image", data: Buffer.from(body).toString("base64"), mimeType: type },
    ],
  });

/** How it came, before the time. */
const CAME: Readonly<Record<NonNullable<FetchResult["cache"]>, string>> = {
  fetched: "fetched",
  fresh: "copy that the site lets us use without asking, of",
  revalidated: "copy that the site says is unchanged, checked",
  copy: "copy of",
};

/** What a document is counted in, if not in pages. */
const UNITS: { readonly [form: string]: string } = { xlsx: "sheet", pptx: "slide", epub: "chapter" };

export function describe(output: FetchResult): string {
  const { url, final_url, status, content_type, charset, form, pages, bytes, uri } = output;
  const { cache, fetched_at, start_index = 0, text, length } = output;
  const kind = joinThose(", ", [content_type, charset, form]);
  return joinThose("\n", [
    `${final_url ?? url} (${status}, ${kind})${final_url === undefined ? "" : `, redirected from ${url}`}`,
    joinThose("; ", [
      text !== undefined && `characters ${start_index} to ${start_index + text.length} of ${length}`,
      pages !== undefined && countOf(pages, UNITS[form ?? ""] ?? "page"),
      bytes !== undefined && countOf(bytes, "byte"),
      cache !== undefined && `${CAME[cache]} ${fetched_at}`,
      uri,
    ]),
  ]);
}

/** Leaves out what is missing. */
const joinThose = (separator: string, parts: readonly (string | false | undefined)[]): string =>
  parts.filter(Boolean).join(separator);

export function renderContent(output: FetchResult): readonly TextPart[] {
  const { title, description, author, published, refresh, etag, text, start_index, embedded = [] } = output;
  const facts = [
    ["Title", title],
    ["Description", description],
    ["Author", author],
    ["Published", published],
    ["Refresh", truncateIfGiven(refresh, 500)],
    ["ETag", text === undefined ? etag : undefined],
  ];
  const isFirst = (start_index ?? 0) === 0;
  const known = facts.filter(([, value]) => isFirst && value !== undefined);
  const head = known.map(([name, value]) => `${name}: ${value}`);
  const body = [...head, ...(text === undefined ? [] : [...(head.length > 0 ? [""] : []), text])].join("\n");
  return [
    ...(body === "" ? [] : [untrusted(body)]),
    ...embedded.map((part) => untrusted(part.text, part.source)),
  ];
}

interface Asked {
  readonly url: string;
  readonly mode?: ReadMode | undefined;
  readonly start_index?: number | undefined;
  readonly section?: string | number | undefined;
  readonly raw?: boolean | undefined;
  readonly headers?: object | undefined;
}

/** The arguments that must be repeated, or start_index would refer to another text. */
function toContinuation(next: number, { mode, section, raw, headers }: Asked): string {
  const given = Object.entries({ start_index: next, section, mode, raw, headers });
  return given
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(", ");
}

/** The anchor in its URL-encoded form, so that no line break, tag or space gets into the server's own text. */
function describeAnchor(url: string, output: FetchResult): string {
  const { anchor_index: index, anchor_section: section, start_index: start } = output;
  const name = truncateIfGiven(new URL(toUrl(url)).hash.split(":~:")[0], 100);
  if (index === undefined) return `The page has no ${name}: this is its beginning.`;
  const place = `${name} is at start_index ${index}${section === undefined ? "" : `, in section: ${section}`}`;
  return start === 0 ? `${place}.` : `${place}: the text begins there. The page begins at start_index: 0.`;
}

function describeEmbedded(embedded: FetchResult["embedded"]): string {
  if (embedded === undefined)
    return 'fetch with mode: "full" shows the data that it carries for its scripts, if any';
  if (embedded.every(({ source }) => source === "noscript")) return "it carries no data to show instead";
  return "the data that it carries for its scripts is shown instead (embedded)";
}

/** A shorter text suggests that the wanted content was among what was left out. */
const NEXT_TO_NOTHING = 100;

/** Advice that the fields alone do not give. */
export function toNotes(output: FetchResult, asked: Asked): readonly string[] {
  const { text, length, next_index, same_sections: same, refresh, not_article, damaged } = output;
  const { needs_javascript, embedded, bytes, uri, content_type } = output;
  const {
    hidden_elements: hidden = 0,
    maybe_hidden: undecided = 0,
    mostly_hidden: isMostlyHidden = false,
  } = output;
  const isFirst = text !== undefined && (asked.start_index ?? 0) === 0 && asked.section === undefined;
  const anchor = isFirst ? anchorOf(asked) : undefined;
  const isUnreadable =
    text === undefined && bytes !== undefined && uri !== undefined && asked.mode !== "metadata";
  const isShown = asked.section === undefined && asked.mode !== "links" && asked.mode !== "outline";
  const isNearlyEmpty = length !== undefined && length < NEXT_TO_NOTHING;
  const isShort = isNearlyEmpty && needs_javascript !== true;
  const isDocument = /^(?:pdf|docx|xlsx|pptx|odt|epub)$/.test(output.form ?? "");
  const misses = !isDocument && hidden > 0 && isShown && text !== undefined && (isMostlyHidden || isShort);
  const notes = [
    isWithoutScheme(asked.url) && "https:// was assumed.",
    anchor !== undefined && describeAnchor(asked.url, output),
    same && `Sections ${same.join(", ")} match; this is the first. Give #number for another.`,
    next_index !== undefined &&
      `Content truncated. Call fetch again with ${toContinuation(next_index, asked)} for more (${length} characters in all).`,
    refresh !== undefined &&
      isNearlyEmpty &&
      isShown &&
      "The page sends browsers on to another address (refresh).",
    not_article !== undefined && `This is not the article alone: ${not_article}.`,
    damaged && "Bytes that are not valid in this charset are shown as \uFFFD.",
    needs_javascript && `This page needs JavaScript, which is not run; ${describeEmbedded(embedded)}.`,
    misses &&
      `${countOf(hidden, "hidden element")} left out${isMostlyHidden ? ", with most of the text" : ""}; fetch with mode: "raw" shows everything.`,
    isDocument && hidden > 0 && `${countOf(hidden, "piece")} that a reader does not see left out.`,
    undecided > 0 &&
      isShown &&
      text !== undefined &&
      `${countOf(undecided, "piece")} of the text may be hidden from readers: its styles do not tell.`,
    isUnreadable && `${describeBinary(content_type, uri)}.`,
    isUnreadable && isDocumentType(content_type) && NO_DOCUMENT_READER,
  ];
  return notes.filter((note) => typeof note === "string");
}
