import { createHash } from "node:crypto";

import { codeOf, Fault, type StopSignal } from "@suite/server-kit/domain";

import { createTooLarge } from "@suite/server-kit/outbound";

import { decodeText } from "./charset.ts";
import { toPrettyJson } from "./parsing/json.ts";
import { kindOf, type WebPage, type PageKind } from "./page.ts";
import type { Parsers } from "./parsers.ts";
import type { Feed } from "./parsing/feed.ts";
import type { HtmlAnswer } from "./parsing/jobs.ts";
import { type Found, type Search, searchText } from "./parsing/search.ts";
import type { Sitemap } from "./parsing/sitemap.ts";

export type Want = "auto" | "article" | "full" | "raw";

/** A page as text that can be read in pieces. The same page and `Want` give the same text. */
export interface Document
  extends
    Pick<HtmlAnswer, "facts" | "links">,
    Partial<Omit<HtmlAnswer, "markdown" | "used" | "facts" | "links">> {
  readonly kind: PageKind;
  readonly type: string;
  readonly charset?: string;
  /** Missing for images and other binary content. */
  readonly text?: string;
  /** How the text was made: unchanged, or converted from the whole page, its main part or its article. */
  readonly form: "raw" | "text" | "json" | "full" | "main" | "article" | "feed" | "pdf";
  readonly pages?: number;
  readonly isDamaged?: boolean;
}

/** Cache limit: reading on in a cached document needs no parsing. */
const MOST_KEPT_CHARACTERS = 32_000_000;
/** In characters. Shorter texts are processed here, faster than a thread could start. */
const LONG_TEXT = 100_000;

/** Converts pages to documents, in threads that can be stopped. */
export class Documents {
  readonly #parsers: Parsers;
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Document>();
  #characters = 0;

  /** `maxBytes` limits the size of decompressed content. */
  constructor(parsers: Parsers, maxBytes: number) {
    this.#parsers = parsers;
    this.#maxBytes = maxBytes;
  }

  /** Starts a thread early, so that it is ready when the page arrives. */
  warm(): void {
    this.#parsers.warm();
  }

  async of(page: WebPage, want: Want, signal: StopSignal, anchor?: string): Promise<Document> {
    const key = `${page.finalUrl} ${want} ${digestOf(page)} ${anchor ?? ""}`;
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const document = await this.#make(page, want, signal, anchor);
    this.#keep(key, document);
    return document;
  }

  async feed(page: WebPage, signal: StopSignal): Promise<Feed> {
    const { text } = decodeText(page.body, page.headers["content-type"]);
    return this.#parsers.run("feed", { text, url: page.finalUrl }, page.finalUrl, signal);
  }

  async sitemap(page: WebPage, signal: StopSignal): Promise<Sitemap> {
    const { text } = decodeText(await this.#unpack(page), page.headers["content-type"]);
    return this.#parsers.run("sitemap", { text }, page.finalUrl, signal);
  }

  /** Sitemaps are often gzip files themselves, independent of Content-Encoding. */
  async #unpack({ body, finalUrl }: WebPage): Promise<Uint8Array> {
    if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
    const [{ promisify }, { gunzip }] = await Promise.all([import("node:util"), import("node:zlib")]);
    try {
      return await promisify(gunzip)(body, { maxOutputLength: this.#maxBytes });
    } catch (thrown) {
      if (codeOf(thrown) === "ERR_BUFFER_TOO_LARGE") throw createTooLarge(this.#maxBytes);
      throw new Fault("unsupported", `${finalUrl} cannot be unpacked`, { cause: thrown });
    }
  }

  search(search: Search, url: string, signal: StopSignal): Found | Promise<Found> {
    return search.text.length > LONG_TEXT
      ? this.#parsers.run("search", search, url, signal)
      : searchText(search);
  }

  #keep(key: string, document: Document): void {
    // Two calls may have made the same document at the same time.
    if (this.#kept.has(key)) return;
    this.#kept.set(key, document);
    this.#characters += sizeOf(document);
    for (const [oldest, given] of this.#kept) {
      if (this.#characters <= MOST_KEPT_CHARACTERS) break;
      this.#kept.delete(oldest);
      this.#characters -= sizeOf(given);
    }
  }

  async #make(page: WebPage, want: Want, signal: StopSignal, anchor?: string): Promise<Document> {
    const { kind, type } = kindOf(page);
    const shared = { kind, type, facts: {}, links: [] };
    if (kind === "image" || kind === "binary") return { ...shared, form: "raw" };
    if (kind === "pdf") return this.#makePdf(page, type, signal);
    const { text, charset, isDamaged } = decodeText(page.body, page.headers["content-type"]);
    const decoded = { ...shared, charset, ...(isDamaged && { isDamaged }) };
    if (want === "raw") return { ...decoded, text, form: "raw" };
    if (kind === "html") {
      const form = want === "auto" ? ("main" as const) : want;
      const isXml = type === "application/xhtml+xml";
      const job = { html: text, url: page.finalUrl, isXml, want: form, anchor };
      const { markdown, used, ...found } = await this.#parsers.run("html", job, page.finalUrl, signal);
      return { ...decoded, ...found, text: markdown, form: used };
    }
    if (kind === "json") {
      const isLong = text.length > LONG_TEXT;
      const pretty = isLong
        ? await this.#parsers.run("json", { text }, page.finalUrl, signal)
        : toPrettyJson(text);
      return { ...decoded, text: pretty, form: "json" };
    }
    if (kind === "feed") return this.#makeFeed(page, { ...decoded, text, form: "text" }, signal);
    return { ...decoded, text, form: "text" };
  }

  async #makePdf(page: WebPage, type: string, signal: StopSignal): Promise<Document> {
    // A copy of just these bytes: sending a view to a thread would clone its whole buffer.
    const bytes = Uint8Array.from(page.body);
    const read = await this.#parsers.run("pdf", { bytes }, page.finalUrl, signal);
    if (read === undefined) return { kind: "pdf", type, form: "raw", facts: {}, links: [] };
    const { title, pages, markdown } = read;
    return { kind: "pdf", type, text: markdown, form: "pdf", facts: { title }, links: [], pages };
  }

  async #makeFeed(page: WebPage, asText: Document, signal: StopSignal): Promise<Document> {
    try {
      const feed = await this.feed(page, signal);
      const { title, description } = feed;
      return { ...asText, text: renderFeed(feed), form: "feed", facts: { title, description } };
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.code === "unsupported") return asText;
      throw thrown;
    }
  }
}

/** The approximate size in memory, in characters. */
const sizeOf = ({ text = "", links, embedded = [] }: Document): number =>
  [text, ...embedded.map((part) => part.text)].reduce((sum, { length }) => sum + length, 1000) +
  links.length * 200;

/** Identifies the content and its type, whenever it was fetched. */
const digestOf = ({ body, headers }: WebPage): string =>
  createHash("sha1")
    .update(headers["content-type"] ?? "")
    .update(body)
    .digest("base64");

export const renderFeed = ({ items }: Pick<Feed, "items">): string =>
  items
    .map(({ title, url, published, summary }) =>
      [
        `- ${published === undefined ? "" : `${published.slice(0, 10)} `}${url === undefined ? title : `[${title}](${url})`}`,
        ...(summary === undefined ? [] : [`  ${summary}`]),
      ].join("\n"),
    )
    .join("\n");
