import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { createServer, defaultContract } from "@suite/server-kit";
import { Fault } from "@suite/server-kit/domain";
import { createOutbound, type Outbound } from "@suite/server-kit/outbound";
import { connectInMemory } from "@suite/server-kit/testing";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { HeldBytes } from "../src/domain/held-bytes.ts";
import { type CachedPage, PageCache } from "../src/domain/cache.ts";
import { Documents, type DocumentsOptions } from "../src/domain/documents.ts";
import { Revisions } from "../src/domain/revisions.ts";
import { Web } from "../src/domain/web.ts";
import { countBytes } from "../src/tools/fetch-result.ts";
import { tools } from "../src/tools/index.ts";

const url = "https://example.com/";
const options = { signal: new AbortController().signal, principal: undefined };

/** Of a page that is new each time it is asked for. `again` is called from the second time on. */
function openWeb(headers: Readonly<Record<string, string>>, again = (): void => {}): Web {
  let asked = 0;
  const outbound = {
    check: (given: string) => new URL(given),
    fetch: async () => {
      if (asked > 0) again();
      return {
        url,
        status: 200,
        headers: new Map(Object.entries(headers)),
        redirects: [],
        stream: [Buffer.from(`${(asked += 1)}`)],
        discard: () => undefined,
      };
    },
  } as unknown as Outbound;
  return toWeb(outbound);
}

function toWeb(outbound: Outbound, oneOfManyMs = Infinity): Web {
  const cache = new PageCache({ maxBytes: 10_000, changed: () => undefined, report: () => undefined });
  const name = { userAgent: "", personUserAgent: "" };
  const held = new HeldBytes(10_000);
  return new Web({ outbound, cache, held, maxBytes: 1000, oneOfManyMs, ...name, ignoreRobots: true });
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

it("a page that is not to be asked for again is so with a copy, too", async () => {
  const web = openWeb({ "cache-control": "max-age=0" }, () => {
    throw new Fault("unavailable", "It redirects too often", { retryable: false });
  });
  await read(web);
  await expect(read(web)).rejects.toMatchObject({
    retryable: false,
    hint: expect.stringContaining("A copy of") as unknown,
  });
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

describe.each([
  ["after its part of the time", 1, 5000, "did not finish within 1 ms"],
  ["at the deadline of the call", Infinity, 100, "not done within 0.1 seconds"],
])("of several URLs, one that never answers fails alone, %s", (_, oneOfManyMs, timeoutMs, reason) => {
  it.each(["fetch_many", "check_links"])("in %s", async (name) => {
    const site = createHttpServer(({ url: path }, response) => {
      const headers = { "content-type": "text/html", "cache-control": "max-age=600" };
      if (path === "/quick") response.writeHead(200, headers).end("<p>");
    });
    await once(site.listen(0, "127.0.0.1"), "listening");
    const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
    const [slow, quick] = [`http://${host}/slow`, `http://${host}/quick`];
    const limits = { maxBytes: 1000, timeoutMs: 60_000 };
    const outbound = createOutbound({ userAgent: "", ...limits, allowPrivateHosts: [host] });
    const web = toWeb(outbound, oneOfManyMs);
    await web.get(quick, options);
    const links = [{ url: slow, text: "" }];
    const run = (): Promise<object> =>
      Promise.resolve({ markdown: "Quick", used: "full", facts: {}, links, hidden: 0 });
    const documents = new Documents({
      parsers: { run, warm: () => undefined },
      maxBytes: 1,
    } as unknown as DocumentsOptions);
    const state = { web, documents, revisions: new Revisions(web, 1, 1) };
    const server = createServer({ name: "test", version: "1", state, tools }, defaultContract);
    const client = await connectInMemory(server);
    onTestFinished(async () => {
      site.close().closeAllConnections();
      await Promise.all([client.close(), server.dispose(), outbound.close()]);
    });
    const args = name === "fetch_many" ? { urls: [slow, quick] } : { url: quick };
    const { structuredContent } = await client.callTool(name, args, {
      meta: { "dev.suite/timeoutMs": timeoutMs },
    });
    const failure = expect.stringContaining(reason) as unknown;
    expect(structuredContent).toMatchObject(
      name === "fetch_many"
        ? { failed: 1, pages: [{ error: { code: "timeout", message: failure } }, { text: "Quick" }] }
        : { checked: 1, links: [{ outcome: "unknown", reason: failure }] },
    );
  });
});

it("a page is never served for another URL, even if their ids were the same", async () => {
  const web = openWeb({ "cache-control": "max-age=600" });
  await read(web);
  const kept = await web.cache.get(web.cache.list(undefined)[0]?.id ?? "", undefined);
  const { page, policy, isPassing } = kept as CachedPage;
  await web.cache.put({ page: { ...page, url: `${url}other` }, policy, isPassing });
  for (const more of [{ isContinuing: true }, { maxAgeMs: 60_000 }, {}]) {
    expect((await web.get(url, { ...options, ...more })).cache).toBe("fetched");
    await web.cache.put({ page: { ...page, url: `${url}other` }, policy, isPassing });
  }
});
