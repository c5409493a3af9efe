import { Fault } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { requireOk } from "../domain/web.ts";
import { defineTool } from "../define.ts";
import { countBytes, FetchOutput, type FetchResult, toContent, toFacts, toForm } from "./fetch-result.ts";
import { describe, renderContent, toImage, toNotes } from "./fetch-text.ts";
import { anchorOf, Length, MODES, readPage, READS_THE_WEB, toUrl, Url } from "./reading.ts";

const DEFAULT_LENGTH = 5000;
const LARGEST_IMAGE = 1_000_000;
const HEADERS = ["accept", "accept-language", "cache-control"];

export const fetch = defineTool({
  name: "fetch",
  version: 7,
  title: "Fetch a page",
  description:
    "Reads a URL: HTML as Markdown, also JSON, text, feeds, images, documents (PDF, DOCX, XLSX and the like, if @suite/documents is installed). Long pages are split: pass next_index as start_index to continue. " +
    "mode: auto (main part), article, full, raw, metadata, links, outline (headings).",
  ...READS_THE_WEB,
  view: "page",
  alsoKnownAs: [
    "fetch_url",
    "web_fetch",
    "fetch_page",
    "get_url",
    "fetch_html",
    "fetch_markdown",
    "fetch_txt",
    "fetch_json",
    "read_url",
  ],
  aliases: {
    url: ["uri", "link"],
    max_length: ["maxLength", "max_chars"],
    start_index: ["startIndex", "offset"],
  },
  argumentHints: {
    urls: "fetch_many takes several.",
    changed_since: "compare_pages says what changed since the copy in the cache.",
  },
  input: schema(
    v.strictObject({
      url: Url,
      max_length: v.optional(v.pipe(Length, v.description("Characters; default 5000"))),
      start_index: v.optional(Count),
      mode: v.optional(v.picklist(MODES)),
      section: v.optional(
        v.pipe(
          v.union([v.pipe(v.string(), v.minLength(1)), Count]),
          v.description("Only this heading's part (name or number in the outline)"),
        ),
      ),
      raw: v.optional(v.pipe(v.boolean(), v.description("Same as mode raw"))),
      method: v.optional(v.picklist(["GET", "HEAD"])),
      headers: v.optional(v.pipe(v.record(v.string(), v.string()), v.description(HEADERS.join(", ")))),
    }),
  ),
  output: schema(FetchOutput),
  untrusted: [
    "title",
    "description",
    "author",
    "published",
    "canonical",
    "refresh",
    "etag",
    "text",
    "embedded[].text",
  ],
  async run({ url, max_length = DEFAULT_LENGTH, start_index, mode, section, raw, method, headers }, context) {
    const allowed = checkHeaders(headers);
    const chosen = mode ?? (raw === true ? "raw" : "auto");
    if (method === "HEAD") {
      const { state, stop } = context;
      const page = await state.web.head(toUrl(url), { signal: stop, headers: allowed });
      requireOk(page);
      return { ...toFacts(page, undefined), ...countBytes(page) };
    }
    const want = chosen === "article" || chosen === "full" || chosen === "raw" ? chosen : "auto";
    const isWhole = chosen === "links" || chosen === "metadata";
    const anchor = anchorOf({ url, mode, raw });
    const { page, cache, document } = await readPage(url, context, {
      want: isWhole ? "full" : want,
      headers: allowed,
      isContinuing: (start_index ?? 0) > 0,
      anchor,
    });
    const facts: FetchResult = { ...toFacts(page, document), cache, ...toForm(document, chosen) };
    if (document.kind === "image" && chosen !== "metadata" && page.body.length <= LARGEST_IMAGE) {
      return toImage(page, document, { ...facts, bytes: page.body.length });
    }
    return {
      ...facts,
      ...toContent(page, document, facts, {
        anchor,
        chosen,
        section: typeof section === "number" ? `#${section}` : section,
        start_index,
        max_length,
        context,
      }),
    };
  },
  text: (output) => [describe(output), ...renderContent(output)],
  note: toNotes,
});

/** Models may set only some headers; the others are reserved for the operator. */
function checkHeaders(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (!HEADERS.includes(key)) {
      throw new Fault(
        "invalid_input",
        `The header ${JSON.stringify(name.slice(0, 50))} cannot be chosen by a call`,
        {
          hint: `Only ${HEADERS.join(", ")} can. The operator can configure headers for a host.`,
        },
      );
    }
    headers[key] = value;
  }
  return headers;
}
