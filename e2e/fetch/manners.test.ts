import { readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { ANYWHERE_HERE, callFetch, openFetch, reaching, runFetch, sharedFetch } from "./program.ts";
import { type Handler, openWeb, type PageReply } from "./web.ts";

const ROBOTS: readonly (readonly [about: string, robots: PageReply, isAllowed: boolean])[] = [
  ["is not there", { status: 404 }, true],
  ["may not be seen", { status: 403 }, true],
  ["cannot be had", { status: 500 }, false],
  ["says nothing", { body: "" }, true],
  ["forbids everybody", { body: "User-agent: *\nDisallow: /" }, false],
  ["forbids us", { body: "User-agent: SuiteFetch\nDisallow: /page" }, false],
  ["forbids what it escapes", { body: "User-agent: *\nDisallow: /p%61ge" }, false],
  ["forbids others", { body: "User-agent: OtherBot\nDisallow: /" }, true],
  [
    "forbids others but not us",
    { body: "User-agent: *\nDisallow: /\n\nUser-agent: suitefetch\nAllow: /" },
    true,
  ],
  ["allows the longer path", { body: "User-agent: *\nDisallow: /\nAllow: /page$" }, true],
  ["is somewhere else", { status: 302, headers: { location: "/elsewhere.txt" } }, false],
  ["is nonsense", { body: "<html>\u0000".repeat(100) }, true],
  ["is longer than a page may be", { body: `# ${"x".repeat(5000)}\nUser-agent: *\nDisallow: /x` }, true],
  [
    "forbids us behind more than a page may have",
    { body: `# ${"x".repeat(5000)}\nUser-agent: *\nDisallow: /` },
    false,
  ],
  ["is endless", { body: `User-agent: *\nDisallow: /\n${"# x\n".repeat(1_000_000)}` }, false],
];

describe("robots.txt", () => {
  it("of every kind is asked for once, and kept to", async () => {
    const wire = await openFetch([...ANYWHERE_HERE, "--max-bytes", "1000"]);
    for (const [about, robots, isAllowed] of ROBOTS) {
      const web = await openWeb({
        "/page": { body: "content" },
        "/elsewhere.txt": { type: "text/plain", body: "User-agent: *\nDisallow: /" },
        "/robots.txt": { type: "text/plain", ...robots },
      });
      const { isError } = await callFetch(wire, "fetch", { url: `${web.origin}/page` });
      await callFetch(wire, "fetch", { url: `${web.origin}/page` });
      const seen = [isError, web.count("/page") > 0, web.count("/robots.txt")];
      expect.soft(seen, about).toEqual([!isAllowed, isAllowed, 1]);
    }
  });

  it("is not blamed where the host cannot be reached, nor a link where it cannot be had", async () => {
    const web = await openWeb({ "/page": { body: "content" } });
    const wire = await sharedFetch();
    for (const [url, reason] of [
      [`${web.host}/page`, /No trusted connection to [^]*begin the URL with http:/],
      ["http://127.0.0.1:1/page", /127\.0\.0\.1:1/],
    ] as const) {
      const { error, text } = await callFetch(wire, "fetch", { url });
      expect.soft(error.code, url).toBe("unavailable");
      expect.soft(text).toMatch(reason);
      expect.soft(text).not.toContain("robots.txt");
    }
    const troubled = await openWeb({ "/robots.txt": { status: 500 } });
    web.pages.set("/out", { body: `<a href="${troubled.origin}/">Out</a>` });
    const { structured } = await callFetch(wire, "check_links", { url: `${web.origin}/out` });
    expect(structured).toMatchObject({ checked: 1, broken: 0, links: [{ outcome: "unknown" }] });
  });

  it("is asked for once by twenty who come at the same time", async () => {
    const web = await openWeb({ "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow: /b" } });
    for (const name of ["/a", "/b"]) web.pages.set(name, { body: name });
    const wire = await sharedFetch();
    const urls = Array.from(
      { length: 20 },
      (_, index) => `${web.origin}/${index % 2 === 0 ? "a" : "b"}?${index}`,
    );
    const { structured } = await callFetch(wire, "fetch_many", { urls });
    expect([structured["failed"], web.count("/robots.txt")]).toEqual([10, 1]);
  });

  it("is for robots: not for people, and not for who was told to ignore it", async () => {
    const web = await openWeb({
      "/page": { body: "content" },
      "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow: /" },
      "/go": { status: 302, headers: { location: "/page" } },
    });
    const wire = await sharedFetch();
    const { error } = await callFetch(wire, "fetch", { url: `${web.origin}/page` });
    expect([error.code, error.hint]).toEqual([
      "permission_denied",
      expect.stringContaining("prompt named fetch"),
    ]);
    const prompt = await wire.request("prompts/get", {
      name: "fetch",
      arguments: { url: `${web.origin}/page` },
    });
    expect(JSON.stringify(prompt.result)).toContain("content");
    expect(web.asked.at(-1)?.headers["user-agent"]).toMatch(/^SuiteFetch\/[\d.]+ \(user-initiated/);
    const free = await openFetch([...reaching(web), "--ignore-robots-txt", "--user-agent", "MyBot/2"]);
    expect((await callFetch(free, "fetch", { url: `${web.origin}/go` })).isError).toBe(false);
    expect(web.asked.at(-1)?.headers["user-agent"]).toBe("MyBot/2");
  });
});

