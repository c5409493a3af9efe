import { Reply, type TextPart } from "@suite/server-kit";
import { countOf, shownSize, untrusted } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import * as v from "valibot";

import type { Document } from "../domain/documents.ts";
import { findAnchor, findHeadings, findNamesakes, findSection } from "../domain/parsing/outline.ts";
import { declaredType, type WebPage, toPageUri } from "../domain/page.ts";
import {
  anchorOf,
  describeBinary,
  type PageContext,
  isWithoutScheme,
  type ReadMode,
  NO_PDF_READER,
  shorten,
  toPiece,
  toShown,
  toUrl,
} from "./reading.ts";

export const FetchOutput = v.object({
  url: v.string(),
  final_url: v.optional(v.string()),
  status: v.number(),
  redirects: v.optional(Count),
  content_type: v.string(),
  charset: v.optional(v.string()),
  title: v.optional(v.string()),
  description: v.optional(v.string()),
  author: v.optional(v.string()),
  published: v.optional(v.string()),
  language: v.optional(v.string()),
  canonical: v.optional(v.string()),
  form: v.optional(v.string()),
  pages: v.optional(Count),
  cache: v.optional(v.picklist(["fetched", "fresh", "revalidated", "copy"])),
  fetched_at: v.string(),
  etag: v.optional(v.string()),
  last_modified: v.optional(v.string()),
  uri: v.optional(v.string()),
  bytes: v.optional(Count),
  start_index: v.optional(Count),
  length: v.optional(Count),
  next_index: v.optional(Count),
  same_sections: v.optional(v.array(Count)),
  anchor_index: v.optional(Count),
  anchor_section: v.optional(Count),
  hidden_elements: v.optional(Count),
  not_article: v.optional(v.string()),
  damaged: v.optional(v.boolean()),
  needs_javascript: v.optional(v.boolean()),
  text: v.optional(v.string()),
  embedded: v.optional(v.array(v.object({ source: v.string(), text: v.string() }))),
});

export type FetchResult = v.InferInput<typeof FetchOutput>;

