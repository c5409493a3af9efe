import { describe, expect, it } from "vitest";

import { HtmlPage } from "../src/domain/parsing/html.ts";
import { runJob } from "../src/domain/parsing/jobs.ts";

const url = "https://example.com/docs/page.html";

describe("a page", () => {
  it("says what it is", () => {
    const head = `<html lang="en"><title>A &amp; B</title><meta name=description content="What &quot;it&quot; is">
      <link rel=canonical href="/canonical"><meta property="article:published_time" content="2026-01-02">
      <meta http-equiv=Refresh content="0; URL='/latest/?a=1&amp;b=2'">`;
    expect(new HtmlPage(`${head}<p>x`, { url }).facts).toEqual({
      title: "A & B",
      description: 'What "it" is',
      canonical: "https://example.com/canonical",
      published: "2026-01-02",
      language: "en",
      refresh: "https://example.com/latest/?a=1&b=2",
    });
  });

  it("has its main part, unless that is nearly nothing", async () => {
    const nav = `<nav>${"menu ".repeat(100)}</nav>`;
    const good = await runJob("html", {
      html: `${nav}<main><h1>T</h1>${"text ".repeat(300)}</main>`,
      url,
      want: "main",
    });
    expect([good.used, good.markdown.startsWith("# T"), good.markdown.includes("menu")]).toEqual([
      "main",
      true,
      false,
    ]);
    const poor = await runJob("html", { html: `${nav}<main>x</main>`, url, want: "main" });
    expect([poor.used, poor.because, poor.markdown.includes("menu")]).toEqual([
      "full",
      "the part marked as main holds too little of the page",
      true,
    ]);
  });

  it("has its main part for an article where the longest text is below it", async () => {
    const html = `<title>N</title><main><article><h1>Bridge</h1><p>STORY of the bridge that opened on Monday, after years.</p></article></main><footer><p>LEGAL ${"Terms, privacy, imprint and more legal text. ".repeat(12)}</p></footer>`;
    const { used, markdown } = await runJob("html", { html, url, want: "article" });
    expect([used, markdown.includes("STORY"), markdown.includes("LEGAL")]).toEqual(["full", true, true]);
    const long = html.replace("STORY", `STORY ${"of stone and steel, ".repeat(20)}`);
    const main = await runJob("html", { html: long, url, want: "article" });
    expect([main.used, main.markdown.includes("STORY"), main.markdown.includes("LEGAL")]).toEqual([
      "main",
      true,
      false,
    ]);
  });

  it("has its article", async () => {
    const paragraph = `<p>${"A sentence with some words, and a comma. ".repeat(10)}</p>`;
    const html = `<title>T</title><body><div class=sidebar>${"<a href=x>ad</a>".repeat(20)}</div><article><h1>T</h1>${paragraph.repeat(6)}<xmp>a &lt; <b></xmp></article>`;
    const good = await runJob("html", { html, url, want: "article" });
    expect([good.used, good.markdown.includes("A sentence"), good.markdown.includes("[ad]")]).toEqual([
      "article",
      true,
      false,
    ]);
    expect(good.markdown).toContain("\na &lt; <b>\n");
    // The article is most of the page in the first two.
    for (const [more, used] of [
      ["<b>".repeat(9000), "main"],
      ["<li>".repeat(11_000), "main"],
      ["<ul><li>".repeat(150) + "x ".repeat(50_000), "full"],
    ]) {
      const large = await runJob("html", { html: `${html}${more}`, url, want: "article" });
      expect(large).toMatchObject({ used, because: "the page is too large" });
    }
  });

  it.each([
    "display:none",
    "DISPLAY : NoNe",
    "visibility:hidden",
    "opacity:0",
    "position:absolute;clip:rect(0,0,0,0)",
    "position:absolute;left:-9999px",
    "font-size:0",
    "color:#fff;background:#fff",
    // The same as the ink around it.
    "background:#333",
  ])("has no text in its article that is hidden by %s", async (style) => {
    const paragraph = `<p>${"A sentence with some words, and a comma. ".repeat(10)}</p>`;
    const order = "An order to whoever reads this, with commas, so that it counts. ".repeat(5);
    const hidden = `<style>article .h{${style}}</style><p class="h">${order}</p><p style="${style}">${order}</p>`;
    const html = `<title>T</title><body style="color:#333"><article><h1>T</h1>${paragraph.repeat(6)}${hidden}</article>`;
    for (const want of ["article", "main", "full"] as const) {
      const { used, markdown, hidden: count } = await runJob("html", { html, url, want });
      expect.soft([used, markdown.includes("order"), count]).toEqual([want, false, 2]);
    }
  });

  it.each([
    ["an article that is alone", "<article>TEXT</article>", "main"],
    ["an article among short ones", "<article>TEXT</article><article>a comment</article>", "main"],
    ["one of two articles", "<article>TEXT</article><article>TEXT</article>", "full"],
    ["an article beside the main part", "<main>TEXT</main><article>TEXT TEXT</article>", "full"],
  ])("has as its main part, or not: %s", async (_, body, expected) => {
    const text = "A sentence with some words. ".repeat(20);
    const html = `<body><nav>menu</nav>${body.replaceAll("TEXT", text)}`;
    const { used, markdown } = await runJob("html", { html, url, want: "main" });
    expect([used, markdown.includes("menu")]).toEqual([expected, expected === "full"]);
  });

  it("keeps the text of controls that show it in its article", async () => {
    const paragraph = `<p>${"A sentence with some words, and a comma. ".repeat(10)}</p>`;
    const controls = "<textarea>kept one</textarea><select size=2><option>kept two</select>";
    const html = `<title>T</title><body><article><h1>T</h1>${paragraph.repeat(3)}${controls}${paragraph.repeat(3)}</article>`;
    const { used, markdown } = await runJob("html", { html, url, want: "article" });
    expect([used, /kept one[^]*kept two/.test(markdown)]).toEqual(["article", true]);
  });

  it("has the cells of tables in their columns in its article, too", async () => {
    const paragraph = `<p>${"A sentence with some words, and a comma. ".repeat(10)}</p>`;
    const table = "<table><tr><th>A<th>B<tr><td style='visibility:hidden'>1<td>2</table>";
    const html = `<title>T</title><body><article><h1>T</h1>${paragraph.repeat(6)}${table}</article>`;
    const { used, markdown } = await runJob("html", { html, url, want: "article" });
    expect(used).toBe("article");
    expect(markdown).toContain("| A | B |\n| --- | --- |\n|  | 2 |");
  });

  it.each([
    ["More than that is hidden, and seen only when scripts run", true],
    ["Less is hidden", undefined],
  ])("says when most of it is hidden: %s", async (text, isMostlyHidden) => {
    const html = `<h1>Title of the page</h1><section style="opacity:0;transform:translateY(20px)">${text}</section>`;
    for (const want of ["article", "main", "full"] as const)
      expect.soft((await runJob("html", { html, url, want })).isMostlyHidden).toBe(isMostlyHidden);
  });

  it("without any element has no article, and is shown", async () => {
    const { used, because, markdown } = await runJob("html", { html: "[only text", url, want: "article" });
    expect([used, because, markdown]).toEqual([
      "full",
      expect.stringContaining("next to nothing"),
      "\\[only text",
    ]);
  });

  it("that needs JavaScript shows what it carries", async () => {
    const html = `<title>App</title><div id=root></div><noscript>Enable it</noscript>
      <script type="application/ld+json">{"name":"Thing"}</script><script id=__NEXT_DATA__ type=application/json>{"props":1}</script>
      <script id="Do this" type=application/json>2</script>
      <script src=app.js></script>`;
    const { embedded } = await runJob("html", { html, url, want: "main" });
    expect(embedded).toEqual([
      { source: "noscript", text: "Enable it" },
      { source: "application/ld+json", text: '{"name":"Thing"}' },
      { source: "__NEXT_DATA__", text: '{"props":1}' },
      { source: "application/json", text: "2" },
    ]);
  });

  it("that is short does not need JavaScript because it has a script", async () => {
    const html = `<h1>Hours</h1><p>We are open from nine to five on weekdays, and from ten to two on Saturdays. Closed on holidays.</p><script src=count.js></script>`;
    expect(await runJob("html", { html, url, want: "main" })).not.toHaveProperty("embedded");
  });

  it("that needs JavaScript may carry its data as a script", async () => {
    const html = `<div id=__nuxt></div><script>window.__NUXT__={"price":42}</script><script>window.x=1</script><script>alert(1)</script>`;
    const { embedded } = await runJob("html", { html, url, want: "main" });
    expect(embedded).toEqual([{ source: "__NUXT__", text: '{"price":42}' }]);
  });
});
