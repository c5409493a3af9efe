import { XMLParser } from "fast-xml-parser";

import { decodeEntities } from "./entities.ts";

export interface SitemapEntry {
  readonly url: string;
  readonly modified?: string;
}

export interface Sitemap {
  /** An index lists other sitemaps, a set lists pages. */
  readonly kind: "index" | "pages";
  readonly entries: readonly SitemapEntry[];
}

const MOST_ENTRIES = 50_000;

interface Loose {
  readonly loc?: unknown;
  readonly lastmod?: unknown;
}

/** A sitemap in XML, or a plain list of URLs. Throws for anything else. */
export function readSitemap(text: string): Sitemap {
  if (!text.trimStart().startsWith("<")) return readList(text);
  const parser = new XMLParser({
    ignoreAttributes: true,
    removeNSPrefix: true,
    parseTagValue: false,
    // A document's own entities could expand a small file into a huge one.
    processEntities: false,
    isArray: (name) => name === "url" || name === "sitemap",
  });
  const root = parser.parse(text) as {
    readonly urlset?: { readonly url?: readonly Loose[] } | "";
    readonly sitemapindex?: { readonly sitemap?: readonly Loose[] } | "";
  };
  if (root.urlset === undefined && root.sitemapindex === undefined)
    throw new TypeError("This is not a sitemap");
  const isIndex = root.sitemapindex !== undefined;
  const loose = isIndex ? (root.sitemapindex || {}).sitemap : (root.urlset || {}).url;
  const entries = (loose ?? []).slice(0, MOST_ENTRIES).flatMap(({ loc, lastmod }) => {
    const url = typeof loc === "string" ? decodeEntities(loc).trim() : "";
    if (!isHttp(url)) return [];
    return [{ url, ...(typeof lastmod === "string" && { modified: lastmod.trim() }) }];
  });
  return { kind: isIndex ? "index" : "pages", entries };
}

function readList(text: string): Sitemap {
  const entries = text
    .split("\n")
    .map((line) => line.trim())
    .filter(isHttp)
    .slice(0, MOST_ENTRIES)
    .map((url) => ({ url }));
  if (entries.length === 0) throw new TypeError("This is not a sitemap");
  return { kind: "pages", entries };
}

const isHttp = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url);
