import {
  countOf,
  Fault,
  fitItems,
  fromCursor,
  isCount,
  noteCursor,
  toCursor,
  untrusted,
} from "@suite/server-kit/domain";
import { Count, Cursor, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { decodeText } from "../domain/charset.ts";
import { renderFeed } from "../domain/documents.ts";
import { kindOf, type WebPage } from "../domain/page.ts";
import { decodeEntities } from "../domain/parsing/entities.ts";
import type { FeedItem } from "../domain/parsing/feed.ts";
import { requireOk } from "../domain/web.ts";
import { defineTool } from "../define.ts";
import { getPage, READS_THE_WEB, toUrl, Url } from "./reading.ts";

const Item = v.object({
  title: v.string(),
  url: v.optional(v.string()),
  published: v.optional(v.string()),
  author: v.optional(v.string()),
  summary: v.optional(v.string()),
});

const MOST_SEARCHED = 200_000;

/** A page that is not a feed may say where its feed is. */
function withFeedOf(page: WebPage, thrown: unknown): unknown {
  if (!(thrown instanceof Fault) || thrown.code !== "unsupported" || kindOf(page).kind !== "html")
    return thrown;
  const html = decodeText(page.body, page.headers["content-type"]).text.slice(0, MOST_SEARCHED);
  const link = (html.match(/<link\s[^<>]{1,1000}>/gi) ?? []).find((tag) =>
    /application\/(rss\+xml|atom\+xml|feed\+json)/i.test(tag),
  );
  const href = decodeEntities(/\shref\s*=\s*["']?([^"'\s>]+)/i.exec(link ?? "")?.[1] ?? "");
  const isNamed = href !== "" && URL.canParse(href, page.finalUrl);
  return new Fault("unsupported", `${page.finalUrl} is a page, and not a feed`, {
    hint: isNamed
      ? `Its feed is ${new URL(href, page.finalUrl).href.slice(0, 500)}`
      : 'It names no feed. fetch with mode: "links" lists what it links to.',
    cause: thrown,
  });
}

export const readFeed = defineTool({
  name: "read_feed",
  version: 3,
  title: "Read a feed",
  description: "Reads an RSS, Atom or JSON feed, newest first. since excludes older entries.",
  ...READS_THE_WEB,
  alsoKnownAs: ["fetch_rss", "fetch_feed", "get_feed"],
  aliases: { limit: ["max_results", "count"] },
  input: schema(
    v.strictObject({
      url: Url,
      since: v.optional(v.pipe(v.string(), v.description("Date, such as 2026-01-31"))),
      limit: v.optional(FromOne),
      cursor: v.optional(Cursor),
    }),
  ),
  output: schema(
    v.object({
      url: v.string(),
      format: v.string(),
      title: v.optional(v.string()),
      home: v.optional(v.string()),
      total: Count,
      undated: v.exactOptional(Count),
      cut: v.exactOptional(v.boolean()),
      items: v.array(Item),
      next_cursor: v.optional(v.string()),
    }),
  ),
  untrusted: ["title", "home", "items[].title", "items[].url", "items[].summary", "items[].author"],
  async run({ url, since, limit = 20, cursor }, context) {
    const { state, stop, budget } = context;
    const about = ["feed", url, since ?? null];
    const from = fromCursor(cursor, about, isCount) ?? 0;
    const least = since === undefined ? undefined : Date.parse(since);
    if (Number.isNaN(least))
      throw new Fault("invalid_input", `since is not a date: ${JSON.stringify(since)}`, {
        hint: "Give it as 2026-01-31, or with a time as 2026-01-31T12:00:00Z.",
      });
    const { page } = await getPage(toUrl(url), context, {
      prefersSource: true,
      isContinuing: from > 0,
      mayBeCut: true,
    });
    requireOk(page);
    const { items, format, title, home, isCut } = await state.documents
      .feed(page, stop)
      .catch((thrown: unknown) => Promise.reject(withFeedOf(page, thrown)));
    const timeOf = ({ published }: FeedItem): number => Date.parse(published ?? "") || 0;
    const wanted = items
      .filter((item) => least === undefined || timeOf(item) >= least)
      .toSorted((a, b) => timeOf(b) - timeOf(a));
    const undated = least === undefined ? 0 : items.filter((item) => timeOf(item) === 0).length;
    const { items: shown } = fitItems(wanted.slice(from, from + limit), budget - 500);
    const next = from + shown.length;
    return {
      url: page.finalUrl,
      format,
      title,
      home,
      total: wanted.length,
      ...(undated > 0 && { undated }),
      ...(isCut && { cut: true }),
      items: [...shown],
      ...(next < wanted.length && shown.length > 0 && { next_cursor: toCursor(next, about) }),
    };
  },
  text: ({ url, format, title, total, items }) => [
    `${countOf(total, "entry")} in ${url} (${format}):`,
    untrusted([...(title === undefined ? [] : [title]), renderFeed({ items })].join("\n")),
  ],
  note: ({ undated, cut, ...page }) => [
    cut && "The connection broke before the end of the feed: later entries are missing.",
    undated !== undefined && `Entries left out because they have no date: ${undated}.`,
    noteCursor(page),
  ],
});
