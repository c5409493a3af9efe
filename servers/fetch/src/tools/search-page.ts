import { countOf, fitItems, looksLikePattern, untrusted } from "@suite/server-kit/domain";
import { Count, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { Document } from "../domain/documents.ts";
import type { Found } from "../domain/parsing/search.ts";
import { defineTool } from "../state.ts";
import { readPage, READS_THE_WEB, requireText, Url } from "./reading.ts";

export const searchPage = defineTool({
  name: "search_page",
  version: 2,
  title: "Search in a page",
  description:
    "Finds text in a page, with the lines around it. start_index of a match is where fetch can continue.",
  ...READS_THE_WEB,
  aliases: { query: ["pattern", "text", "q"], limit: ["max_results"] },
  input: schema(
    v.strictObject({
      url: Url,
      query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
      context: v.optional(v.pipe(Count, v.maxValue(20), v.description("Lines around; default 1"))),
      ignore_case: v.optional(v.pipe(v.boolean(), v.description("Default true"))),
      limit: v.optional(FromOne),
    }),
  ),
  output: schema(
    v.object({
      url: v.string(),
      total: Count,
      mode: v.optional(v.literal("full")),
      matches: v.array(
        v.object({ line: FromOne, start_index: Count, section: v.optional(v.string()), text: v.string() }),
      ),
    }),
  ),
  untrusted: ["matches[].text", "matches[].section"],
  async run({ url, query, context = 1, ignore_case = true, limit = 20 }, call) {
    const { page, document } = await readPage(url, call);
    const { documents } = call.state;
    const searchIn = (searched: Document): Found | Promise<Found> => {
      const text = requireText({ page, document: searched });
      const search = { text, query, context, ignoreCase: ignore_case, limit };
      return documents.search(search, page.finalUrl, call.stop);
    };
    let { total, matches } = await searchIn(document);
    const isBeyondMain = total === 0 && document.form === "main";
    if (isBeyondMain) ({ total, matches } = await searchIn(await documents.of(page, "full", call.stop)));
    const { items } = fitItems(matches, call.budget);
    return {
      url: page.finalUrl,
      total,
      ...(isBeyondMain && total > 0 && { mode: "full" as const }),
      matches: [...items],
    };
  },
  text: ({ url, total, matches }) => [
    total === 0 ? `No match in ${url}.` : `${countOf(total, "match")} in ${url}:`,
    ...(matches.length === 0
      ? []
      : [
          untrusted(
            matches
              .map(({ line, start_index, section, text }) =>
                [
                  `line ${line}, start_index ${start_index}${section === undefined ? "" : `, under ${section}`}:`,
                  text,
                ].join("\n"),
              )
              .join("\n\n"),
          ),
        ]),
  ],
  note: ({ total, mode, matches }, { query }) => [
    total === 0 && looksLikePattern(query) && "query is plain text, not a pattern: search for a part of it.",
    mode === "full" && 'Found only outside the main part: use start_index with mode: "full".',
    total > matches.length &&
      `Only the first ${matches.length} of ${total} matches are shown. Search for something longer, or raise limit.`,
  ],
});
