import type { ResourceContents } from "@suite/server-kit";

import { decodeText } from "../domain/charset.ts";
import { kindOf, type WebPage, toPageUri, toUrlUri } from "../domain/page.ts";
import { requireOk } from "../domain/web.ts";
import { defineResourceTemplate } from "../state.ts";
import { completePage, completeUrl } from "./completion.ts";

const MOST_LISTED = 100;
/** Of a whole page in one answer. */
const MOST_BYTES = 1_000_000;

/** A page of the cache, as it came. */
export const pageTemplate = defineResourceTemplate({
  uriTemplate: "fetch://page/{id}",
  name: "page",
  title: "Cached page",
  description:
    "A page as it was fetched: HTML, bytes of an image or PDF. Tools name these URIs in their results.",
  async read({ id }, { state, principal }, uri) {
    const entry = await state.web.cache.get(id, principal);
    return entry === undefined ? undefined : toSource(entry.page, uri);
  },
  async list({ state, principal }) {
    await state.web.cache.open();
    const resources = state.web.cache.list(principal).slice(0, MOST_LISTED);
    return {
      resources: resources.map(({ id, url, finalUrl, headers, fetchedAt }) => ({
        uri: toPageUri(id),
        name: url.slice(0, 200),
        description: `Fetched ${fetchedAt}${finalUrl === url ? "" : ` from ${finalUrl.slice(0, 200)}`}`,
        ...(headers["content-type"] !== undefined && { mimeType: headers["content-type"].slice(0, 100) }),
      })),
    };
  },
  complete: { id: completePage },
});

/** Any URL, as text for a model. */
export const urlTemplate = defineResourceTemplate({
  uriTemplate: "fetch://url/{+url}",
  name: "url",
  title: "Web page",
  description:
    "Any URL, fetched now and converted to Markdown. Can be subscribed to: the page is looked at again from time to time.",
  mimeType: "text/markdown",
  async read(_, { state, stop, principal }, uri) {
    const { page } = await state.web.get(toUrl(uri), { signal: stop, principal });
    requireOk(page);
    const { text, form } = await state.documents.of(page, "auto", stop);
    if (text === undefined) return toSource(page, uri);
    const isCut = text.length > MOST_BYTES;
    return {
      uri,
      mimeType: form === "json" ? "application/json" : form === "text" ? "text/plain" : "text/markdown",
      text: isCut ? text.slice(0, MOST_BYTES) : text,
      _meta: {
        "dev.suite/untrusted": true,
        "dev.suite/source": toPageUri(page.id),
        ...(isCut && { "dev.suite/truncated": true }),
      },
    };
  },
  complete: { url: completeUrl },
  subscribe: (uri, changed, state) => state.revisions.watch(toUrl(uri), changed),
});

/** As it was given: to decode what is escaped in it would make another URL of it. */
const toUrl = (uri: string): string => uri.slice(toUrlUri("").length);

function toSource(page: WebPage, uri: string): ResourceContents {
  const { kind, type } = kindOf(page);
  const isCut = page.body.length > MOST_BYTES;
  const body = isCut ? page.body.subarray(0, MOST_BYTES) : page.body;
  const _meta = {
    "dev.suite/untrusted": true,
    "dev.suite/fetchedAt": page.fetchedAt,
    ...(isCut && { "dev.suite/truncated": true }),
  };
  if (kind === "image" || kind === "pdf" || kind === "binary") {
    return { uri, mimeType: type, blob: Buffer.from(body).toString("base64"), _meta };
  }
  return { uri, mimeType: type, text: decodeText(body, page.headers["content-type"]).text, _meta };
}
