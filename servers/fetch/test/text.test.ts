import { describe, expect, it } from "vitest";

import { decodeText } from "../src/domain/charset.ts";
import { findHeadings, findNamesakes, findSection, renderOutline } from "../src/domain/parsing/outline.ts";
import { toPrettyJson } from "../src/domain/parsing/json.ts";
import { kindOf, type WebPage } from "../src/domain/page.ts";
import { readFeed } from "../src/domain/parsing/feed.ts";
import { readSitemap } from "../src/domain/parsing/sitemap.ts";
import { searchText } from "../src/domain/parsing/search.ts";
import { toPiece, toUrl } from "../src/tools/reading.ts";

const latin = Buffer.from("caf\u00e9", "latin1");

describe("text is decoded by", () => {
  it.each([
    ["its byte order mark", Buffer.from("\uFEFFcafé"), "text/html; charset=iso-8859-1", "utf-8"],
    ["a mark of UTF-16", Buffer.from("\uFEFFcafé", "utf16le"), undefined, "utf-16le"],
    ["its header", latin, 'text/html; charset="ISO-8859-1"', "windows-1252"],
    [
      "the document",
      Buffer.concat([Buffer.from("<meta charset=latin1>"), latin]),
      "text/html",
      "windows-1252",
    ],
    [
      "the first line of XML",
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>'), latin]),
      "text/xml",
      "windows-1252",
    ],
    ["what it is", Buffer.from("café"), "text/plain", "utf-8"],
    ["a guess where it is not UTF-8", latin, "text/plain", "windows-1252"],
    ["a guess where the header names nothing known", latin, "text/plain; charset=klingon", "windows-1252"],
  ])("%s", (_, bytes, type, charset) => {
    const decoded = decodeText(bytes, type);
    expect([decoded.charset, decoded.text.endsWith("café"), decoded.isDamaged]).toEqual([
      charset,
      true,
      false,
    ]);
  });

  it("a wrong declaration, and says so", () => {
    expect(decodeText(latin, "text/plain; charset=utf-8")).toEqual({
      text: "caf\uFFFD",
      charset: "utf-8",
      isDamaged: true,
    });
  });
});

describe("a page is", () => {
  const page = (type: string, body: string | Buffer): WebPage => ({
    id: "a",
    url: "",
    finalUrl: "",
    redirects: [],
    status: 200,
    headers: type === "" ? {} : { "content-type": type },
    body: Buffer.from(body as string, "latin1"),
    fetchedAt: "",
  });

  it.each([
    ["html", "text/html; charset=utf-8", "<p>"],
    ["html", "", "\n<!doctype html><p>"],
    ["markdown", "text/markdown", "# a"],
    ["json", "application/vnd.api+json", "{}"],
    ["feed", "text/xml", '<?xml version="1.0"?><rss version="2.0">'],
    ["feed", "application/json", '{"version": "https://jsonfeed.org/version/1.1"}'],
    ["xml", "application/xml", "<a/>"],
    ["pdf", "application/octet-stream", "%PDF-1.4"],
    ["image", "text/plain", "\u0089PNG\r\n\u001a\n"],
    ["binary", "image/png", "not a picture"],
    ["binary", "application/zip", "PK\u0003\u0004"],
    ["binary", "text/plain", "\0\u0001\u0002"],
    ["text", "text/css", "a{}"],
    ["text", "", "hello"],
  ])("%s if it is %j and begins with %j", (kind, type, body) => {
    expect(kindOf(page(type, body)).kind).toBe(kind);
  });
});

describe("JSON", () => {
  it.each([
    '{"a":[1,{"b":"x,{\\"]"},[],{ }],"c":{"d":null}}',
    "[]",
    " [ ] ",
    '"a: b, [c]"',
    " 7 ",
    '{ "a" : [ true ,\n false ] }',
    '{"":"\\\\","é":"\\u0041"}',
  ])("%s is printed as everywhere", (text) => {
    const pretty = toPrettyJson(text);
    expect(JSON.parse(pretty)).toEqual(JSON.parse(text));
    expect(pretty.replaceAll("\\u0041", "A")).toBe(JSON.stringify(JSON.parse(text), undefined, 2));
  });

  it.each(["12345678901234567890", "1.10", "1E400", '{"a":1,"a":2}'])(
    "%s keeps every digit and name",
    (text) => {
      expect(toPrettyJson(text).replaceAll(/\s/g, "")).toBe(text);
    },
  );

  it.each(["[1,", "{} {}", `${"[".repeat(9000)}1${"]".repeat(9000)}`])("stays as it is: %s", (text) => {
    expect(toPrettyJson(text)).toBe(text);
  });
});

