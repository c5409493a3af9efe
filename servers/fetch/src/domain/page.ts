import { createHash } from "node:crypto";

import { decodeText } from "./charset.ts";

/** The response of a URL, as it is cached. */
export interface WebPage {
  /** Used in URIs. Derived from the caller, the URL and the request headers. */
  readonly id: string;
  /** The caller, if the transport knows it: the page is not shown to others. */
  readonly principal: string | undefined;
  readonly url: string;
  readonly finalUrl: string;
  readonly redirects: readonly string[];
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** When it was fetched or last revalidated. */
  readonly fetchedAt: string;
  /** Whether the connection broke before the end of the body. */
  readonly isCut?: boolean;
}

/** Where a page came from: the network, the cache, the cache after revalidation, or the copy that is being continued. */
export type CacheState = "fetched" | "fresh" | "revalidated" | "copy";

export interface Got {
  readonly page: WebPage;
  readonly cache: CacheState;
}

export type PageKind =
  | "html"
  | "markdown"
  | "json"
  | "text"
  | "xml"
  | "feed"
  | "image"
  | "document"
  | "binary";

/** 128 bits: nobody finds two URLs with the same id. */
export const ID_LENGTH = 32;

/** Ignores cache-control: it is about caching, not about which page is wanted. */
export const toPageId = (
  principal: string | undefined,
  url: string,
  { "cache-control": _, ...headers }: Readonly<Record<string, string>>,
): string =>
  createHash("sha256")
    .update(
      JSON.stringify([principal, url, Object.entries(headers).toSorted(([a], [b]) => (a < b ? -1 : 1))]),
    )
    .digest("hex")
    .slice(0, ID_LENGTH);

export const toPageUri = (id: string): string => `fetch://page/${id}`;
export const toUrlUri = (url: string): string => `fetch://url/${url}`;

/** Of documents whose text can be read. */
const DOCUMENT_TYPE =
  /^application\/(?:pdf|epub\+zip|vnd\.(?:openxmlformats-officedocument\.[\w.-]+|oasis\.opendocument\.text))$/;

export const isDocumentType = (type: string): boolean => DOCUMENT_TYPE.test(type);

const isUnknown = (type: string): boolean => type === "" || type === "application/octet-stream";

const TYPES: readonly (readonly [pattern: RegExp, kind: PageKind])[] = [
  [/^(text\/html|application\/xhtml\+xml)$/, "html"],
  [/^text\/(x-)?markdown$/, "markdown"],
  [/^application\/(rss|atom|rdf)\+xml$/, "feed"],
  [/^application\/feed\+json$/, "feed"],
  [/[/+]json$|^application\/(json5|ld\+json|x-ndjson|jsonl)$/, "json"],
  [/[/+]xml$/, "xml"],
  [/^image\/(png|jpeg|gif|webp)$/, "image"],
  [DOCUMENT_TYPE, "document"],
  [
    /^text\/|^application\/(javascript|x-javascript|ecmascript|yaml|x-yaml|toml|x-sh|sql|graphql)$|^image\/svg/,
    "text",
  ],
];

const MAGIC: readonly (readonly [pattern: RegExp, kind: PageKind, type: string])[] = [
  [/^%PDF-/, "document", "application/pdf"],
  [/^\u0089PNG\r\n/, "image", "image/png"],
  [/^\u00ff\u00d8\u00ff/, "image", "image/jpeg"],
  [/^GIF8[79]a/, "image", "image/gif"],
  [/^RIFF[^]{4}WEBP/, "image", "image/webp"],
];

/** The declared media type, if it has the form of one: it is shown as trusted text. */
export function declaredType({ headers }: Pick<WebPage, "headers">): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(type.trim()) ? type.trim().toLowerCase() : "";
}

/** Decided by the first bytes, else by the declared type, else by the text. */
export function kindOf(page: WebPage): { readonly kind: PageKind; readonly type: string } {
  const first = page.body.subarray(0, 1024);
  const bytes = Buffer.from(first).toString("latin1");
  const magic = MAGIC.find(([pattern]) => pattern.test(bytes));
  if (magic) return { kind: magic[1], type: magic[2] };
  const declared = declaredType(page);
  // What is in the archive says which document it is, if any.
  if (bytes.startsWith("PK\u0003\u0004") && (isDocumentType(declared) || isUnknown(declared)))
    return { kind: "document", type: declared || "application/octet-stream" };
  const kind = TYPES.find(([pattern]) => pattern.test(declared))?.[1];
  const start = decodeText(first, page.headers["content-type"]).text;
  const text = start.trimStart();
  const isHtml = /^<(!doctype html|html|head|body)\b/i.test(text);
  // Real images and documents were recognized by their first bytes: this only claims to be one.
  if (kind === "image" || kind === "document")
    return isHtml
      ? { kind: "html", type: "text/html" }
      : { kind: "binary", type: "application/octet-stream" };
  if (kind === "xml" && /<(rss|feed|rdf:RDF)\b/.test(text)) return { kind: "feed", type: declared };
  if (kind === "json" && /"version"\s*:\s*"https:\/\/jsonfeed\.org/.test(text))
    return { kind: "feed", type: declared };
  if (kind !== undefined && !(kind === "text" && declared === "text/plain" && looksBinary(start))) {
    return { kind, type: declared };
  }
  if (looksBinary(start)) return { kind: "binary", type: declared || "application/octet-stream" };
  if (isHtml) return { kind: "html", type: declared || "text/html" };
  return {
    kind: isUnknown(declared) ? "text" : "binary",
    type: declared || "text/plain",
  };
}

// oxlint-disable-next-line no-control-regex -- controls are what tells bytes from text
const looksBinary = (start: string): boolean => /[\0-\x08\x0E-\x1A]/.test(start);
