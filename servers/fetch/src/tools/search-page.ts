import { countOf, Fault, fitItems, looksLikePattern, truncate, untrusted } from "@suite/server-kit/domain";
import { Count, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { Document } from "../domain/documents.ts";
import { mapBounded } from "../domain/links.ts";
import type { Found, Search } from "../domain/parsing/search.ts";
import { defineTool } from "../define.ts";
import { listSitemap } from "./read-sitemap.ts";
import { type PageContext, readPage, READS_THE_WEB, requireText, Url } from "./reading.ts";

const MOST_PAGES = 50;

const PageMatch = v.object({
  url: v.optional(v.string()),
  line: FromOne,
  start_index: Count,
  section: v.optional(v.string()),
  text: v.string(),
});

type Wish = Omit<Search, "text">;

interface SearchedPage extends Found {
  readonly url: string;
  /** Whether the phrase is only outside of the main part. */
  readonly isBeyondMain: boolean;
}

async function searchOne(
  url: string,
  wish: Wish,
  call: PageContext,
  isOneOfMany = false,
): Promise<SearchedPage> {
  const { page, document } = await readPage(url, call, { isOneOfMany });
  const { finalUrl } = page;
  const { documents } = call.state;
  const searchIn = (searched: Document): Found | Promise<Found> =>
    documents.search({ ...wish, text: requireText({ page, document: searched }) }, finalUrl, call.stop);
  const found = await searchIn(document);
  if (found.total > 0 || document.form !== "main") return { ...found, url: finalUrl, isBeyondMain: false };
  const beyond = await searchIn(await documents.of(page, "full", call.stop));
  return { ...beyond, url: finalUrl, isBeyondMain: beyond.total > 0 };
}

export const searchPage = defineTool({
  name: "search_page",
  version: 5,
  title: "Search in pages",
  description:
    "Finds text in a page, in several (urls), or in those of a sitemap (contains filters them), with the lines around it. " +
    "start_index of a match is where fetch can continue.",
  ...READS_THE_WEB,
  aliases: { query: ["pattern", "text", "q"], limit: ["max_results"] },
  input: schema(
    v.strictObject({
      url: v.optional(Url),
      urls: v.optional(v.pipe(v.array(Url), v.minLength(1), v.maxLength(MOST_PAGES))),
      sitemap: v.optional(v.pipe(Url, v.description(`${MOST_PAGES} pages at a time`))),
      contains: v.optional(v.string()),
      skip: v.optional(v.pipe(Count, v.description("Pages of the sitemap"))),
      query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
      context: v.optional(v.pipe(Count, v.maxValue(20), v.description("Lines around; default 1"))),
      ignore_case: v.optional(v.pipe(v.boolean(), v.description("Default true"))),
      limit: v.optional(FromOne),
    }),
  ),
  output: schema(
    v.object({
      url: v.optional(v.string()),
      total: Count,
      mode: v.optional(v.literal("full")),
      pages: v.optional(v.object({ searched: Count, listed: Count, with_matches: Count })),
      next_skip: v.optional(Count),
      failed: v.optional(v.array(v.object({ url: v.string(), message: v.string() }))),
      matches: v.array(PageMatch),
    }),
  ),
  untrusted: ["matches[].text", "matches[].section", "failed[].url", "failed[].message"],
  async run(
    { url, urls, sitemap, contains, skip = 0, query, context = 1, ignore_case = true, limit = 20 },
    call,
  ) {
    const wish = { query, context, ignoreCase: ignore_case, limit };
    if ([url, urls, sitemap].filter((given) => given !== undefined).length !== 1)
      throw new Fault("invalid_input", "Give one of url, urls and sitemap");
    if (url !== undefined) {
      const { total, matches, isBeyondMain, url: finalUrl } = await searchOne(url, wish, call);
      const { items } = fitItems(matches, call.budget);
      return { url: finalUrl, total, ...(isBeyondMain && { mode: "full" as const }), matches: [...items] };
    }
    const listed =
      urls ?? (await listSitemap(sitemap ?? "", contains, call)).wanted.map((entry) => entry.url);
    const failed: { url: string; message: string }[] = [];
    let done = 0;
    const asked = listed.slice(skip, skip + MOST_PAGES);
    const searched = await mapBounded(asked, async (each) => {
      try {
        return await searchOne(each, wish, call, true);
      } catch (thrown) {
        if (!(thrown instanceof Fault) || call.stop.aborted) throw thrown;
        failed.push({ url: truncate(each, 300), message: truncate(thrown.message, 300) });
        return undefined;
      } finally {
        done += 1;
        call.progress(done, asked.length);
      }
    });
    const found = searched.filter((page) => page !== undefined && page.total > 0) as readonly SearchedPage[];
    const all = found.flatMap((page) => page.matches.map((match) => ({ url: page.url, ...match })));
    const { items } = fitItems(all.slice(0, limit), call.budget - 500 - 400 * failed.length);
    return {
      total: found.reduce((sum, { total }) => sum + total, 0),
      pages: { searched: searched.length - failed.length, listed: listed.length, with_matches: found.length },
      ...(skip + asked.length < listed.length && { next_skip: skip + asked.length }),
      ...(failed.length > 0 && { failed }),
      matches: [...items],
    };
  },
  text: ({ url, total, pages, matches, failed = [] }) => [
    total === 0
      ? `No match in ${pages === undefined ? url : countOf(pages.searched, "page")}.`
      : `${countOf(total, "match")} in ${pages === undefined ? url : `${pages.with_matches} of ${countOf(pages.searched, "page")}`}:`,
    ...(matches.length === 0
      ? []
      : [
          untrusted(
            matches
              .map(({ url: of, line, start_index, section, text }) =>
                [
                  `${of === undefined ? "" : `${of}, `}line ${line}, start_index ${start_index}${section === undefined ? "" : `, under ${section}`}:`,
                  text,
                ].join("\n"),
              )
              .join("\n\n"),
          ),
        ]),
    ...(failed.length === 0
      ? []
      : [
          `${countOf(failed.length, "page")} could not be searched:`,
          untrusted(failed.map((each) => `${each.url}: ${each.message}`).join("\n")),
        ]),
  ],
  note: ({ total, mode, pages, next_skip: next, matches }, { query, skip = 0 }) => [
    total === 0 && looksLikePattern(query) && "query is plain text, not a pattern: search for a part of it.",
    mode === "full" && 'Found only outside the main part: use start_index with mode: "full".',
    next !== undefined &&
      `These are pages ${skip + 1} to ${next} of ${pages?.listed}. Continue with skip: ${next}, or narrow them down with contains.`,
    total > matches.length &&
      `Only the first ${matches.length} of ${total} matches are shown. Search for something longer, or raise limit.`,
  ],
});
