import type { Outbound } from "@suite/server-kit/outbound";
import { afterEach, expect, it, vi } from "vitest";

import { PageCache } from "../src/domain/cache.ts";
import { Web } from "../src/domain/web.ts";
import { countBytes } from "../src/tools/fetch-result.ts";

const url = "https://example.com/";
const options = { signal: new AbortController().signal, principal: undefined };

/** Of a page that is new each time it is asked for. */
function openWeb(headers: Readonly<Record<string, string>>): Web {
  let asked = 0;
  const outbound = {
    check: (given: string) => new URL(given),
    fetch: () =>
      Promise.resolve({
        url,
        status: 200,
        headers: new Map(Object.entries(headers)),
        redirects: [],
        bytes: () => Promise.resolve(Buffer.from(`${(asked += 1)}`)),
        discard: () => undefined,
      }),
  } as unknown as Outbound;
  const cache = new PageCache({ maxBytes: 1000, changed: () => undefined, report: () => undefined });
  const name = { userAgent: "", personUserAgent: "" };
  return new Web({ outbound, cache, maxBytes: 1000, ...name, ignoreRobots: true });
}

const read = async (web: Web, more = {}): Promise<string> =>
  Buffer.from((await web.get(url, { ...options, ...more })).page.body).toString();

afterEach(() => {
  vi.useRealTimers();
});

it("a page that does not say how long it is fresh is asked for again, however old it is", async () => {
  const web = openWeb({ "last-modified": "Mon, 01 Jan 2018 10:00:00 GMT" });
  expect([await read(web), await read(web)]).toEqual(["1", "2"]);
});

it("what was fetched past the caches is the copy from then on", async () => {
  const web = openWeb({ "cache-control": "max-age=600" });
  const reads = [await read(web), await read(web, { headers: { "cache-control": "no-cache" } })];
  expect([...reads, await read(web)]).toEqual(["1", "2", "2"]);
});

it("a copy is taken for the page as long as it is no older than was said", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const web = openWeb({ "cache-control": "max-age=0" });
  const reads = [await read(web), await read(web, { maxAgeMs: 1000 })];
  vi.setSystemTime(Date.now() + 1000);
  expect([...reads, await read(web, { maxAgeMs: 1000 })]).toEqual(["1", "1", "2"]);
});

it.each([
  [{}, { bytes: 12 }],
  [{ "content-encoding": "gzip" }, {}],
])("the bytes of a page are told by its head, unless they are packed: %j", async (more, told) => {
  const web = openWeb({ "content-length": "12", ...more });
  expect(countBytes(await web.head(url, options))).toEqual(told);
  expect((await web.get(url, options)).page.headers).toEqual({});
});
