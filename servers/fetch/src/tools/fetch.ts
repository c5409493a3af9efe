import { Reply, type TextPart } from "@suite/server-kit";
import { Fault, shownSize, untrusted } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { Document } from "../domain/documents.ts";
import { type Page, toPageUri } from "../domain/page.ts";
import { requireOk } from "../domain/web.ts";
import { defineTool } from "../state.ts";
import {
  type FetchContext,
  type Mode,
  MODES,
  readPage,
  shorten,
  toPiece,
  toShown,
  toUrl,
  Url,
} from "./reading.ts";

const DEFAULT_LENGTH = 5000;
const LARGEST_IMAGE = 1_000_000;
const HEADERS = ["accept", "accept-language", "cache-control"];

const Output = v.object({
  url: v.string(),
  final_url: v.optional(v.string()),
  status: v.number(),
  redirects: v.optional(Count),
  content_type: v.string(),
  charset: v.optional(v.string()),
  title: v.optional(v.string()),
  description: v.optional(v.string()),
  author: v.optional(v.string()),
  published: v.optional(v.string()),
  language: v.optional(v.string()),
  canonical: v.optional(v.string()),
  form: v.optional(v.string()),
  pages: v.optional(Count),
  cache: v.optional(v.picklist(["fetched", "fresh", "revalidated", "copy"])),
  fetched_at: v.string(),
  etag: v.optional(v.string()),
  last_modified: v.optional(v.string()),
  uri: v.optional(v.string()),
  bytes: v.optional(Count),
  start_index: v.optional(Count),
  length: v.optional(Count),
  next_index: v.optional(Count),
  hidden_elements: v.optional(Count),
  not_article: v.optional(v.string()),
  damaged: v.optional(v.boolean()),
  needs_javascript: v.optional(v.boolean()),
  text: v.optional(v.string()),
  embedded: v.optional(v.array(v.object({ source: v.string(), text: v.string() }))),
});

type Result = v.InferInput<typeof Output>;

