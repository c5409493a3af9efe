import type { Fields } from "@suite/check/wires";
import { countTokens } from "gpt-tokenizer";
import { beforeAll, describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { type CallOutcome, callFetch, sharedFetch } from "./program.ts";
import { openWeb, toPdf, type Web } from "./web.ts";

const chapter = (name: string, words: number): string =>
  `<h2>${name}</h2><p>${`${name} explained. `.repeat(words)}</p>`;

let web: Web;
beforeAll(async () => {
  const manual = (edition: string): string =>
    `<title>Manual</title><main><h1>Manual</h1>${chapter("Install", 200)}${chapter("Configure", 800)}<h2>Prices</h2><table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>${edition}</td></tr></table>${chapter("Remove", 400)}<p><a href="/v2">next</a> <a href="/lost">lost</a> <a href="/lost#twice">again</a></p></main>`;
  let reads = 0;
  const page = (number: number): string =>
    number === 217 ? chapter("timeout-ms", 0) + "<p>Default: 3000.</p>" : chapter("Other", 50);
  web = await openWeb({
    "/today": (_request, response) => {
      reads += 1;
      response.setHeader("content-type", "text/html");
      response.end(`<main><p>Good morning.</p><p>Day ${reads}.</p></main>`);
    },
    "/sitemap.xml": (_request, response) => {
      response.setHeader("content-type", "application/xml");
      const urls = Array.from({ length: 300 }, (_, at) => `<url><loc>${web.origin}/manual/${at}</loc></url>`);
      response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`);
    },
    ...Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`/manual/${at}`, { body: `<main>${page(at)}</main>` }]),
    ),
    "/v1": { body: manual("4.50") },
    "/v2": { body: manual("5.20") },
    "/news": {
      type: "application/rss+xml",
      body: `<rss version="2.0"><channel><title>News</title>${Array.from({ length: 200 }, (_, day) => `<item><title>Day ${day}</title><link>https://n.example/${day}</link><pubDate>${new Date(Date.UTC(2026, 0, 1 + day)).toUTCString()}</pubDate></item>`).join("")}</channel></rss>`,
    },
    "/book.pdf": {
      type: "application/pdf",
      body: toPdf(["Preface", "Chapter one: the start", "Chapter two: the end"]),
    },
    "/closed/page": { body: "Closed." },
    "/robots.txt": { type: "text/plain", body: "User-agent: *\nDisallow: /closed/" },
    "/shop": {
      body: `<title>Shop</title><div id=app></div><script id=__NEXT_DATA__ type=application/json>{"price":42}</script><script src=x.js></script>`,
    },
  });
});

/** What a model does, who sees only what lists, results and errors say; and what that costs. */
class Session {
  calls = 0;
  textTokens = 0;
  structuredTokens = 0;
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async call(name: string, args: Fields): Promise<CallOutcome> {
    const called = await callFetch(this.#wire, name, args);
    this.calls += 1;
    this.textTokens += countTokens(called.text);
    this.structuredTokens += countTokens(called.isError ? called.text : JSON.stringify(called.structured));
    return called;
  }
}

interface Task {
  readonly about: string;
  readonly calls: number;
  /** Of each view. */
  readonly tokens: number;
  readonly work: (session: Session, origin: string) => Promise<void>;
}

const TASKS: readonly Task[] = [
  {
    about: "read one section of a long page",
    calls: 2,
    tokens: 1900,
    async work(session, origin) {
      const { text } = await session.call("fetch", { url: `${origin}/v1`, mode: "outline" });
      expect(text).toMatch(/2\. Install \([\d,]+ characters\)/);
      const { structured } = await session.call("fetch", { url: `${origin}/v1`, section: "2" });
      expect(structured["text"]).toMatch(/^## Install/);
      expect(structured["text"]).not.toContain("Configure");
    },
  },
  {
    about: "compare two versions of a page",
    calls: 1,
    tokens: 200,
    async work(session, origin) {
      const { structured } = await session.call("compare_pages", {
        url: `${origin}/v1`,
        other: `${origin}/v2`,
      });
      expect(structured["diff"]).toContain("-| Tea | 4.50 |\n+| Tea | 5.20 |");
    },
  },
  {
    about: "say what is new on a page since it was read",
    calls: 2,
    tokens: 250,
    async work(session, origin) {
      await session.call("fetch", { url: `${origin}/today` });
      const { structured } = await session.call("compare_pages", { url: `${origin}/today` });
      expect(structured).toMatchObject({ added_lines: 1, removed_lines: 1 });
    },
  },
  {
    about: "find an option in a manual of 300 pages",
    calls: 1,
    tokens: 150,
    async work(session, origin) {
      const { structured } = await session.call("search_page", {
        sitemap: `${origin}/sitemap.xml`,
        contains: "/manual/21",
        query: "timeout-ms",
      });
      expect(structured).toMatchObject({
        matches: [{ text: expect.stringContaining("Default: 3000.") as unknown }],
      });
    },
  },
  {
    about: "find the dead links of a page",
    calls: 1,
    tokens: 250,
    async work(session, origin) {
      const { structured } = await session.call("check_links", { url: `${origin}/v1` });
      expect(structured).toMatchObject({
        checked: 2,
        broken: 1,
        links: [{ outcome: "broken", status: 404 }],
      });
    },
  },
  {
    about: "get a table as data",
    calls: 1,
    tokens: 350,
    async work(session, origin) {
      const { structured } = await session.call("search_page", {
        url: `${origin}/v1`,
        query: "| Tea",
        context: 2,
      });
      expect(structured).toMatchObject({
        total: 1,
        matches: [
          {
            section: expect.stringMatching(/ > Prices$/) as unknown,
            text: expect.stringContaining("| Item | Price |") as unknown,
          },
        ],
      });
    },
  },
  {
    about: "read a feed's news since a date",
    calls: 1,
    tokens: 350,
    async work(session, origin) {
      const { structured } = await session.call("read_feed", { url: `${origin}/news`, since: "2026-07-16" });
      expect(structured).toMatchObject({
        total: 4,
        items: [{ title: "Day 199" }, {}, {}, { title: "Day 196" }],
      });
    },
  },
  {
    about: "read a chapter of a PDF",
    calls: 1,
    tokens: 250,
    async work(session, origin) {
      const { structured } = await session.call("fetch", { url: `${origin}/book.pdf`, section: "Page 3" });
      expect(structured["text"]).toBe("## Page 3\n\nChapter two: the end");
    },
  },
  {
    about: "be turned away by robots.txt, and know what a person can do",
    calls: 1,
    tokens: 100,
    async work(session, origin) {
      const { error } = await session.call("fetch", { url: `${origin}/closed/page` });
      expect([error.code, error.hint]).toEqual([
        "permission_denied",
        expect.stringContaining("prompt named fetch"),
      ]);
    },
  },
  {
    about: "get something out of a page that needs JavaScript",
    calls: 1,
    tokens: 300,
    async work(session, origin) {
      const { structured } = await session.call("fetch", { url: `${origin}/shop` });
      expect(structured).toMatchObject({
        needs_javascript: true,
        embedded: [{ source: "__NEXT_DATA__", text: '{"price":42}' }],
      });
    },
  },
];

describe("a model can", () => {
  it.each(TASKS)("$about", async ({ work, calls, tokens }) => {
    const session = new Session(await sharedFetch());
    await work(session, web.origin);
    expect(session.calls).toBe(calls);
    expect(session.textTokens).toBeLessThanOrEqual(tokens);
    expect(session.structuredTokens).toBeLessThanOrEqual(tokens);
  });
});
