import { describe, expect, it } from "vitest";

import { convertHtml, HtmlPage } from "../src/domain/parsing/html.ts";

const url = "https://example.com/docs/page.html";
const toMarkdown = (html: string): string => convertHtml(`<!doctype html>${html}`, { url }).markdown;

describe("nobody sees", () => {
  it.each([
    '<p style="display:none">secret</p>',
    '<p style="DISPLAY : none !important">secret</p>',
    '<p style="visibility: hidden">secret</p>',
    '<p style="opacity:0">secret</p>',
    '<p style="font-size: 0px">secret</p>',
    '<p style="position:absolute;left:-9999px">secret</p>',
    '<p style="text-indent:-9999px">secret</p>',
    '<p style="color:#fff;background-color:#fff">secret</p>',
    '<p style="color:transparent">secret</p>',
    '<p style="height:0;overflow:hidden">secret</p>',
    '<p style="clip-path: inset(100%)">secret</p>',
    "<p hidden>secret</p>",
    '<p hidden=""><b>secret</b> <i>secret</i></p>',
    '<span class="sr-only">secret</span>',
    '<p class="d-none d-md-none">secret</p>',
    "<style>.x, #y { display: none }</style><p class='a x'>secret</p><div id=y>secret</div>",
    "<style>article p.h{display:none}</style><article><p class=h>secret</p></article>",
    "<style>div > .k{display:none}</style><div><p class=k>secret</p></div>",
    "<style>body > .k{display:none}</style><p class=k>secret</p>",
    "<style>@import x; @media all, print{ .h{ display: none } }</style><p class=h>secret</p>",
    "<style>/*<p>*/ .a{content:'{'} .h{d\\69splay:none}</style><p class=h>secret</p>",
    "<style>.h{color:#fefefe}</style><p class=h>secret</p>",
    "<style>P.h,[DATA-X]{display:none}</style><p class=h>secret</p><p data-x>secret</p>",
    "<style>@charset 'a';@layer b; .h{display:none}</style><p class=h>secret</p>",
    "<style>[data-x]{display:none}</style><p data-x=1>secret</p>",
    "<style>p[title='a{;}b' i], [lang|=en], [id^=se][id$=et]{display:none}</style><p title='A{;}b'>secret</p><p lang=en-GB>secret</p><p id=secret>secret</p>",
    "<style>[data-a*='&#x']{display:none} .a{display:none}</style><p class='&#97;'>secret</p>",
    "<style>style + .h{display:none} .h ~ i{display:none}</style><p class=h>secret</p><i>secret</i>",
    "<style>.box > :nth-child(2n){display:none} b:first-of-type{display:none}</style><div class=box><b>secret</b><u>secret</u></div>",
    "<style>p:not(.seen, :hover):is(.a, .b){display:none}</style><p class=b>secret</p>",
    "<style>a:any-link{display:none}</style><a href=x>secret</a>",
    "<style>@layer x, y; @layer x { @supports (display: grid) { .h { display: none } } }</style><p class=h>secret</p>",
    "<style>@media screen and (min-width: 1px) and (max-width: 99em) { .h { display: none } }</style><p class=h>secret</p>",
    "<style>@media (400px < width <= 2000px) { .h { display: none } }</style><p class=h>secret</p>",
    "<style>@media not print { @media (prefers-color-scheme: light), print { .h { display: none } } }</style><p class=h>secret</p>",
    "<style>@container side (min-width: 10px) { .h { display: none } }</style><p class=h>secret</p>",
    "<style>article { color: red; .h { display: none } &.g { display: none; b { color: red } } @media all { > u { display: none } } }</style><article><p class=h>secret</p><u>secret</u></article><article class=g>secret</article>",
    '<p style="font-size:1px">secret</p>',
    "<style>.a{ .b:is(:not(.c, .d), .e), .h{display:none} }</style><div class=a><p class=h>secret</p><p class=b>secret</p></div>",
    '<div style="font-size:1px"><p style="font-size:1em">secret</p></div><p style="font-size:.001rem">secret</p>',
    '<p style="filter: opacity(0)">secret</p>',
    '<p style="content-visibility:hidden">secret</p>',
    '<p style="position:fixed;top:-100vh">secret</p>',
    '<p style="position:absolute;left:-999px">secret</p>',
    '<p style="opacity:.04">secret</p>',
    '<p style="color:white">secret</p>',
    '<div style="background:#111"><p style="color:rgb(17, 17, 17)">secret</p></div>',
    '<img width=1 height=1 src=x alt="secret">',
    '<img style="width:1px" src=x alt="secret">',
    "<p hidden/>secret</p><script/>secret</script><style/>secret</style>",
    "<dl><dt hidden>secret<dd hidden><p>secret</p><ul><li>secret</ul></dl><summary hidden><p>secret</p></summary>",
    "<title>a</title><title>secret</title>",
    "<pre><iframe>secret</iframe></pre><code><iframe>secret</iframe></code>",
    "<noscript><!--</noscript><iframe><!--</iframe><noembed><p>secret</noembed><noframes><!--</noframes>",
    `${"<div>".repeat(500)}<p hidden><b>secret</b></p>${"</div>".repeat(500)}`,
    "<template>secret</template>",
    // What the tags in a template say is not of the table around it.
    "<table><tbody><template><tr></tr></table>secret</template></table>",
    "<table><tbody><tr><template><td></td></tr></table>secret</template></table>",
    "<noscript>secret</noscript>",
    "<script>secret</script>",
    "<!-- secret -->",
    "<dialog>secret</dialog>",
    '<input type="hidden" value="secret">',
    "<svg><text display=none>secret</text>secret<title>secret</title></svg>",
    "<svg><style>.h{display:none}</style><style><![CDATA[.k{display:none}]]></style></svg><p class=h>secret</p><p class=k>secret</p>",
    "<p popover>secret</p>",
    "<video>secret</video><audio>secret</audio>",
    "<p/hidden>secret</p><p title=x/y id/style='display:none'>secret</p>",
    '<p style="display&colon;none">secret</p><p style="display&#58none">secret</p>',
    '<p style="translate:0 -9999px">secret</p>',
    "<font color=White>secret</font><font color=ffffff>secret</font>",
    '<div style="color:#fff;background:#000"><p style="background:#fff">secret</p></div>',
    "<style>section{color:#fff;background:#000}section p{color:inherit;background:#fff}</style><section><p><b>secret</b></p></section>",
    "<style title='>'>.h{display:none}</style><p class=h>secret</p>",
    "<!-- <style> --><style>.h{display:none}</style><p class=h>secret</p>",
    "<title><style></title><style>.h{display:none}</style><p class=h>secret</p>",
    "<style media='&#115;creen'>.h{display:none}</style><p class=h>secret</p>",
    "<style>.h.h{display:none}[id=a],:where(#a),p.h:is(p){display:block}</style><p id=a class=h>secret</p>",
    "<style>.h{display:none!important}#a{display:block}</style><p id=a class=h style='display:block'>secret</p>",
    "<style>.h{display:none}@layer a{#a{display:block}}@media print{.h{display:block}}</style><p id=a class=h>secret</p>",
    "<style>@layer a{.h{display:none!important}}.h{display:block!important}</style><p class=h>secret</p>",
    "<style>.a{display:block}.h{display:none}</style><p class='h a'>secret</p>",
    "<style>.h{display:none;background:url(;display:block;)}</style><p class=h>secret</p>",
    "<style>.h{display:none}.H{display:block}</style><p class=h>secret</p>",
    "<style>.h{a:'\n;display:none;b:'}</style><p class=h>secret</p>",
    "<style>.h{opacity:0;opacity:00%}</style><p class=h>secret</p>",
    '<p class="sr-only d-md-inline">secret</p>',
    "<style>a{color:inherit}p{background:#333}</style><div style='color:#333'><p><a href=/x>secret</a></p></div>",
    "<a href=/x style='color:white' title=secret>secret</a>",
    "<link rel=stylesheet href=x><div style='color:#fff'><div style='background:#fff'><p>secret</p></div></div>",
    '<p class="d-none d-md-block d-xl-none">secret</p>',
    "<a href=/secret><h3><span hidden>secret</span></h3></a><a href=/secret><svg></svg></a>",
    "<h2 style='color:transparent'>secret</h2><h1><a href=/secret><b class=sr-only>secret</b></a></h1>",
    '<p style="color:rgba(0, 0, 0, .01)">secret</p><p style="color:#00000003">secret</p>',
    '<p style="font:0/0 a">secret</p>',
    '<div style="font-size:0"><p style="font-size:2em">secret</p></div>',
    "<style>body{background:#fff}</style><body><p style='background:none;color:#fff'>secret</p></body>",
    "<style>.h{background:#000}.h{background:transparent;color:#fff}</style><p class=h>secret</p>",
    "<style>body{color:#fff}p{color:#000}</style><div>secret</div>",
    "<style>a:hover{background:#000}p::after{background:none}@media (prefers-color-scheme:dark){p{background:#000}}</style><p style='color:#fff'>secret</p>",
    '<p style="opacity:0;animation:none">secret</p><p style="margin-left:-9999px;padding-left:9px">secret</p>',
    '<p style="position:relative;background:#fff;color:#fff">secret</p>',
    '<p style="display:none;display:bogus">secret</p><p style="display:none;display:block block">secret</p>',
    '<p style="font-size:0;font-size:x">secret</p><p style="font-size:0;font-size:9zz;font:bogus">secret</p>',
    '<p style="display:none;display:foo()">secret</p><p style="visibility:hidden;visibility:calc(1)">secret</p>',
    '<p style="opacity:0;opacity:wrong(1)">secret</p><p style="font-size:0;font-size:foo(1px)">secret</p>',
    '<p style="text-indent:-9999px each-line">secret</p><p style="transform:scale(0) rotate(1deg)">secret</p>',
    '<p style="transform:scale(0)">secret</p><p style="filter:blur(1px) opacity(0)">secret</p>',
    '<p style="clip-path:inset(100%">secret</p><p style="transform:translateX(-9999px">secret</p>',
    '<p style="filter:opacity(0">secret</p><p style="transform:scale(0">secret</p>',
    `<p style="transform:scale(0)${" skew(0)".repeat(99)}">secret</p>`,
    `<p style="filter:opacity(0)${" blur(0)".repeat(99)}">secret</p>`,
    '<p style="opacity:0;opacity:zz">secret</p><p style="opacity:0;opacity:1px">secret</p>',
    '<p style="visibility:hidden;visibility:y">secret</p><p style="filter:opacity(0);filter:y">secret</p>',
    '<p style="color:#fff;color:nonsense;background:nonsense;text-shadow:y">secret</p>',
    '<p style="color:#fff;background:000f;text-shadow:0 0 000f">secret</p>',
    '<p style="height:0;overflow:hidden;height:tall;overflow:y;padding:1y">secret</p>',
    '<p style="position:absolute;left:-9999px;left:y;position:y">secret</p>',
    "<style>.h{display:none}.h{display:wibble}</style><p class=h>secret</p>",
    "<style>@keyframes b{to{opacity:1}}</style><p style='opacity:0;animation-name:nothing'>secret</p>",
    "<style>.h{display:none}.h::after,.h:hover:last-child,.h:hover:has(b) p,:last-child{display:block}</style><p class=h>secret</p>",
    "<style>.h{display:none}.h:empty{display:none;color:red}</style><p class=h>secret</p>",
    `<p style="background:url(it's.png);display:none">secret</p>`,
    `<p style="font:0 \\';display:none">secret</p>`,
    ...["\n", "\r\n", "\r", "\f"].flatMap((end) => [
      `<style>.x{color:"open${end}}.h{display:none}</style><p class=h>secret</p>`,
      `<style>.x{content:"one \\${end} two";}${end}.h{display:none}</style><p class=h>secret</p>`,
    ]),
    `<style>.x{background:my-url(a ")}" b)}.h{display:none}</style><p class=h>secret</p>`,
    String.raw`<style>.a\\g{display:none}</style><p class="a\g">secret</p>`,
    `<style>.x{content:"\\\\61\n}.h{display:none}</style><p class=h>secret</p>`,
    `<style>.x{content:"\\201c\n";}.h{display:none}</style><p class=h>secret</p>`,
    `<style>.x{background:éurl(")}")}.h{display:none}</style><p class=h>secret</p>`,
    String.raw`<style>.x{background:\u\72l({)}.h{d\isplay:none}</style><p class=h>secret</p>`,
    "<b hidden/>secret</b>",
    "<b><i><div hidden>secret</b>secret<p>secret</div>",
    "<a href=/x><ul hidden><li>secret</a>secret</ul><b><section class=sr-only><div></b>secret</section>",
    "<p hidden><span><template></template>secret</p>",
    "<div><table><tr hidden><td></div>secret</table></div>",
    "<ul hidden><li><table><tr><td></ul>secret</table></ul>",
    "<dl><dd hidden><ul><dt>secret</ul></dl>",
    `<div hidden>${"<span>".repeat(600)}secret</div>`,
    "<style>.h, p::picker-icon, p:target-before{display:none}</style><p class=h>secret</p>",
    "<style>.h:is(:bogus, p){display:none}</style><p class=h>secret</p>",
    "<style>.h{display:none; p{b{color:red</style><p class=h>secret</p>",
  ])("%s", (html) => {
    expect(toMarkdown(`<p>before</p>${html}<p>after</p>`)).toBe("before\n\nafter");
  });

  it.each(['style="color:white"', "text=white"])("what a page in white on white says: %s", (given) => {
    const html = `<body ${given}><p>secret</p><p style="color:black">shown</p><a href=/x>link</a>`;
    expect(toMarkdown(html)).toBe("shown\n\n[link](https://example.com/x)");
  });

  it("where a link leads that cannot be seen, unlike that of an icon", () => {
    const html = "<a href=/x style='color:transparent'>secret</a><a href=/y><svg></svg></a>";
    expect(new HtmlPage(html, { url }).findLinks()).toEqual([{ url: "https://example.com/y", text: "" }]);
  });

  it("what is in blocks that many end tags of formatting leave open", () => {
    const hidden = `<ul hidden>${"<li><ul>".repeat(200)}${"</font>".repeat(200)}secret${"</ul>".repeat(201)}`;
    expect(toMarkdown(`<p>before</p>${"<font>".repeat(200)}${hidden}<p>after</p>`)).toBe("before\n\nafter");
  });

  it("what a sheet hides that stays open to the end", () => {
    const html = "<p>before</p><p class=h>secret</p><style>/*</stylefoo*/ .h{display:none}";
    expect(toMarkdown(html)).toBe("before");
  });

  it("what a style hides behind very many quotes", () => {
    for (const quotes of ['\\"', "'\n", "url("]) {
      const style = `background:${quotes.repeat(150_000)}\n);display:none`;
      expect(toMarkdown(`<p>before</p><style>.h{${style}}</style><p class=h>secret</p>`)).toBe("before");
    }
  });

  it("very many tags that never end", () => {
    for (const tag of ["<!--", "<!", "</", "<a b='", "<a b c", "<style>", "<title>"])
      expect(toMarkdown(`<p>before</p>${tag.repeat(100_000)}`)).toBe("before");
  });

  it("what a rule hides behind very many others", () => {
    const html = `<style>${".a{top:0}".repeat(20_001)}.h{display:none}</style><p>before</p><p class=h>secret</p>`;
    expect(toMarkdown(html)).toBe("before");
  });

  it("what a long list of nested selectors hides, and such a list has its limit", () => {
    const toPage = (list: string): string =>
      `<style>.${"a".repeat(1000)},.a{${list}{display:none}}</style><p>before</p><div class=a><p class=h>secret</p></div>`;
    expect(toMarkdown(toPage(`${".very-long-selector,".repeat(900)}.h`))).toBe("before");
    for (const list of ["&".repeat(9990), ".b,".repeat(9990)])
      expect(() => toMarkdown(toPage(list))).toThrow("too complex");
  });

  it.each([
    "javascript:x()",
    " JaVa\tScript:x()",
    "data:text/html,x",
    "vbscript:x",
    "javascript&#58;x()",
    "file:///etc/passwd",
  ])("a link to %s loses its target", (href) => {
    expect(toMarkdown(`<a href="${href}">text</a>`)).toBe("text");
  });
});
