import { isObject, truncate } from "@suite/server-kit/domain";
import { parseFeed } from "feedsmith";

import { convertHtml } from "./html.ts";
import { toAbsolute } from "./page-facts.ts";

export interface FeedItem {
  readonly title: string;
  readonly url?: string | undefined;
  readonly published?: string | undefined;
  readonly author?: string | undefined;
  readonly summary?: string | undefined;
}

export interface Feed {
  readonly format: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly home?: string | undefined;
  readonly items: readonly FeedItem[];
}

const LONGEST_SUMMARY = 500;
const MOST_ITEMS = 2000;
const MOST_OPEN_TAGS = 100;

interface LooseLink {
  readonly href?: string;
  readonly rel?: string;
}
/** The members of all formats together. */
interface LooseItem {
  readonly title?: unknown;
  readonly link?: string;
  readonly url?: string;
  readonly links?: readonly LooseLink[];
  readonly guid?: { readonly value?: string; readonly isPermaLink?: boolean };
  readonly pubDate?: string;
  readonly published?: string;
  readonly updated?: string;
  readonly date_published?: string;
  readonly description?: unknown;
  readonly summary?: unknown;
  readonly content?: { readonly encoded?: string };
  /** Atom resolves links against `xml:base`. */
  readonly xml?: { readonly base?: string };
  readonly content_text?: string;
  readonly content_html?: string;
  readonly authors?: readonly (string | { readonly name?: string })[];
  readonly dc?: {
    readonly date?: string;
    readonly dates?: readonly string[];
    readonly creator?: string;
    readonly creators?: readonly string[];
  };
}
interface LooseFeed extends LooseItem {
  readonly home_page_url?: string;
  readonly subtitle?: unknown;
  readonly items?: readonly LooseItem[];
  readonly entries?: readonly LooseItem[];
}

/** A comment, raw text, or a tag as the library sees its end: in quotes, there is none. */
const TAG =
  /<(?:!--[^]*?-->|!\[CDATA\[[^]*?\]\]>|(?!!--|!\[CDATA\[)[^"'>]*(?:(?:"[^"]*"|'[^']*')[^"'>]*)*>)/y;

/** From each tag without an end, the library reads on to the end of the text. */
function requireEnds(text: string): void {
  let open = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at)) {
    TAG.lastIndex = at;
    const isWhole = TAG.test(text);
    at = isWhole ? TAG.lastIndex : at + 1;
    if (!isWhole) open += 1;
    if (open > MOST_OPEN_TAGS) throw new TypeError("Too many tags of the feed have no end");
  }
}

/** Reads RSS, Atom, RDF and JSON feeds into one shape. Throws for anything else. */
export function readFeed(text: string, url: string): Feed {
  if (text.trimStart().startsWith("<")) requireEnds(text);
  const { format, feed } = parseFeed(text) as { readonly format: string; readonly feed: LooseFeed };
  const base = toAbsolute(feed.xml?.base, url) ?? url;
  const all = feed.items ?? feed.entries ?? [];
  const newest = all.length > MOST_ITEMS ? all.toSorted((a, b) => timeOf(b) - timeOf(a)) : all;
  // In JSON feeds only `content_html` holds HTML.
  const isPlain = format === "json";
  return {
    format,
    title: toText(feed.title, base, isPlain) || undefined,
    description: toText(feed.description ?? feed.subtitle, base, isPlain) || undefined,
    home: toAbsolute(feed.home_page_url ?? linkOf(feed), base),
    items: newest.slice(0, MOST_ITEMS).map((item) => toItem(item, base, isPlain)),
  };
}

function toItem(item: LooseItem, feedBase: string, isPlain: boolean): FeedItem {
  const { dc, content } = item;
  const url = toAbsolute(item.xml?.base, feedBase) ?? feedBase;
  const author = item.authors
    ?.map((each) => (typeof each === "string" ? each : (each.name ?? "")))
    .join(", ");
  const whole = item.content_text ?? item.content_html ?? content?.encoded ?? content;
  const body = item.summary ?? item.description ?? whole;
  return {
    title: toText(item.title, url, isPlain) ?? "(no title)",
    url: toAbsolute(item.link ?? item.url ?? linkOf(item), url),
    published: toIsoDate(publishedOf(item)),
    author: author || dc?.creator || dc?.creators?.[0] || undefined,
    summary: toText(body, url, isPlain && body !== item.content_html) || undefined,
  };
}

const publishedOf = ({ dc, ...item }: LooseItem): string | undefined =>
  item.pubDate ?? item.published ?? item.date_published ?? dc?.date ?? dc?.dates?.[0] ?? item.updated;

const timeOf = (item: LooseItem): number => Date.parse(publishedOf(item) ?? "") || 0;

const linkOf = ({ link, links, guid }: LooseItem): string | undefined =>
  link ??
  (links?.find(({ rel }) => rel === undefined || rel === "alternate") ?? links?.[0])?.href ??
  (guid?.isPermaLink === false ? undefined : guid?.value);

/** The visible text on one line: most feeds have HTML in their texts. */
function toText(value: unknown, url: string, isPlain: boolean): string | undefined {
  const { value: text, type = isPlain ? "text" : undefined } = isObject(value) ? value : { value };
  if (typeof text !== "string") return undefined;
  const plain =
    type !== "text" && /[<&]/.test(text) ? convertHtml(text.slice(0, 50_000), { url }).markdown : text;
  const line = plain.replaceAll(/\s+/g, " ").trim();
  return truncate(line, LONGEST_SUMMARY);
}

function toIsoDate(value = ""): string | undefined {
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