export const fetch = defineTool({
  name: "fetch",
  title: "Fetch a page",
  description:
    "Reads a URL: HTML as Markdown, also JSON, text, feeds, PDFs, images. Long pages come in pieces: next_index is the start_index that continues. " +
    "mode: auto (main part), article, full, raw, metadata, links, outline (headings).",
  effects: "read",
  touches: "the web, as far as the operator allows",
  openWorld: true,
  deterministic: false,
  formerly: [
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
  input: schema(
    v.strictObject({
      url: Url,
      max_length: v.optional(
        v.pipe(
          v.number(),
          v.integer(),
          v.minValue(1),
          v.maxValue(1_000_000),
          v.description("Characters; default 5000"),
        ),
      ),
      start_index: v.optional(Count),
      mode: v.optional(v.picklist(MODES)),
      section: v.optional(
        v.pipe(
          v.string(),
          v.minLength(1),
          v.description("Only this heading's part (name or number in the outline)"),
        ),
      ),
      raw: v.optional(v.pipe(v.boolean(), v.description("Same as mode raw"))),
      method: v.optional(v.picklist(["GET", "HEAD"])),
      headers: v.optional(v.pipe(v.record(v.string(), v.string()), v.description(HEADERS.join(", ")))),
    }),
  ),
  output: schema(Output),
  untrusted: ["title", "description", "author", "published", "text", "embedded[].text"],
  async run(
    { url, max_length = DEFAULT_LENGTH, start_index = 0, mode, section, raw, method, headers },
    context,
  ) {
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
    const { page, cache, document } = await readPage(url, context, {
      want: isWhole ? "full" : want,
      headers: allowed,
      isContinuing: start_index > 0,
    });
    const facts: Result = { ...toFacts(page, document), cache, ...toForm(document, chosen) };
    if (document.kind === "image" && chosen !== "metadata" && page.body.length <= LARGEST_IMAGE) {
      return toImage(page, document, { ...facts, bytes: page.body.length });
    }
    return {
      ...facts,
      ...toContent(page, document, facts, { chosen, section, start_index, max_length, context }),
    };
  },
  text: (output) => [describe(output), ...renderContent(output)],
  note: (output, { mode }) => toNotes(output, mode).join(" ") || undefined,
});

/** What the fields alone would not make a model do. */
function toNotes(output: Result, mode: Mode | undefined): readonly string[] {
  const {
    next_index,
    length,
    not_article,
    damaged,
    needs_javascript,
    embedded,
    text,
    bytes,
    uri,
    content_type,
  } = output;
  const isUnreadable = text === undefined && bytes !== undefined && uri !== undefined && mode !== "metadata";
  return [
    ...(next_index === undefined
      ? []
      : [
          `Content truncated. Call fetch again with start_index: ${next_index} for more (${length} characters in all).`,
        ]),
    ...(not_article === undefined ? [] : [`This is not the article alone: ${not_article}.`]),
    ...(damaged === true ? ["Bytes that are not valid in this charset are shown as \uFFFD."] : []),
    ...(needs_javascript === true
      ? [
          `This page needs JavaScript, which is not run; ${embedded === undefined ? "it carries no data to show instead" : "what it carries for its scripts is in embedded"}.`,
        ]
      : []),
    ...(isUnreadable
      ? [`${content_type || "This"} cannot be shown here; its bytes are the resource ${uri}.`]
      : []),
  ];
}

/** Some headers make sense for a model to choose; the others are the operator's. */
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

function toFacts(page: Page, document: Document | undefined): Result {
  const { facts = {} } = document ?? {};
  const { id, url, finalUrl, status, redirects, headers, fetchedAt } = page;
  const { etag, "last-modified": modified } = headers;
  const title = shorten(facts.title, 300);
  const description = shorten(facts.description, 500);
  return {
    url: shorten(url, 2000) ?? url,
    ...(finalUrl !== url && { final_url: shorten(finalUrl, 2000) }),
    status,
    ...(redirects.length > 0 && { redirects: redirects.length }),
    content_type: shorten(document?.type ?? headers["content-type"] ?? "", 100) ?? "",
    ...(document?.charset !== undefined && { charset: document.charset }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(facts.author !== undefined && { author: shorten(facts.author, 200) }),
    ...(facts.published !== undefined && { published: shorten(facts.published, 50) }),
    ...(facts.language !== undefined && { language: shorten(facts.language, 35) }),
    ...(facts.canonical !== undefined &&
      facts.canonical !== finalUrl && { canonical: shorten(facts.canonical, 2000) }),
    fetched_at: fetchedAt,
    ...(etag !== undefined && { etag: shorten(etag, 200) }),
    ...(modified !== undefined && { last_modified: shorten(modified, 50) }),
    ...(id !== "" && { uri: toPageUri(id) }),
  };
}

const countBytes = ({ headers }: Page): { bytes?: number } =>
  /^\d+$/.test(headers["content-length"] ?? "") ? { bytes: Number(headers["content-length"]) } : {};

const toForm = (
  { form, because, pages, hidden, isDamaged, embedded }: Document,
  mode: Mode,
): Partial<Result> => ({
  form,
  ...(pages !== undefined && { pages }),
  ...(hidden !== undefined && hidden > 0 && { hidden_elements: hidden }),
  ...(because !== undefined && mode === "article" && { not_article: because }),
  ...(isDamaged === true && { damaged: true }),
  ...(embedded !== undefined && { needs_javascript: true }),
});

interface Wish {
  readonly chosen: Mode;
  readonly section: string | undefined;
  readonly start_index: number;
  readonly max_length: number;
  readonly context: FetchContext;
}

function toContent(page: Page, document: Document, facts: Result, wish: Wish): Partial<Result> {
  const { chosen, section, start_index, max_length, context } = wish;
  const room = Math.max(500, context.budget - shownSize(facts));
  const shown = toShown(document, chosen, section);
  if (shown === undefined) return { bytes: page.body.length };
  const parts = chosen === "auto" || chosen === "full" ? (document.embedded ?? []) : [];
  const embedded = toEmbedded(parts, Math.floor(room / 2));
  const piece = toPiece(shown, start_index, max_length, embedded.length > 0 ? Math.floor(room / 2) : room);
  return { ...piece, ...(embedded.length > 0 && { embedded }) };
}

/** As much of each as there is room for. */
function toEmbedded(
  parts: NonNullable<Document["embedded"]>,
  room: number,
): { source: string; text: string }[] {
  const each = Math.floor(room / Math.max(1, parts.length));
  return parts.map(({ source, text }) => ({
    source: shorten(source, 50) ?? source,
    text: toPiece(text, 0, Math.max(100, Math.floor(each / 2)), each).text,
  }));
}

/** The bytes are in the content, and not once more in the structured result. */
const toImage = ({ body }: Page, { type }: Document, facts: Result): Reply<Result> =>
  new Reply({
    structured: facts,
    content: [
      { type: "text", text: `${describe(facts)}; ${body.length} bytes` },
      { type: "image", data: Buffer.from(body).toString("base64"), mimeType: type },
    ],
  });

function describe({
  url,
  final_url,
  status,
  content_type,
  charset,
  form,
  cache,
  fetched_at,
  start_index,
  text,
  length,
  uri,
}: Result): string {
  const range =
    text === undefined
      ? []
      : [`characters ${start_index} to ${(start_index ?? 0) + text.length} of ${length}`];
  const kind = [
    content_type,
    ...(charset === undefined ? [] : [charset]),
    ...(form === undefined ? [] : [form]),
  ].join(", ");
  return [
    `${final_url ?? url} (${status}, ${kind})${final_url === undefined ? "" : `, redirected from ${url}`}`,
    [
      ...range,
      ...(cache === undefined ? [] : [`${cache} ${fetched_at}`]),
      ...(uri === undefined ? [] : [uri]),
    ].join("; "),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function renderContent(output: Result): readonly TextPart[] {
  const { title, description, author, published, text, start_index, embedded = [] } = output;
  const head =
    (start_index ?? 0) > 0
      ? []
      : [
          ...(title === undefined ? [] : [`Title: ${title}`]),
          ...(description === undefined ? [] : [`Description: ${description}`]),
          ...(author === undefined ? [] : [`Author: ${author}`]),
          ...(published === undefined ? [] : [`Published: ${published}`]),
        ];
  const body = [...head, ...(text === undefined ? [] : [...(head.length > 0 ? [""] : []), text])].join("\n");
  return [
    ...(body === "" ? [] : [untrusted(body)]),
    ...embedded.map((part) => untrusted(part.text, part.source)),
  ];
}
