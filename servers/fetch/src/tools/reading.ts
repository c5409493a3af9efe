import type { ToolContext } from "@suite/server-kit";
import { countOf, Fault, fitText, truncate } from "@suite/server-kit/domain";
import * as v from "valibot";

import type { Document, Want } from "../domain/documents.ts";
import { findHeadings, findSection, renderOutline } from "../domain/parsing/outline.ts";
import { type CacheState, type Got, isDocumentType, type WebPage, toPageUri } from "../domain/page.ts";
import { type GetOptions, requireOk } from "../domain/web.ts";
import type { FetchState } from "../state.ts";

export type PageContext = Pick<ToolContext<FetchState>, "state" | "stop" | "budget" | "log" | "principal">;

/** The facts of most tools. */
export const READS_THE_WEB = {
  effects: "read",
  affects: "the web, as far as the operator allows",
  openWorld: true,
  deterministic: false,
} as const;

export const Url: v.GenericSchema<string> = v.pipe(v.string(), v.minLength(1), v.maxLength(8192));

/** In characters. */
export const Length: v.GenericSchema<number> = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.maxValue(1_000_000),
);

export const MODES = ["auto", "article", "full", "raw", "metadata", "links", "outline"] as const;
export type ReadMode = (typeof MODES)[number];

export interface Read {
  readonly page: WebPage;
  readonly cache: CacheState;
  readonly document: Document;
}

export interface ReadOptions extends Omit<GetOptions, "signal" | "principal"> {
  readonly want?: Want;
  readonly anchor?: string | undefined;
}

/** A successfully fetched page, as text. */
export async function readPage(
  url: string,
  context: PageContext,
  { want = "auto", anchor, ...options }: ReadOptions = {},
): Promise<Read> {
  const { state, stop } = context;
  const id = /^fetch:\/\/page\/([\da-f]+)$/.exec(url.trim())?.[1];
  const { page, cache } =
    id === undefined
      ? await getPage(toUrl(url), context, {
          ...options,
          prefersSource: want === "raw",
          ...(want !== "raw" && { arriving: (type: string) => state.documents.warm(type) }),
        })
      : await requireKept(id, context);
  requireOk(page);
  return { page, cache, document: await state.documents.of(page, want, stop, anchor) };
}

/** Gets a page, and logs it to the client. The query is left out of the log: it may contain secrets. */
export async function getPage(
  url: string,
  { state, stop, log, principal }: Omit<PageContext, "budget">,
  options: Omit<GetOptions, "signal" | "principal">,
): Promise<Got> {
  const got = await state.web.get(url, { ...options, signal: stop, principal });
  const { origin, pathname } = new URL(got.page.finalUrl);
  log.info({ event: "fetched", url: `${origin}${pathname}`, status: got.page.status, cache: got.cache });
  return got;
}

export const NO_DOCUMENT_READER =
  "Its text could be, if the operator installed @suite/documents beside this server.";

export const describeBinary = (type: string, uri: string): string =>
  `${type || "This"} cannot be shown here; its bytes are the resource ${uri}`;

/** For tools that need text: throws if there is none. */
export function requireText({ page, document: { text, type } }: Omit<Read, "cache">): string {
  if (text !== undefined) return text;
  throw new Fault("unsupported", describeBinary(type, toPageUri(page.id)), {
    ...(isDocumentType(type) && { hint: NO_DOCUMENT_READER }),
  });
}

/** Results name cached copies as fetch://page/…, so these URIs are accepted, too. */
async function requireKept(id: string, { state, principal }: PageContext): Promise<Got> {
  const kept = await state.web.cache.get(id, principal);
  if (kept) return { page: kept.page, cache: "copy" };
  throw new Fault("not_found", `${toPageUri(id)} is not in the cache`, {
    hint: "Fetch the page by its own URL.",
  });
}

/** Accepts fetch://url/… from results. A host without a scheme gets https. */
export function toUrl(given: string): string {
  const url = given.trim().replace(/^fetch:\/\/url\//, "");
  return isWithoutScheme(url) ? `https://${url}` : url;
}

export const isWithoutScheme = (url: string): boolean =>
  /^[\w-]+(\.[\w-]+)+(:\d+)?([/?#]|$)/.test(url.trim());

/** The anchor of the URL, for modes that show the page itself. */
export function anchorOf({
  url,
  mode = "auto",
  raw = false,
}: {
  readonly url: string;
  readonly mode?: ReadMode | undefined;
  readonly raw?: boolean | undefined;
}): string | undefined {
  const isShown = mode === "article" || mode === "full" || (mode === "auto" && !raw);
  // A text fragment (#:~:text=…) is not an anchor.
  const [, written = ""] = isShown ? (/#((?:(?!:~:)[^])*)/.exec(url) ?? []) : [];
  try {
    return decodeURIComponent(written) || undefined;
  } catch {
    return written;
  }
}

/** What a mode shows of a document. */
export function toShown(document: Document, mode: ReadMode, section: string | undefined): string | undefined {
  const { text, links } = document;
  if (mode === "metadata") return undefined;
  if (mode === "links") return links.map(({ url, text: name }) => `- [${name || url}](${url})`).join("\n");
  if (text === undefined) return undefined;
  if (mode === "outline") return renderOutline(findHeadings(text));
  if (section === undefined) return text;
  const { start, end } = findSection(findHeadings(text), section);
  return text.slice(start, end).trimEnd();
}

export interface Piece {
  readonly text: string;
  readonly start_index: number;
  readonly length: number;
  readonly next_index?: number;
}

/** The requested part of a text, as far as it fits in both views. No character is split. */
export function toPiece(text: string, start: number, maxLength: number, budget: number): Piece {
  if (start > 0 && start >= text.length) {
    throw new Fault(
      "invalid_input",
      `start_index ${start} is past the end: the text has ${countOf(text.length, "character")}`,
    );
  }
  const shown = fitText(text, start, budget, maxLength);
  const end = start + shown.length;
  return {
    text: shown,
    start_index: start,
    length: text.length,
    ...(end < text.length && { next_index: end }),
  };
}

export const truncateIfGiven = (text: string | undefined, longest: number): string | undefined =>
  text === undefined ? undefined : truncate(text, longest);
