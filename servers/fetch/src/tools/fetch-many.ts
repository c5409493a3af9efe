import type { TextPart } from "@suite/server-kit";
import { countOf, Fault, truncate, untrusted } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { mapBounded } from "../domain/links.ts";
import { toPageUri } from "../domain/page.ts";
import { defineTool } from "../define.ts";
import { toFacts, toForm } from "./fetch-result.ts";
import { toNotes } from "./fetch-text.ts";
import { Length, readPage, READS_THE_WEB, requireText, truncateIfGiven, toPiece, Url } from "./reading.ts";

const DEFAULT_LENGTH = 2000;
/** Characters reserved for each page besides its text. */
const RESERVE = 700;

const Fetched = v.object({
  url: v.string(),
  title: v.optional(v.string()),
  uri: v.optional(v.string()),
  length: v.optional(Count),
  next_index: v.optional(Count),
  note: v.optional(v.string()),
  text: v.optional(v.string()),
  error: v.optional(v.object({ code: v.string(), message: v.string() })),
});

export const fetchMany = defineTool({
  name: "fetch_many",
  version: 2,
  title: "Fetch several pages",
  description:
    "Reads up to 20 URLs at once: the beginning of each as Markdown. Failures do not stop the others.",
  ...READS_THE_WEB,
  input: schema(
    v.strictObject({
      urls: v.pipe(v.array(Url), v.minLength(1), v.maxLength(20)),
      max_length: v.optional(v.pipe(Length, v.description("Of each; default 2000"))),
    }),
  ),
  output: schema(v.object({ pages: v.array(Fetched), failed: Count })),
  untrusted: ["pages[].title", "pages[].text"],
  async run({ urls, max_length = DEFAULT_LENGTH }, context) {
    const room = Math.floor(context.budget / urls.length) - RESERVE;
    let done = 0;
    const pages = await mapBounded(urls, async (url): Promise<v.InferInput<typeof Fetched>> => {
      try {
        const { page, document } = await readPage(url, context, { isOneOfMany: true });
        const whole = requireText({ page, document });
        const facts = { ...toFacts(page, document), ...toForm(document, "auto") };
        const note = toNotes({ ...facts, text: whole, length: whole.length }, { url: page.url }).join(" ");
        const { text, length, next_index } = toPiece(whole, 0, max_length, Math.max(200, room - note.length));
        return {
          url: truncate(page.finalUrl, 300),
          title: truncateIfGiven(document.facts.title, 150),
          uri: toPageUri(page.id),
          length,
          note: note || undefined,
          text,
          next_index,
        };
      } catch (thrown) {
        if (!(thrown instanceof Fault)) throw thrown;
        const { code, message, hint } = thrown;
        const advice = hint === undefined ? message : `${message.replace(/\.$/, "")}. ${hint}`;
        return { url: truncate(url, 300), error: { code, message: truncate(advice, 300) } };
      } finally {
        done += 1;
        context.progress(done, urls.length);
      }
    });
    return { pages, failed: pages.filter(({ error }) => error !== undefined).length };
  },
  text: ({ pages }) =>
    pages.flatMap(({ url, title, note, text, length, next_index, error }): TextPart[] =>
      error === undefined
        ? [
            `${url} (${countOf(length ?? 0, "character")}${next_index === undefined ? "" : `, next_index ${next_index}`})`,
            ...(note === undefined ? [] : [note]),
            untrusted([title ?? "", text ?? ""].filter((part) => part !== "").join("\n\n")),
          ]
        : [`${url} failed (${error.code}): ${error.message}`],
    ),
  note: ({ pages, failed }) => [
    failed > 0 && `${failed} of ${pages.length} could not be fetched.`,
    pages.some(({ next_index }) => next_index !== undefined) &&
      "For more of a page call fetch with its url and next_index as start_index.",
  ],
});
