import { createHash } from "node:crypto";

import {
  codeOf,
  type DocumentFiles,
  type DocumentText,
  Fault,
  type StopSignal,
  type UnifiedDiff,
} from "@suite/server-kit/domain";
import { createTooLarge } from "@suite/server-kit/outbound";

import { decodeText } from "./charset.ts";
import { toPrettyJson } from "./parsing/json.ts";
import { kindOf, type WebPage, type PageKind } from "./page.ts";
import { completeFeed, isWholeFeed } from "./complete-feed.ts";
import type { HeldBytes } from "./held-bytes.ts";
import type { JobSubject, Parsers } from "./parsers.ts";
import type { Feed } from "./parsing/feed.ts";
import type { HtmlAnswer, Jobs } from "./parsing/jobs.ts";
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
  readonly form: "raw" | "text" | "json" | "full" | "main" | "article" | "feed" | DocumentText["format"];
  /** Of a document, or sheets, slides or chapters. */
  readonly pages?: number | undefined;
  readonly isDamaged?: boolean;
}

/** A document without its form. */
type Decoded = Omit<Document, "form"> & { readonly text: string };

/** Cache limit: reading on in a cached document needs no parsing. */
const MOST_KEPT_CHARACTERS = 8_000_000;
/** Smaller ones are soon made again, and would only fill the heap. */
const LEAST_KEPT_CHARACTERS = 12_000;
/** In characters or bytes. Shorter texts are processed here, faster than a thread could start. */
const LONG_TEXT = 100_000;

export interface DocumentsOptions {
  readonly parsers: Parsers;
  /** Reads PDFs and the like. */
  readonly files: DocumentFiles;
  readonly held: HeldBytes;
  /** Limits the size of decompressed content. */
  readonly maxBytes: number;
}

/** Converts pages to documents, in threads that can be stopped. */
export class Documents {
  readonly #parsers: Parsers;
  readonly #files: DocumentFiles;
  readonly #held: HeldBytes;
  readonly #maxBytes: number;
  readonly #kept = new Map<string, Document>();
  #characters = 0;

  constructor({ parsers, files, held, maxBytes }: DocumentsOptions) {
    this.#parsers = parsers;
    this.#files = files;
    this.#held = held;
    this.#maxBytes = maxBytes;
  }

