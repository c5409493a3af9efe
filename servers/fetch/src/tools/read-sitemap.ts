import {
  countOf,
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

import type { WebPage } from "../domain/page.ts";
import type { Sitemap } from "../domain/parsing/sitemap.ts";
import { requireOk } from "../domain/web.ts";
import { defineTool } from "../define.ts";
import { getPage, type PageContext, READS_THE_WEB, toUrl, Url } from "./reading.ts";

/** The entries of a sitemap, or of the one of a site, whose URL contains a text. */
export async function listSitemap(
  url: string,
  contains: string | undefined,
  context: Omit<PageContext, "budget">,
  isContinuing = false,
): Promise<{ readonly page: WebPage; readonly kind: Sitemap["kind"]; readonly wanted: Sitemap["entries"] }> {
  const given = toUrl(url);
  const isSite = URL.canParse(given) && new URL(given).pathname === "/";
  const { page } = await getPage(isSite ? new URL("/sitemap.xml", given).href : given, context, {
    prefersSource: true,
    isContinuing,
  });
  requireOk(page, 'Not every site has a sitemap there. fetch with mode: "links" lists what a page links to.');
  const { kind, entries } = await context.state.documents.sitemap(page, context.stop);
  return {
    page,
    kind,
    wanted: contains === undefined ? entries : entries.filter((entry) => entry.url.includes(contains)),
  };
}

export const readSitemap = defineTool({
  name: "read_sitemap",
  title: "Read a sitemap",
  description:
    "Lists the pages of a site from its sitemap; for a site's address, from its sitemap.xml. contains filters by part of the URL.",
  ...READS_THE_WEB,
  input: schema(
    v.strictObject({
      url: Url,
      contains: v.optional(v.string()),
      limit: v.optional(FromOne),
      cursor: v.optional(Cursor),
    }),
  ),
  output: schema(
    v.object({
      url: v.string(),
      kind: v.picklist(["index", "pages"]),
      total: Count,
      entries: v.array(v.object({ url: v.string(), modified: v.optional(v.string()) })),
      next_cursor: v.optional(v.string()),
    }),
  ),
  untrusted: ["entries[].url", "entries[].modified"],
  async run({ url, contains, limit = 100, cursor }, context) {
    const about = ["sitemap", url, contains ?? null];
    const from = fromCursor(cursor, about, isCount) ?? 0;
    const { page, kind, wanted } = await listSitemap(url, contains, context, from > 0);
    const { items } = fitItems(wanted.slice(from, from + limit), context.budget - 500);
    const next = from + items.length;
    return {
      url: page.finalUrl,
      kind,
      total: wanted.length,
      entries: [...items],
      ...(next < wanted.length && items.length > 0 && { next_cursor: toCursor(next, about) }),
    };
  },
  text: ({ url, kind, total, entries }) => [
    `${countOf(total, kind === "index" ? "sitemap" : "page")} in ${url}:`,
    untrusted(
      entries
        .map((entry) => (entry.modified === undefined ? entry.url : `${entry.url} (${entry.modified})`))
        .join("\n"),
    ),
  ],
  note: ({ kind, ...page }) => [
    kind === "index" && "These are sitemaps themselves: call read_sitemap with one of them.",
    noteCursor(page),
  ],
});