const CACHED: readonly (readonly [
  about: string,
  headers: Record<string, string>,
  knows304: boolean,
  state: string,
  asked: number,
])[] = [
  ["fresh for a minute", { "cache-control": "max-age=60" }, false, "fresh", 1],
  ["not to be stored", { "cache-control": "no-store" }, false, "fetched", 2],
  ["to be asked about", { "cache-control": "no-cache", etag: '"a"' }, true, "revalidated", 2],
  [
    "stale, with a date",
    { "cache-control": "max-age=0", "last-modified": "Mon, 02 Nov 2026 10:00:00 GMT" },
    true,
    "revalidated",
    2,
  ],
  ["changed after all", { "cache-control": "max-age=0", etag: '"a"' }, false, "fetched", 2],
  ["different for everybody", { "cache-control": "max-age=60", vary: "*" }, false, "fetched", 2],
  ["private", { "cache-control": "private, max-age=60" }, false, "fresh", 1],
];

describe("the cache", () => {
  it("does with every page what its headers say", async () => {
    const wire = await sharedFetch();
    for (const [about, headers, knows304, state, asked] of CACHED) {
      const web = await openWeb({
        "/page": (request, response) => {
          const { "if-none-match": etag, "if-modified-since": date } = request.headers;
          const isKnown = knows304 && (etag ?? date) !== undefined;
          response.writeHead(isKnown ? 304 : 200, { "content-type": "text/plain", ...headers });
          response.end(isKnown ? undefined : "content");
        },
      });
      await callFetch(wire, "fetch", { url: `${web.origin}/page` });
      const { structured } = await callFetch(wire, "fetch", { url: `${web.origin}/page#part` });
      expect
        .soft([structured["text"], structured["cache"], web.count("/page")], about)
        .toEqual(["content", state, asked]);
    }
  });

  it("does not take the word of another page that a redirect leads to now", async () => {
    const dated =
      (body: string, modified: string): Handler =>
      (request, response) => {
        const isOlder = Date.parse(modified) <= Date.parse(request.headers["if-modified-since"] ?? "");
        response.writeHead(isOlder ? 304 : 200, { "content-type": "text/plain", "last-modified": modified });
        response.end(isOlder ? undefined : body);
      };
    const web = await openWeb({
      "/1": dated("release 1", "Thu, 01 Jan 2026 10:00:00 GMT"),
      "/2": dated("release 2", "Sun, 01 Feb 2026 10:00:00 GMT"),
    });
    const wire = await sharedFetch();
    for (const [latest, cache] of [
      ["2", "fetched"],
      ["2", "revalidated"],
      ["1", "fetched"],
    ] as const) {
      web.pages.set("/latest", { status: 302, headers: { location: `/${latest}` } });
      const { structured } = await callFetch(wire, "fetch", { url: `${web.origin}/latest` });
      const expected = { text: `release ${latest}`, final_url: `${web.origin}/${latest}`, cache };
      expect.soft(structured).toMatchObject(expected);
    }
  });

  it("outlives the process in a directory, but for a file that was cut short; keeps to its size, can be cleared, and needs no disk", async () => {
    const folder = createPlace();
    const pages = join(folder, "pages");
    const web = await openWeb({
      "/page": { headers: { "cache-control": "max-age=600" }, body: "<p>kept</p>" },
      "/short": { type: "text/plain", headers: { "cache-control": "max-age=600" }, body: "all of it" },
      "/large": {
        type: "text/plain",
        headers: { "cache-control": "max-age=600" },
        body: "x".repeat(700_000),
      },
      "/robots.txt": { status: 404 },
    });
    const args = [...reaching(web), "--cache-dir", pages, "--cache-size", "1"];
    const first = await openFetch(args);
    await callFetch(first, "fetch", { url: `${web.origin}/short` });
    const files = readdirSync(pages).map((name) => join(pages, name));
    expect(files).toHaveLength(1);
    await callFetch(first, "fetch", { url: `${web.origin}/page` });
    await first.end();
    for (const file of files) truncateSync(file, statSync(file).size - 4);
    const second = await openFetch(args);
    expect((await callFetch(second, "fetch", { url: `${web.origin}/short` })).structured).toMatchObject({
      cache: "fetched",
      text: "all of it",
    });
    expect((await callFetch(second, "fetch", { url: `${web.origin}/page` })).structured).toMatchObject({
      cache: "fresh",
      text: "kept",
    });
    expect(web.count("/page")).toBe(1);
    await callFetch(second, "fetch", { url: `${web.origin}/large?1`, max_length: 10 });
    await callFetch(second, "fetch", { url: `${web.origin}/large?2`, max_length: 10 });
    const { structured } = await callFetch(second, "clear_cache", {});
    expect(structured).toMatchObject({ pages: 1, bytes_left: 0 });
    rmSync(folder, { recursive: true });
    expect((await callFetch(second, "fetch", { url: `${web.origin}/page` })).structured["cache"]).toBe(
      "fetched",
    );
    expect((await callFetch(second, "fetch", { url: `${web.origin}/page` })).structured["cache"]).toBe(
      "fresh",
    );
    expect(second.stderr).toContain("The cache directory fails: ENOENT");
  });
});