  /** Starts a thread early for what needs one, so that it is ready when the page has arrived. */
  warm(type: string): void {
    if (/html|xml/.test(type)) this.#parsers.warm();
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

  /** What arrived of a feed that was cut off is read, too. */
  async feed(page: WebPage, signal: StopSignal): Promise<Feed & { readonly isCut?: boolean }> {
    let isCut: boolean = page.isCut === true;
    const prepare = (): Jobs["feed"]["given"] => {
      const text = textOf(page);
      isCut ||= !isWholeFeed(text);
      return { text: isCut ? completeFeed(text) : text, url: page.finalUrl };
    };
    const feed = await this.#parsers.run("feed", prepare, subjectOf(page), signal);
    return isCut ? { ...feed, isCut } : feed;
  }

  async sitemap(page: WebPage, signal: StopSignal): Promise<Sitemap> {
    const body = await this.#unpack(page);
    const prepare = (): { text: string } => ({ text: textOf({ ...page, body }) });
    return this.#parsers.run("sitemap", prepare, subjectOf({ ...page, body }), signal);
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

  compare(given: Jobs["diff"]["given"], url: string, signal: StopSignal): Promise<UnifiedDiff> {
    const bytes = given.before.length + given.after.length;
    return this.#parsers.run("diff", () => given, { about: url, bytes }, signal);
  }

  search(search: Search, url: string, signal: StopSignal): Found | Promise<Found> {
    return search.text.length > LONG_TEXT
      ? this.#parsers.run("search", () => search, { about: url, bytes: search.text.length }, signal)
      : searchText(search);
  }

  #keep(key: string, document: Document): void {
    // Two calls may have made the same document at the same time.
    if (this.#kept.has(key) || sizeOf(document) < LEAST_KEPT_CHARACTERS) return;
    this.#kept.set(key, document);
    this.#characters += sizeOf(document);
    for (const [oldest, given] of this.#kept) {
      // The last one stays, however long it is: reading on in it is likely.
      if (this.#characters <= MOST_KEPT_CHARACTERS || this.#kept.size === 1) break;
      this.#kept.delete(oldest);
      this.#characters -= sizeOf(given);
    }
  }

  async #make(page: WebPage, want: Want, signal: StopSignal, anchor?: string): Promise<Document> {
    const { kind, type } = kindOf(page);
    const shared: Omit<Document, "form"> = { kind, type, facts: {}, links: [] };
    if (kind === "image" || kind === "binary") return { ...shared, form: "raw" };
    if (kind === "document") return (await this.#readFile(page, signal)) ?? { ...shared, form: "raw" };
    const decode = (): Decoded => {
      const { text, charset, isDamaged } = decodeText(page.body, page.headers["content-type"]);
      return { ...shared, charset, ...(isDamaged && { isDamaged }), text };
    };
    if (kind === "html" && want !== "raw") {
      const form = want === "auto" ? ("main" as const) : want;
      const isXml = type === "application/xhtml+xml";
      let decoded = shared;
      const prepare = (): Jobs["html"]["given"] => {
        const { text: html, ...facts } = decode();
        decoded = facts;
        return { html, url: page.finalUrl, isXml, want: form, anchor };
      };
      const { markdown, used, ...found } = await this.#parsers.run("html", prepare, subjectOf(page), signal);
      return { ...decoded, ...found, text: markdown, form: used };
    }
    if (kind === "json" && want !== "raw" && page.body.length > LONG_TEXT) {
      const prepare = (): { text: string } => ({ text: textOf(page) });
      const pretty = await this.#parsers.run("json", prepare, subjectOf(page), signal);
      return { ...decode(), text: pretty, form: "json" };
    }
    if (kind === "feed" && want !== "raw") return this.#makeFeed(page, decode, signal);
    const decoded = decode();
    if (want === "raw") return { ...decoded, form: "raw" };
    if (kind === "json") return { ...decoded, text: toPrettyJson(decoded.text), form: "json" };
    return { ...decoded, form: "text" };
  }

  /** Undefined if it is none, or if what reads them is not installed. */
  async #readFile(page: WebPage, signal: StopSignal): Promise<Document | undefined> {
    if (!(await this.#files.isInstalled())) return undefined;
    const { body, finalUrl } = page;
    this.#held.add(body.length);
    try {
      const found = await this.#files.read(body, finalUrl, signal);
      if (!found) return undefined;
      const { title, total: pages, hidden, cutAt } = found;
      const end =
        cutAt === undefined
          ? ""
          : `

(Cut in part ${cutAt} of ${pages ?? 1}: it is too long.)`;
      const facts = { kind: "document" as const, type: kindOf(page).type, facts: { title }, links: [] };
      return { ...facts, text: found.text + end, form: found.format, pages, hidden };
    } finally {
      this.#held.release(body.length);
    }
  }

  async #makeFeed(page: WebPage, decode: () => Decoded, signal: StopSignal): Promise<Document> {
    try {
      const feed = await this.feed(page, signal);
      const { title, description } = feed;
      return { ...decode(), text: renderFeed(feed), form: "feed", facts: { title, description } };
    } catch (thrown) {
      if (thrown instanceof Fault && thrown.code === "unsupported") return { ...decode(), form: "text" };
      throw thrown;
    }
  }
}

const textOf = ({ body, headers }: WebPage): string => decodeText(body, headers["content-type"]).text;

const subjectOf = ({ finalUrl, body }: WebPage): JobSubject => ({ about: finalUrl, bytes: body.length });

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
