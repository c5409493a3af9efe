import { createHash } from "node:crypto";

import { decodeText } from "./charset.ts";

/** What a URL answered, as it is kept. */
export interface WebPage {
  /** Names it in URIs; the same URL asked for in the same way by the same caller has the same id. */
  readonly id: string;
  /** Who asked for it, where the transport knows: nobody else is shown it. */
  readonly principal: string | undefined;
  readonly url: string;
  readonly finalUrl: string;
  readonly redirects: readonly string[];
  readonly status: number;
  /** Names are in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** When it was last known to be true. */
  readonly fetchedAt: string;
}

/** Where a page came from: the network, the cache, the cache after asking, or the copy that is being read on. */
export type CacheState = "fetched" | "fresh" | "revalidated" | "copy";

export interface Got {
  readonly page: WebPage;
  readonly cache: CacheState;
}

export type PageKind = "html" | "markdown" | "json" | "text" | "xml" | "feed" | "image" | "pdf" | "binary";

/** What a call wants of caches is not what it wants of the page. */
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
    .slice(0, 12);

export const toPageUri = (id: string): string => `fetch://page/${id}`;
export const toUrlUri = (url: string): string => `fetch://url/${url}`;

const TYPES: readonly (readonly [pattern: RegExp, kind: PageKind])[] = [
  [/^(text\/html|application\/xhtml\+xml)$/, "html"],
  [/^text\/(x-)?markdown$/, "markdown"],
  [/^application\/(rss|atom|rdf)\+xml$/, "feed"],
  [/^application\/feed\+json$/, "feed"],
  [/[/+]json$|^application\/(json5|ld\+json|x-ndjson|jsonl)$/, "json"],
  [/[/+]xml$/, "xml"],
  [/^image\/(png|jpeg|gif|webp)$/, "image"],
  [/^application\/pdf$/, "pdf"],
  [
    /^text\/|^application\/(javascript|x-javascript|ecmascript|yaml|x-yaml|toml|x-sh|sql|graphql)$|^image\/svg/,
    "text",
  ],
];

const MAGIC: readonly (readonly [pattern: RegExp, kind: PageKind, type: string])[] = [
  [/^%PDF-/, "pdf", "application/pdf"],
  [/^\u0089PNG\r\n/, "image", "image/png"],
  [/^\u00ff\u00d8\u00ff/, "image", "image/jpeg"],
  [/^GIF8[79]a/, "image", "image/gif"],
  [/^RIFF[^]{4}WEBP/, "image", "image/webp"],
];

/** What a site says its page is, if that is a type: it is shown beside the server's own words. */
export function declaredType({ headers }: Pick<WebPage, "headers">): string {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return /^[\w.+-]{1,60}\/[\w.+-]{1,100}$/.test(type.trim()) ? type.trim().toLowerCase() : "";
}

/** By the first bytes where they decide, else by what the server says, else by a look at the text. */
export function kindOf(page: WebPage): { readonly kind: PageKind; readonly type: string } {
  const first = page.body.subarray(0, 1024);
  const bytes = Buffer.from(first).toString("latin1");
  const magic = MAGIC.find(([pattern]) => pattern.test(bytes));
  if (magic) return { kind: magic[1], type: magic[2] };
  const declared = declaredType(page);
  const kind = TYPES.find(([pattern]) => pattern.test(declared))?.[1];
  const start = decodeText(first, page.headers["content-type"]).text;
  const text = start.trimStart();
  const isHtml = /^<(!doctype html|html|head|body)\b/i.test(text);
  // Images and PDFs were known by their first bytes: what only claims to be one must not be handed on as one.
  if (kind === "image" || kind === "pdf")
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
    kind: declared === "" || declared === "application/octet-stream" ? "text" : "binary",
    type: declared || "text/plain",
  };
}

// oxlint-disable-next-line no-control-regex -- controls are what tells bytes from text
const looksBinary = (start: string): boolean => /[\0-\x08\x0E-\x1A]/.test(start);
