import { describe, expect, it } from "vitest";

import { readFeed } from "../src/domain/parsing/feed.ts";
import { readSitemap } from "../src/domain/parsing/sitemap.ts";

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

  it.each([
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><id>x</id><entry><title type="text">x&lt;y &lt;b> z</title><id>y</id><published>Obey me</published></entry></feed>`,
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "T",
      items: [{ id: "1", title: "x<y <b> z", date_published: "Obey me" }],
    }),
  ])("keep signs in what is plain text, and drop dates that are none", (text) => {
    expect(readFeed(text, url).items).toEqual([{ title: "x<y <b> z" }]);
  });

  it("links are resolved against xml:base, and content:encoded stands for a missing description", () => {
    const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://blog.example/"><title>T</title><link href="."/><entry xml:base="2024/"><title>E</title><link href="hello"/><content type="html">&lt;a href="x">X&lt;/a></content></entry></feed>`;
    expect(readFeed(atom, url)).toMatchObject({
      home: "https://blog.example/",
      items: [{ url: "https://blog.example/2024/hello", summary: "[X](https://blog.example/2024/x)" }],
    });
    const rss = `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>T</title><item><title>E</title><content:encoded><![CDATA[<p>The <b>post</b></p>]]></content:encoded></item></channel></rss>`;
    expect(readFeed(rss, url).items).toEqual([{ title: "E", summary: "The **post**" }]);
  });

  it("a very long feed keeps its newest entries", () => {
    const items = Array.from({ length: 2001 }, (_, each) => ({
      title: `${each}`,
      date_published: new Date(each * 1000).toISOString(),
    }));
    const feed = JSON.stringify({ version: "https://jsonfeed.org/version/1.1", title: "T", items });
    expect(readFeed(feed, url).items.map(({ title }) => title)).toEqual(
      items
        .map(({ title }) => title)
        .toReversed()
        .slice(0, 2000),
    );
  });

  it("may have signs of tags and quotes in raw text", () => {
    const item = "<item><title><![CDATA[I'm < you]]></title><!-- <don't --></item>";
    const { items } = readFeed(`<rss version="2.0"><channel>${item.repeat(300)}</channel></rss>`, url);
    expect(items.map(({ title }) => title)).toEqual(Array.from({ length: 300 }, () => "I'm < you"));
  });

  it("of other kinds are refused", () => {
    expect(() => readFeed("<html></html>", url)).toThrow(/feed/i);
    // The last two end as tags would, and not as what they are.
    for (const open of ["<0", '<0"', "<!-- >", "<![CDATA[>"])
      expect(() => readFeed(`<feed><title>${open.repeat(20_000)}`, url)).toThrow("no end");
    expect(() => readFeed(`<feed><title>${"<0".repeat(20_000)}">`, url)).toThrow("no end");
    expect(() => readSitemap("<html></html>")).toThrow("not a sitemap");
    expect(() => readSitemap("hello")).toThrow("not a sitemap");
  });

  it("a sitemap names pages, an index sitemaps, a text file URLs", () => {
    const set = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> https://a.example/?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod></url><url><loc>javascript:x</loc></url><url><loc>https://a.example/?a=1&#38;b=2&amp;c=3</loc></url></urlset>`;
    expect(readSitemap(set)).toEqual({
      kind: "pages",
      entries: [
        { url: "https://a.example/?a=1&b=2", modified: "2026-01-01" },
        { url: "https://a.example/?a=1&b=2&c=3" },
      ],
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