it("a host that asks for patience is left alone, and the model is told for how long", async () => {
  const web = await openWeb({ "/robots.txt": {}, "/": { status: 429, headers: { "retry-after": "30" } } });
  const wire = await sharedFetch();
  const { error, text } = await callFetch(wire, "fetch", { url: web.origin });
  expect(error).toMatchObject({ code: "rate_limited", retryable: true, retryAfterMs: 30_000 });
  expect(text).toContain(`${web.origin}/ answered with status 429`);
  const other = await callFetch(wire, "fetch", { url: `${web.origin}/other` });
  expect(other.error.code).toBe("rate_limited");
  expect(other.text).toContain(`${web.host} asked for a pause, so nothing is sent to it`);
  expect(web.asked.map(({ url }) => url)).toEqual(["/robots.txt", "/"]);
});

it("a host gets no more at a time, and no sooner, than the operator wants", async () => {
  const began: number[] = [];
  let [open, most] = [0, 0];
  const web = await openWeb({
    "/page": (_, response) => {
      began.push(performance.now());
      most = Math.max(most, (open += 1));
      setTimeout(() => {
        open -= 1;
        response.writeHead(200, { "content-type": "text/plain" }).end("content");
      }, 30);
    },
  });
  const urls = Array.from({ length: 8 }, (_, index) => `${web.origin}/page?${index}`);
  const few = await openFetch([...reaching(web), "--ignore-robots-txt", "--per-host", "2"]);
  expect((await callFetch(few, "fetch_many", { urls })).isError).toBe(false);
  expect([began.length, most]).toEqual([8, 2]);
  began.length = 0;
  const slow = await openFetch([...reaching(web), "--ignore-robots-txt", "--min-interval", "1s"]);
  // From before the first, so that it does not matter how late a busy machine notes it.
  const start = performance.now();
  await callFetch(slow, "fetch_many", { urls: urls.slice(0, 2) });
  expect(began).toHaveLength(2);
  expect((began[1] ?? 0) - start).toBeGreaterThanOrEqual(990);
});

it("secrets go to their host only, and are never seen; requests leave a line each", async () => {
  const other = await openWeb({ "/": { body: "other" } });
  const web = await openWeb({
    "/": { body: "own" },
    "/away": { status: 302, headers: { location: `${other.origin}/` } },
  });
  const audit = join(createPlace(), "audit.jsonl");
  const secret = "Bearer planted-secret";
  const env = { SUITE_FETCH_HOST_HEADERS: JSON.stringify({ [web.host]: { Authorization: secret } }) };
  const wire = await openFetch([...reaching(web, other), "--audit-log", audit], { env });
  for (const path of ["/?token=in-query", "/away"])
    await callFetch(wire, "fetch", { url: web.origin + path });
  expect(
    web.asked.filter(({ url }) => url !== "/robots.txt").map(({ headers }) => headers.authorization),
  ).toEqual([secret, secret]);
  expect(other.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  await wire.end();
  const log = readFileSync(audit, "utf8");
  expect(`${wire.transcript}${log}`).not.toContain("planted-secret");
  expect(log).not.toContain("in-query");
  const lines = log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { method: string; name: string });
  expect(lines.filter(({ method }) => method === "outbound").map(({ name }) => name)).toEqual(
    expect.arrayContaining([`GET ${web.origin}/`, `GET ${web.origin}/robots.txt`, `GET ${web.origin}/away`]),
  );
});

it("wrong settings end the program with a reason, and the doctor says how it goes out", async () => {
  for (const [args, env, text] of [
    [["--allow-hosts", "http://x/"], {}, /hosts such as/],
    [["--proxy-url", "nonsense"], {}, /a URL such as/],
    [[], { SUITE_FETCH_HOST_HEADERS: "planted" }, /SUITE_FETCH_HOST_HEADERS is not JSON/],
  ] as const) {
    const { code, stderr } = await runFetch(args, env);
    expect.soft([code === 64 || code === 78, stderr], stderr).toEqual([true, expect.stringMatching(text)]);
    expect.soft(stderr).not.toContain("planted");
  }
  const { code, stdout } = await runFetch(["--doctor", "--json"], { HTTPS_PROXY: "http://127.0.0.1:1" });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/through a proxy[^]*resolves names/)]);
});