export function toFacts(page: WebPage, document: Document | undefined): FetchResult {
  const { facts = {} } = document ?? {};
  const { id, url, finalUrl, status, redirects, headers, fetchedAt } = page;
  const { etag, "last-modified": modified } = headers;
  const title = shorten(facts.title, 300);
  const description = shorten(facts.description, 500);
  return {
    url: shorten(url, 2000) ?? url,
    ...(finalUrl !== url && { final_url: shorten(finalUrl, 2000) }),
    status,
    ...(redirects.length > 0 && { redirects: redirects.length }),
    content_type: document?.type ?? declaredType(page),
    ...(document?.charset !== undefined && { charset: document.charset }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(facts.author !== undefined && { author: shorten(facts.author, 200) }),
    ...(facts.published !== undefined && { published: shorten(facts.published, 50) }),
    ...(facts.language !== undefined && { language: shorten(facts.language, 35) }),
    ...(facts.canonical !== undefined &&
      facts.canonical !== finalUrl && { canonical: shorten(facts.canonical, 2000) }),
    fetched_at: fetchedAt,
    ...(etag !== undefined && { etag: shorten(etag, 200) }),
    ...(modified !== undefined && { last_modified: shorten(modified, 50) }),
    ...(id !== "" && { uri: toPageUri(id) }),
  };
}

export const countBytes = ({ headers }: WebPage): { bytes?: number } =>
  /^\d+$/.test(headers["content-length"] ?? "") ? { bytes: Number(headers["content-length"]) } : {};

export const toForm = (
  { form, because, pages, hidden, isDamaged, embedded }: Document,
  mode: ReadMode,
): Partial<FetchResult> => ({
  form,
  ...(pages !== undefined && { pages }),
  ...(hidden !== undefined && hidden > 0 && { hidden_elements: hidden }),
  ...(because !== undefined && mode === "article" && { not_article: because }),
  ...(isDamaged === true && { damaged: true }),
  ...(embedded !== undefined && { needs_javascript: true }),
});

interface Wish {
  readonly anchor: string | undefined;
  readonly chosen: ReadMode;
  readonly section: string | undefined;
  /** Without it, the text begins at the anchor. */
  readonly start_index: number | undefined;
  readonly max_length: number;
  readonly context: PageContext;
}

export function toContent(
  page: WebPage,
  document: Document,
  facts: FetchResult,
  wish: Wish,
): Partial<FetchResult> {
  const { chosen, section, start_index, max_length, context } = wish;
  const room = Math.max(500, context.budget - shownSize(facts));
  const shown = toShown(document, chosen, section);
  if (shown === undefined) return { bytes: page.body.length };
  const parts = chosen === "auto" || chosen === "full" ? (document.embedded ?? []) : [];
  const embedded = toEmbedded(parts, Math.floor(room / 2));
  const place = toPlace(document, wish);
  const start = start_index ?? place.anchor_index ?? 0;
  const piece = toPiece(shown, start, max_length, embedded.length > 0 ? Math.floor(room / 2) : room);
  return { ...piece, ...place, ...(embedded.length > 0 && { embedded }) };
}

/** Where it is in the page, as far as what was asked for leaves that open. */
function toPlace(document: Document, { chosen, section, start_index, anchor }: Wish): Partial<FetchResult> {
  if (chosen === "links" || chosen === "outline" || chosen === "raw") return {};
  const { text = "" } = document;
  if (section === undefined) {
    return anchor === undefined || (start_index ?? 0) > 0 ? {} : toAnchorPlace(document, text, anchor);
  }
  if (/^#?\d+$/.test(section.trim())) return {};
  const headings = findHeadings(text);
  const same = findNamesakes(headings, findSection(headings, section), section);
  return same.length > 1 ? { same_sections: [...same] } : {};
}

function toAnchorPlace({ anchorAt }: Document, text: string, anchor: string): Partial<FetchResult> {
  const headings = findHeadings(text);
  const at = anchorAt ?? findAnchor(headings, anchor)?.start;
  const before = headings.findLastIndex(({ start }) => at !== undefined && start <= at);
  return {
    ...(at !== undefined && { anchor_index: at }),
    ...(before >= 0 && { anchor_section: before + 1 }),
  };
}

/** As much of each as there is room for. */
function toEmbedded(
  parts: NonNullable<Document["embedded"]>,
  room: number,
): { source: string; text: string }[] {
  const each = Math.floor(room / Math.max(1, parts.length));
  return parts.map(({ source, text }) => ({
    source: shorten(source, 50) ?? source,
    text: toPiece(text, 0, Math.max(100, Math.floor(each / 2)), each).text,
  }));
}

/** The bytes are in the content, and not once more in the structured result. */
export const toImage = ({ body }: WebPage, { type }: Document, facts: FetchResult): Reply<FetchResult> =>
  new Reply({
    structured: facts,
    content: [
      { type: "text", text: describe(facts) },
      { type: "image", data: Buffer.from(body).toString("base64"), mimeType: type },
    ],
  });

export function describe({
  url,
  final_url,
  status,
  content_type,
  charset,
  form,
  cache,
  fetched_at,
  start_index,
  text,
  length,
  pages,
  bytes,
  uri,
}: FetchResult): string {
  const range =
    text === undefined
      ? []
      : [`characters ${start_index} to ${(start_index ?? 0) + text.length} of ${length}`];
  const kind = [
    content_type,
    ...(charset === undefined ? [] : [charset]),
    ...(form === undefined ? [] : [form]),
  ].join(", ");
  return [
    `${final_url ?? url} (${status}, ${kind})${final_url === undefined ? "" : `, redirected from ${url}`}`,
    [
      ...range,
      ...(pages === undefined ? [] : [countOf(pages, "page")]),
      ...(bytes === undefined ? [] : [countOf(bytes, "byte")]),
      ...(cache === undefined ? [] : [`${cache} ${fetched_at}`]),
      ...(uri === undefined ? [] : [uri]),
    ].join("; "),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

export function renderContent(output: FetchResult): readonly TextPart[] {
  const { title, description, author, published, text, start_index, embedded = [] } = output;
  const head =
    (start_index ?? 0) > 0
      ? []
      : [
          ...(title === undefined ? [] : [`Title: ${title}`]),
          ...(description === undefined ? [] : [`Description: ${description}`]),
          ...(author === undefined ? [] : [`Author: ${author}`]),
          ...(published === undefined ? [] : [`Published: ${published}`]),
        ];
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

/** The arguments without which start_index would count in another text. */
function toContinuation(next: number, { mode, section, raw, headers }: Asked): string {
  const given = Object.entries({ start_index: next, section, mode, raw, headers });
  return given
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(", ");
}

/** Named as a URL writes it: no line break, tag or space of it ends up among the server's own words. */
function describeAnchor(url: string, output: FetchResult): string {
  const { anchor_index: index, anchor_section: section, start_index: start } = output;
  const name = shorten(new URL(toUrl(url)).hash.split(":~:")[0], 100);
  if (index === undefined) return `The page has no ${name}: this is its beginning.`;
  const place = `${name} is at start_index ${index}${section === undefined ? "" : `, in section: ${section}`}`;
  return start === 0 ? `${place}.` : `${place}: the text begins there. The page begins at start_index: 0.`;
}

/** What the fields alone would not make a model do. */
export function toNotes(output: FetchResult, asked: Asked): readonly string[] {
  const {
    next_index,
    length,
    not_article,
    damaged,
    needs_javascript,
    embedded,
    text,
    bytes,
    uri,
    content_type,
    same_sections: same,
  } = output;
  const isFirst = text !== undefined && (asked.start_index ?? 0) === 0 && asked.section === undefined;
  const anchor = isFirst ? anchorOf(asked) : undefined;
  const isUnreadable =
    text === undefined && bytes !== undefined && uri !== undefined && asked.mode !== "metadata";
  return [
    ...(isWithoutScheme(asked.url) ? ["https:// was assumed."] : []),
    ...(anchor === undefined ? [] : [describeAnchor(asked.url, output)]),
    ...(same === undefined
      ? []
      : [`Sections ${same.join(", ")} match; this is the first. Give the number for another.`]),
    ...(next_index === undefined
      ? []
      : [
          `Content truncated. Call fetch again with ${toContinuation(next_index, asked)} for more (${length} characters in all).`,
        ]),
    ...(not_article === undefined ? [] : [`This is not the article alone: ${not_article}.`]),
    ...(damaged === true ? ["Bytes that are not valid in this charset are shown as \uFFFD."] : []),
    ...(needs_javascript === true
      ? [
          `This page needs JavaScript, which is not run; ${embedded === undefined ? "it carries no data to show instead" : "the data that it carries for its scripts is shown instead (embedded)"}.`,
        ]
      : []),
    ...(isUnreadable
      ? [
          `${describeBinary(content_type, uri)}.`,
          ...(content_type === "application/pdf" ? [NO_PDF_READER] : []),
        ]
      : []),
  ];
}
