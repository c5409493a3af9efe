import { countOf, Fault, fitText, truncate, untrusted } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { Length, readPage, READS_THE_WEB, requireText, Url } from "./reading.ts";

const DEFAULT_LENGTH = 5000;

export const comparePages = defineTool({
  name: "compare_pages",
  title: "Compare pages",
  description:
    "Says what changed on a page since it was last read: fetches it again and gives the diff to the copy in the cache. With other: how that page differs from url.",
  ...READS_THE_WEB,
  aliases: { url: ["first", "uri"], other: ["second", "with"] },
  input: schema(
    v.strictObject({
      url: Url,
      other: v.optional(Url),
      mode: v.optional(v.picklist(["auto", "article", "full", "raw"])),
      max_length: v.optional(v.pipe(Length, v.description("Of the diff; default 5000"))),
    }),
  ),
  output: schema(
    v.object({
      url: v.string(),
      since: v.optional(v.string()),
      changed: v.boolean(),
      added_lines: v.optional(Count),
      removed_lines: v.optional(Count),
      diff: v.optional(v.string()),
      cut: v.optional(v.boolean()),
    }),
  ),
  untrusted: ["diff"],
  async run({ url, other, mode = "auto", max_length = DEFAULT_LENGTH }, context) {
    const { state, stop, budget } = context;
    const old = await readPage(url, context, { want: mode, isContinuing: other === undefined });
    if (other === undefined && old.cache === "fetched")
      throw new Fault("not_found", `There was no copy of ${truncate(url, 300)} to compare with`, {
        hint: "It was fetched now: compare it again later, or give other.",
      });
    const current = await readPage(other ?? url, context, { want: mode, isRefreshing: other === undefined });
    const given = { before: requireText(old), after: requireText(current) };
    const { finalUrl, fetchedAt } = old.page;
    const about = { url: finalUrl, ...(other === undefined && { since: fetchedAt }) };
    if (given.before === given.after) return { ...about, changed: false };
    const { text, addedLines, removedLines } = await state.documents.compare(given, finalUrl, stop);
    const diff = fitText(text, 0, budget - 500, max_length);
    return {
      ...about,
      changed: true,
      added_lines: addedLines,
      removed_lines: removedLines,
      diff,
      ...(diff.length < text.length && { cut: true }),
    };
  },
  text: ({ url, since, changed, added_lines: added = 0, removed_lines: removed = 0, diff }) => {
    const whole = since === undefined ? `${url} and the other page` : `${url} since ${since}`;
    if (!changed) return [`${whole}: no difference.`];
    return [
      `${whole}: ${countOf(added, "line")} added, ${countOf(removed, "line")} removed.`,
      untrusted(diff ?? ""),
    ];
  },
  note: ({ cut }) => [cut && "The diff is cut: raise max_length, or read the pages with fetch."],
});
