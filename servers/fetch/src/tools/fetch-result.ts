import { shownSize, truncate } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import * as v from "valibot";

import type { Document } from "../domain/documents.ts";
import {
  findAnchor,
  findHeadings,
  findNamesakes,
  findNumbered,
  findSection,
} from "../domain/parsing/outline.ts";
import { declaredType, type WebPage, toPageUri } from "../domain/page.ts";
import { type PageContext, type ReadMode, truncateIfGiven, toPiece, toShown } from "./reading.ts";

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
  refresh: v.optional(v.string()),
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
  maybe_hidden: v.optional(Count),
  mostly_hidden: v.optional(v.boolean()),
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
  return {
    url: truncate(url, 2000),
    final_url: finalUrl === url ? undefined : truncate(finalUrl, 2000),
    status,
    redirects: redirects.length || undefined,
    content_type: document?.type ?? declaredType(page),
    charset: document?.charset,
    title: truncateIfGiven(facts.title, 300),
    description: truncateIfGiven(facts.description, 500),
    author: truncateIfGiven(facts.author, 200),
    published: truncateIfGiven(facts.published, 50),
    language: isLanguage(facts.language) ? facts.language : undefined,
    canonical: facts.canonical === finalUrl ? undefined : truncateIfGiven(facts.canonical, 2000),
    refresh: truncateIfGiven(facts.refresh, 2000),
    fetched_at: fetchedAt,
    etag: isEtag(etag) ? etag : undefined,
    last_modified: isDate(modified) ? new Date(modified).toUTCString() : undefined,
    uri: id === "" ? undefined : toPageUri(id),
  };
}

// Values in these strict forms cannot carry instructions to a model.
const isLanguage = (tag = ""): boolean => /^[a-z]{2,8}(?:-[a-z\d]{1,8}){0,5}$/i.test(tag);
/** Any text may be in one, so it is marked as untrusted as well. */
const isEtag = (tag = ""): boolean => /^(?:W\/)?"[!#-~]{0,80}"$/.test(tag);
const isDate = (text: string | undefined): text is string => !Number.isNaN(Date.parse(text ?? ""));

export const countBytes = ({ headers }: WebPage): { bytes?: number } =>
  headers["content-encoding"] === undefined && /^\d+$/.test(headers["content-length"] ?? "")
    ? { bytes: Number(headers["content-length"]) }
    : {};

export const toForm = (
  { form, because, pages, hidden, undecided, isMostlyHidden, isDamaged, embedded }: Document,
  mode: ReadMode,
): Partial<FetchResult> => ({
  form,
  pages,
  hidden_elements: hidden || undefined,
  maybe_hidden: undecided,
  mostly_hidden: isMostlyHidden,
  not_article: mode === "article" ? because : undefined,
  damaged: isDamaged,
  needs_javascript: embedded && true,
});

interface Wish {
  readonly anchor: string | undefined;
  readonly chosen: ReadMode;
  readonly section: string | undefined;
  /** If undefined, the text begins at the anchor. */
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
  const parts = chosen === "auto" || chosen === "full" ? document.embedded : undefined;
  const embedded = parts && toEmbedded(parts, Math.floor(room / 2));
  const place = toPlace(document, wish);
  const start = start_index ?? place.anchor_index ?? 0;
  const piece = toPiece(shown, start, max_length, parts?.length ? Math.floor(room / 2) : room);
  return { ...piece, ...place, embedded };
}

/** The position of the anchor, or the sections that share the requested name. */
function toPlace(document: Document, { chosen, section, start_index, anchor }: Wish): Partial<FetchResult> {
  if (chosen === "links" || chosen === "outline" || chosen === "raw") return {};
  const { text = "" } = document;
  if (section === undefined) {
    return anchor === undefined || (start_index ?? 0) > 0 ? {} : toAnchorPlace(document, text, anchor);
  }
  const name = section.trim();
  if (/^#\d+$/.test(name)) return {};
  const headings = findHeadings(text);
  const same = /^\d+$/.test(name)
    ? findNumbered(headings, name)
    : findNamesakes(headings, findSection(headings, section), section);
  return same.length > 1 ? { same_sections: [...same] } : {};
}

function toAnchorPlace({ anchorAt }: Document, text: string, anchor: string): Partial<FetchResult> {
  const headings = findHeadings(text);
  const at = anchorAt ?? findAnchor(headings, anchor)?.start;
  const before = headings.findLastIndex(({ start }) => at !== undefined && start <= at);
  return { anchor_index: at, anchor_section: before < 0 ? undefined : before + 1 };
}

/** Cuts each part to an equal share of the room. */
function toEmbedded(
  parts: NonNullable<Document["embedded"]>,
  room: number,
): { source: string; text: string }[] {
  const each = Math.floor(room / Math.max(1, parts.length));
  return parts.map(({ source, text }) => ({
    source: truncate(source, 50),
    text: toPiece(text, 0, Math.max(100, Math.floor(each / 2)), each).text,
  }));
}
