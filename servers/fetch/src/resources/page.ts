import type { Context, ResourceContents } from "@suite/server-kit";

import { decodeText } from "../domain/charset.ts";
import { kindOf, type WebPage, toPageUri, toUrlUri } from "../domain/page.ts";
import { requireOk } from "../domain/web.ts";
import { defineResourceTemplate } from "../define.ts";
import type { FetchState } from "../state.ts";
import { toPiece } from "../tools/reading.ts";
import { completePage, completeUrl } from "./completion.ts";

const MOST_LISTED = 100;
/** Bytes or characters of a whole page in one answer. */
const MOST_SHOWN = 1_000_000;
const TRUNCATED = { "dev.suite/truncated": true };

/** A page of the cache, as it came. */
export const pageTemplate = defineResourceTemplate({
  uriTemplate: "fetch://page/{id}",
  name: "page",
  title: "Cached page",
  description:
    "A page as it was fetched: HTML, bytes of an image or document. Tools name these URIs in their results.",
  async read({ id }, { state, principal }, uri) {
    const entry = await state.web.cache.get(id, principal);
    return entry === undefined ? undefined : toSource(entry.page, uri);
  },
  async list({ state, principal }) {
    await state.web.cache.open();
    const resources = state.web.cache.list(principal).slice(0, MOST_LISTED);
    return {
      resources: resources.map(({ id, url, finalUrl, type, fetchedAt }) => ({
        uri: toPageUri(id),
        name: url.slice(0, 200),
        description: `Fetched ${fetchedAt}${finalUrl === url ? "" : ` from ${finalUrl.slice(0, 200)}`}`,
        ...(type !== undefined && { mimeType: type.slice(0, 100) }),
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
    // After a change notification, the cached copy may still count as fresh.
    const { page } = await state.web.get(toUrl(uri), { signal: stop, principal, isRefreshing: true });
    requireOk(page);
    const { text, form } = await state.documents.of(page, "auto", stop);
    if (text === undefined) return toSource(page, uri);
    const shown = toPiece(text, 0, MOST_SHOWN, Infinity);
    return {
      uri,
      mimeType: form === "json" ? "application/json" : form === "text" ? "text/plain" : "text/markdown",
      text: shown.text,
      _meta: {
        "dev.suite/untrusted": true,
        "dev.suite/source": toPageUri(page.id),
        ...(shown.next_index !== undefined && TRUNCATED),
      },
    };
  },
  complete: { url: completeUrl },
  subscribe: (uri, changed, state) => state.revisions.watch(state.web.check(toUrl(uri)), changed),
});

/** Not decoded: that could make it another URL. */
const toUrl = (uri: string): string => uri.slice(toUrlUri("").length);

/** Checked before watching starts, so that one refused URL does not affect others in the request. */
export const admitWatcher = (uri: string, { state }: Context<FetchState>): void => {
  if (uri.startsWith(toUrlUri(""))) state.web.check(toUrl(uri));
};

function toSource(page: WebPage, uri: string): ResourceContents {
  const { kind, type } = kindOf(page);
  const meta = { "dev.suite/untrusted": true, "dev.suite/fetchedAt": page.fetchedAt };
  if (kind === "image" || kind === "document" || kind === "binary") {
    const blob = Buffer.from(page.body.subarray(0, MOST_SHOWN)).toString("base64");
    return { uri, mimeType: type, blob, _meta: { ...meta, ...(page.body.length > MOST_SHOWN && TRUNCATED) } };
  }
  const whole = decodeText(page.body, page.headers["content-type"]).text;
  const { text, next_index } = toPiece(whole, 0, MOST_SHOWN, Infinity);
  return { uri, mimeType: type, text, _meta: { ...meta, ...(next_index !== undefined && TRUNCATED) } };
}