describe("an outline", () => {
  const text = "intro\n# One\na\n```sh\n# not one\n```\n## [Two `x`](http://a/)\nb\n# Three \\_\nc";
  const headings = findHeadings(text);

  it("has the headings, and none from code", () => {
    expect(headings.map(({ level, text: name }) => [level, name])).toEqual([
      [1, "One"],
      [2, "Two x"],
      [1, "Three _"],
    ]);
    expect(renderOutline(headings).split("\n")[1]).toMatch(/^ {2}2\. Two x \(\d+ characters\)$/);
  });

  it.each(["Two x", "2", "#2", "two", "## Two x", "x"])("finds the section %j", (wanted) => {
    const { start, end } = findSection(headings, wanted);
    expect(text.slice(start, end)).toMatch(/^## \[Two `x`\]\(http:\/\/a\/\)\nb\n$/);
  });

  it.each([
    ["# a #", "a"],
    ["## #", "#"],
    ["# [a](b_(c)) d ##", "a d"],
    ["# C#\r", "C"],
    [`# ${"x".repeat(5000)}`, "x".repeat(1000)],
  ])("reads the heading %j", (line, title) => {
    expect(findHeadings(line).map((heading) => heading.text)).toEqual([title]);
  });

  it.each(["#", "# ", "#a", "####### a", " # a"])("takes %j for no heading", (line) => {
    expect(findHeadings(line)).toEqual([]);
  });

  it("ends a section at the next heading of its level or above", () => {
    const ends = findHeadings("# a\n### b\n## c\n### d\n# e").map(({ start, end }) => [start, end]);
    expect(ends).toEqual([
      [0, 21],
      [4, 10],
      [10, 21],
      [15, 21],
      [21, 24],
    ]);
  });

  it("names only the first of very many namesakes", () => {
    const many = findHeadings("# a\n".repeat(1000));
    expect(findNamesakes(many, findSection(many, "A"), "A")).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it("names those that a part of a name means just as well", () => {
    const parts = findHeadings("# Use\n# Use it\n# Reuse\n# Use them\n");
    for (const [wanted, numbers] of [
      ["use", [1]],
      ["use ", [1]],
      ["us", [1, 2, 4]],
      ["se", [1, 2, 3, 4]],
      ["## reuse", [3]],
    ] as const)
      expect(findNamesakes(parts, findSection(parts, wanted), wanted), wanted).toEqual(numbers);
  });

  it("says what was probably meant", () => {
    expect(() => findSection(headings, "Thre _x")).toThrow(
      expect.objectContaining({ code: "not_found", hint: expect.stringContaining("Three _") as string }),
    );
  });
});

it("a search shows lines, headings and places", () => {
  const text = `# A\nnothing\nThe Needle\n# B\n${"x".repeat(2000)}needle${"y".repeat(2000)}`;
  const { matches } = searchText({ text, query: "needle", context: 1, ignoreCase: true, limit: 9 });
  expect(matches.map(({ line, section }) => [line, section])).toEqual([
    [3, "A"],
    [5, "B"],
  ]);
  expect(matches.map(({ start_index }) => text.slice(start_index, start_index + 6))).toEqual([
    "Needle",
    "needle",
  ]);
  expect(matches[0]?.text).toBe("nothing\nThe Needle\n# B");
  expect(matches[1]?.text.length).toBeLessThan(600);
  expect(searchText({ text, query: "needle", context: 0, ignoreCase: false, limit: 9 }).total).toBe(1);
  expect(searchText({ text, query: "needle", context: 1, ignoreCase: true, limit: 1 })).toEqual({
    total: 2,
    matches: matches.slice(0, 1),
  });
});

it("a search finds what Markdown escapes, where it stands", () => {
  const text = "| a\\_b | x\\|y |";
  for (const query of ["x|y", "x\\|y"]) {
    const [match] = searchText({ text, query, context: 0, ignoreCase: true, limit: 9 }).matches;
    expect(text.slice(match?.start_index), query).toBe("x\\|y |");
  }
  expect(searchText({ text, query: "x||y", context: 0, ignoreCase: true, limit: 9 }).total).toBe(0);
});

describe("a piece", () => {
  it("continues exactly where the last one ended", () => {
    const text = "a😀b".repeat(50);
    let read = "";
    for (let next: number | undefined = 0; next !== undefined;) {
      const piece = toPiece(text, next, 7, 1000);
      expect(piece.text.isWellFormed()).toBe(true);
      read += piece.text;
      next = piece.next_index;
    }
    expect(read).toBe(text);
  });

  it("fits into the budget as JSON, and moves on even in a small one", () => {
    const piece = toPiece('"'.repeat(5000), 0, 5000, 1000);
    expect(JSON.stringify(piece.text).length).toBeLessThanOrEqual(1000);
    expect(toPiece("😀😀", 0, 1, 1000).text).toBe("😀");
    expect(() => toPiece("abc", 3, 10, 1000)).toThrow("past the end");
  });

  it.each([
    ["example.com/a", "https://example.com/a"],
    ["fetch://url/https://a.example/", "https://a.example/"],
    ["http://a.example", "http://a.example"],
    ["javascript:alert(1)", "javascript:alert(1)"],
  ])("URL %s is %s", (given, url) => {
    expect(toUrl(given)).toBe(url);
  });
});

describe("feeds and sitemaps", () => {
  const url = "https://example.com/feed";
  it.each([
    [
      "rss",
      `<rss version="2.0"><channel><title>T</title><link>https://example.com/</link><item><title>One &amp; only</title><link>/1</link><pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate><description>&lt;p style="display:none"&gt;x&lt;/p&gt;&lt;b&gt;Bold&lt;/b&gt;</description></item></channel></rss>`,
    ],
    [
      "atom",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><link rel="alternate" href="https://example.com/"/><id>x</id><updated>2026-11-02T10:00:00Z</updated><entry><title>One &amp; only</title><id>y</id><link href="/1"/><updated>2026-11-02T10:00:00Z</updated><summary type="html">&lt;b&gt;Bold&lt;/b&gt;</summary></entry></feed>`,
    ],
    [
      "json",
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "T",
        home_page_url: "https://example.com/",
        items: [
          {
            id: "1",
            url: "/1",
            title: "One & only",
            content_html: "<b>Bold</b>",
            date_published: "2026-11-02T10:00:00Z",
          },
        ],
      }),
    ],
  ])("%s", (format, text) => {
    expect(readFeed(text, url)).toEqual({
      format,
      title: "T",
      home: "https://example.com/",
      items: [
        {
          title: "One & only",
          url: "https://example.com/1",
          published: "2026-11-02T10:00:00.000Z",
          summary: "**Bold**",
        },
      ],
    });
  });

  it("of other kinds are refused", () => {
    expect(() => readFeed("<html></html>", url)).toThrow(/feed/i);
    expect(() => readSitemap("<html></html>")).toThrow("not a sitemap");
    expect(() => readSitemap("hello")).toThrow("not a sitemap");
  });

  it("a sitemap names pages, an index sitemaps, a text file URLs", () => {
    const set = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> https://a.example/?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod></url><url><loc>javascript:x</loc></url></urlset>`;
    expect(readSitemap(set)).toEqual({
      kind: "pages",
      entries: [{ url: "https://a.example/?a=1&b=2", modified: "2026-01-01" }],
    });
    expect(
      readSitemap("<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>").kind,
    ).toBe("index");
    expect(readSitemap("https://a.example/1\nnonsense\nhttps://a.example/2\n").entries).toHaveLength(2);
  });

  it("entities of a document's own do not grow", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>https://a.example/&b;&b;&b;</loc></url></urlset>`;
    let size: number;
    try {
      size = JSON.stringify(readSitemap(bomb)).length;
    } catch {
      size = 0;
    }
    expect(size).toBeLessThan(200);
  });
});
