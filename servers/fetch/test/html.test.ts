import { describe, expect, it } from "vitest";

import { convertHtml } from "../src/domain/parsing/html.ts";
import { runJob } from "../src/domain/parsing/jobs.ts";

const url = "https://example.com/docs/page.html";
const toMarkdown = (html: string): string => convertHtml(html, { url }).markdown;

describe("Markdown of", () => {
  it.each([
    ["a heading with its own anchor", '<h2 id="a">Title <a href="#a"></a></h2>', "## Title"],
    ["relative links", '<a href="../x?a=1&amp;b=2">x</a>', "[x](https://example.com/x?a=1&b=2)"],
    ["a page with a base", '<base href="/other/"><a href="y">y</a>', "[y](https://example.com/other/y)"],
    [
      "a page without the base in its comment",
      '<!-- <base href="/other/"> --><a href="y">y</a>',
      "[y](https://example.com/docs/y)",
    ],
    [
      "addresses with blanks",
      '<a href=" https://a.example/x">x</a> <a href="y\nz">yz</a> <img src="\ta b.png" alt=A>',
      "[x](https://a.example/x) [yz](https://example.com/docs/yz) [Image: A](https://example.com/docs/a%20b.png)",
    ],
    [
      "code with its language",
      '<pre><code class="language-js">a &lt; b\n  c</code></pre>',
      "```js\na < b\n  c\n```",
    ],
    ["a table", "<table><tr><th>A<th>B<tr><td>1|2<td>3</table>", "| A | B |\n| --- | --- |\n| 1\\|2 | 3 |"],
    [
      "a table with cells over several rows",
      "<table><tr><th rowspan=2>A<th colspan=2>B<th>C<tr><td>1<td rowspan=0>2<td>3<tr><td>4<td>5<td>6</table>",
      "| A | B | | C |\n| --- | --- | --- | --- |\n| A | 1 | 2 | 3 |\n| 4 | 5 | 2 | 6 |",
    ],
    [
      "a table with cells over several rows at its edges, or too long to repeat",
      `<table><tr><th>A<th>B<th>C<th>D<tr><td rowspan=2><b>1</b><td rowspan=2>${"x".repeat(101)}<td>2<td rowspan=2><a href=/y>y</a><tr><td>3</table>`,
      `| A | B | C | D |\n| --- | --- | --- | --- |\n| **1** | ${"x".repeat(101)} | 2 | [y](https://example.com/y) |\n| **1** | | 3 | [y](https://example.com/y) |`,
    ],
    [
      "a table with a column that nobody sees",
      "<table><tr><th hidden>A<th>B<th>C<tr><td hidden>1<td>2<td>3</table>",
      "| B | C |\n| --- | --- |\n| 2 | 3 |",
    ],
    [
      "a table with cells that nobody sees, which keep their places",
      "<table><tr><th class=sr-only>A<th>B<th>C<tr><td style='visibility:hidden'>1<td style='color:white'>2<td>3</table>",
      "|  | B | C |\n| --- | --- | --- |\n|  |  | 3 |",
    ],
    [
      "code that is light on dark",
      "<style>body{color:#333}pre{background:#333}code{color:#eee}</style><body><pre><code>a</code></pre>",
      "```\na\n```",
    ],
    [
      "code with lines that are elements",
      "<style>.l{display:block}</style><pre><code><div>a</div><div><div>\n</div></div><div>  b</div>\n<div>c\n</div><span class=l>d</span><span class=l>e</span></code></pre>",
      "```\na\n\n  b\nc\nd\ne\n```",
    ],
    [
      "code whose lines end inside of elements",
      "<pre><i>&gt; a\n</i><b>&gt; b </b>c<br><br><code>d\n</code><div>\n</div><div>\n</div>e<br></pre>",
      "```\n> a\n> b c\n\nd\n\n\ne\n```",
    ],
    [
      "code with numbered lines in a table",
      "<table><tr><td><pre><i>1</i>\n<i>2\n</i><i>3</i></pre><td><pre><b>if</b> a:\n    <b>b</b>()\n\nc\n</pre></table>",
      "| <pre>1<br>2<br>3</pre> | <pre>if a:<br>    b()<br><br>c</pre> |\n| --- | --- |",
    ],
    [
      "such code in a table",
      "<table><tr><td><pre><div>a</div><div>b</div></pre></table>",
      "| <pre>a<br>b</pre> |\n| --- |",
    ],
    ["nested lists", "<ul><li>a<ol><li>b</ol></ul>", "- a\n  1. b"],
    ["a list with numbers of its own", "<ol start=3><li>a<li value=9>b<li>c</ol>", "3. a\n9. b\n10. c"],
    [
      "a list of tasks",
      "<ul><li><input type=checkbox checked> a<li><input type=checkbox disabled> b</ul>",
      "- [x] a\n- [ ] b",
    ],
    [
      "links whose own text would not be seen",
      "<style>a{color:#fff}div{background:#222}</style><a href=/x><div>Post</div></a> <a href=/y><img src=/i.png alt=I></a>",
      "[Post](https://example.com/x) [[Image: I](https://example.com/i.png)](https://example.com/y)",
    ],
    ["a link to the root without quotes", "<a class=x href=/>Home</a>", "[Home](https://example.com/)"],
    ["an image", '<img src="a.png" alt="A">', "[Image: A](https://example.com/docs/a.png)"],
    [
      "images that scripts would load",
      "<img src='data:image/gif;base64,AA' data-src=/r.jpg alt=A><img srcset='/a,b.jpg, /c.jpg 2x' alt=B>",
      "[Image: A](https://example.com/r.jpg)[Image: B](https://example.com/a,b.jpg)",
    ],
    [
      "an image in a box that keeps its ratio",
      "<div style='height:0;padding-bottom:56%;overflow:hidden'><img src=/a.png alt=A></div>",
      "[Image: A](https://example.com/a.png)",
    ],
    ["an image without attributes", "<p>a <img> b</p>", "a [Image] b"],
    ["an image in the page itself", '<img src="data:image/png;base64,AA" alt="A">', "[Image: A]"],
    ["terms and definitions", "<dl><dt>T</dt><dd>D</dd></dl>", "T\n\nD"],
  ])("%s", (_, html, expected) => {
    expect(toMarkdown(html)).toBe(expected);
  });
});

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
    '<p style="filter: opacity(0)">secret</p>',
    '<p style="content-visibility:hidden">secret</p>',
    '<p style="position:fixed;top:-100vh">secret</p>',
    '<p style="position:absolute;left:-999px">secret</p>',
    '<p style="opacity:.04">secret</p>',
    '<p style="color:white">secret</p>',
    '<div style="background:#111"><p style="color:rgb(17, 17, 17)">secret</p></div>',
    '<img width=1 height=1 src=x alt="secret">',
    '<img style="width:1px" src=x alt="secret">',
    "<template>secret</template>",
    "<noscript>secret</noscript>",
    "<script>secret</script>",
    "<!-- secret -->",
    "<dialog>secret</dialog>",
    '<input type="hidden" value="secret">',
    "<svg><text>secret</text></svg>",
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
  ])("%s", (html) => {
    expect(toMarkdown(`<p>before</p>${html}<p>after</p>`)).toBe("before\n\nafter");
  });

  it.each([
    '<p style="display:block">shown</p>',
    '<p style="opacity:0.5">shown</p>',
    '<p style="color:#fff;background:#000">shown</p>',
    "<style>@media print { .x { display: none } }</style><p class=x>shown</p>",
    "<style media=print>.x { display: none }</style><p class=x>shown</p>",
    "<style>@keyframes a { .x { display: none } } .x::before, .x p, div > .x { display: none }</style><p class=x>shown</p>",
    "<style>@media (max-width: 600px) { .x { display: none } } @media (prefers-contrast: more) { .x { display: none } }</style><p class=x>shown</p>",
    "<style>@media (orientation: portrait), (width < 100vw), (strange: thing) { .x { display: none } }</style><p class=x>shown</p>",
    "<style>@supports not (display: grid) { .x { display: none } } @starting-style { .x { display: none } }</style><p class=x>shown</p>",
    "<style>@constructor x { .x { display: none } } @media (constructor), (__proto__) { .x { display: none } }</style><p class=x>shown</p>",
    "<style>@__proto__ x { .x { display: none } }</style><p class=x>shown</p>",
    "<style>.x:hover, .x:last-child, .x:not(:last-child), .x:empty { display: none } .x, :nth-child(bogus) { display: none }</style><p class=x>shown</p>",
    "<style>[data-x=''] .x, [class*=''], p + .x, .x ~ p, p:nth-child(3), [title] { display: none }</style><p class=x>shown</p>",
    "<style>.x { .y & { display: none } & .z, + .x { display: none } }</style><p class=x>shown</p>",
    "<style>body{background:#000} .x{color:#fff}</style><body><p class=x>shown</p>",
    "<style>.x{color:#fff} p.x{color:#222}</style><p class=x>shown</p>",
    '<div style="background:url(x)"><p style="color:white">shown</p></div>',
    '<body style="color:white"><button>shown</button>',
    '<body text="#ffffff" bgcolor="#000000"><p>shown</p>',
    '<body text="#ffffff" background="stars.gif"><p>shown</p>',
    "<style>.x{color:#fff}.x p{background:#000}</style><div class=x><p>shown</p></div>",
    "<link rel=stylesheet href=dark.css><style>body{color:#fff}</style><body><p>shown</p>",
    "<style>body{color:#000}.x{background:#000}.x p{color:#fff}</style><body><div class=x><p>shown</p></div>",
    '<body bgcolor=#003366 text=#ffffff><div style="background:#fff"><font color=#000000>shown</font></div>',
    "<style>body{color:#fff}#a main{background:#000}</style><body><div id=a><main><p>shown</p></main></div>",
    '<div style="color:#fff;background:#000"><div style="background:#fff;color:#000"><p>shown</p></div></div>',
    '<p style="font-size:large;opacity:0.05;max-width:1px">shown</p>',
    '<p style="font-size:1em;left:-10px;color:inherit;font:11px/1 serif">shown</p>',
    "<style>@scope (.y) { .x { display: none } :scope { display: none } } @scope { .x { display: none } }</style><p class=x>shown</p>",
    '<p style="font-size:calc(0px + 1em);width:calc(100% - 20px);opacity:calc(1 - 0.2);left:calc(1px / 0)">shown</p>',
    '<style>.x{display:none}.x.y{display:block}</style><p class="x y">shown</p>',
    "<style>.x{display:none}@media (min-width:600px){.x{display:block}}</style><p class=x>shown</p>",
    '<style>.x{display:none;opacity:0}</style><p class=x style="display:block;opacity:1">shown</p>',
    "<style>@layer a{#x{visibility:hidden}} .x{visibility:visible}</style><p id=x class=x>shown</p>",
    '<style>.x{left:-9999px;max-height:0;overflow:hidden}.x.y{left:0;max-height:500px}</style><p class="x y">shown</p>',
    '<style>.x{display:block!important}p.x{display:none}</style><p class=x style="display:none">shown</p>',
    "<style>p.x{background:#000}.x{background-color:#fff;color:#fff}</style><p class=x>shown</p>",
    '<body style="opacity:0"><p>shown</p>',
    "<style>.x{width:0;overflow:hidden}p.x{width:50%}</style><p class=x>shown</p>",
    "<style>.x{height:0;overflow:hidden}</style><p class=x style='height:240px'>shown</p>",
    "<style>.x{font-size:0;opacity:0}p.x{font-size:16px;opacity:1.0}</style><p class=x>shown</p>",
    "<style>.x{text-indent:-9999px;margin-left:-9999px}p.x{text-indent:0;margin-left:0}</style><p class=x>shown</p>",
    "<style>.x{position:absolute;left:-200%}p.x{position:static}</style><p class=x>shown</p>",
    "<style>.x{color:transparent}p.x{color:navy}</style><p class=x>shown</p>",
    "<style>.X{display:none}@import y;.X:not(.y){display:block}</style><p class=X>shown</p>",
    "<style>.X{display:none}</style><p class=x>shown</p>",
    "<style>.x{opacity:0}p.x{opacity:var(--shown)}</style><p class=x>shown</p>",
    "<style>.x{display:none}@supports (display:grid){.x{display:grid}}</style><p class=x>shown</p>",
    "<style>@layer a,b;@layer a{.x{display:none}}@layer b{.x{display:block}}</style><p class=x>shown</p>",
    '<p style="display:var(--x, none);opacity:0;opacity:calc(1 - var(--hide))">shown</p>',
    "<style>@scope (article) to (.deep){.x{display:none}}</style><article><div class=deep><p class=x>shown</p></div></article>",
    '<p style="color:rgb(0, 0, 0)">shown</p>',
    '<p style="color:#000;background-color:rgba(0, 0, 0, 0)">shown</p>',
    "<style>body{color:#24292e}code,p{background:rgba(27,31,35,.05)}</style><body><p>shown</p>",
    "<style>body{background:#111;color:#fff}p{background:#ffffff1a}</style><body><p>shown</p>",
    '<p style="color:rgb(0 0 0/var(--a,1));background:rgb(0 0 0/5%)">shown</p>',
    "<style>p{background:#fff}pre,div{background:#000}div p{background:none;color:#fff}</style><div><p>shown</p></div>",
    "<style>p{background:#fff}div{background:#000}p.x{background-color:initial;color:#fff}</style><div><p class=x>shown</p></div>",
    "<style>p{background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent}</style><p>shown</p>",
    '<p style="color:#fff;text-shadow:0 0 2px #000">shown</p>',
    "<link rel=stylesheet href=x><p style='color:#fff'>shown</p>",
    "<style>div{font-size:0;color:transparent}p{font-size:16px;color:#000}</style><div><p>shown</p></div>",
    '<div style="font-size:0"><p style="font:700 12px/1 serif">shown</p></div>',
    '<p style="opacity:;height:;overflow:hidden;clip:rect(0,200px,50px,0)">shown</p>',
    '<p style="width:0;min-width:100%;overflow:hidden">shown</p>',
    "<div><template shadowrootmode=open><style>p{color:red}</style><p>shown</p></template></div>",
    '<p class="d-none d-md-none d-lg-block">shown</p>',
    '<p class="d-none d-md-block">shown</p>',
    "<dialog open>shown</dialog>",
    "<style>body{background:#111}p{color:#fff}</style><p>shown</p>",
    "<html><style>html{background:#111}p{color:#fff}</style><p>shown</p>",
    "<html style='background:#111'><p style='color:#fff'>shown</p>",
    "<style>.x{position:relative}.x p{color:#fff}</style><div class=x><p>shown</p></div>",
    "<style>body{background:#fff}.x{position:absolute;color:#fff}</style><body><p class=x>shown</p>",
    "<style>.x{color:#fff}.x::before{content:'';background:#b00}</style><p class=x>shown</p>",
    "<style>p:last-child{background:#222}.x{color:#fff}</style><p class=x>shown</p>",
    "<style>div:has(p){background:#222}.x{color:#fff}</style><div><p class=x>shown</p></div>",
    "<style>:root{color-scheme:dark}p{color:#fff}</style><p>shown</p>",
    "<style>.x{color:#fff;mix-blend-mode:difference}</style><p class=x>shown</p>",
    "<style>.x{opacity:0;animation:in 1s forwards}@keyframes in{to{opacity:1}}</style><p class=x>shown</p>",
    "<style>.x{margin-left:-9999px;padding-left:9999px}</style><p class=x>shown</p>",
    "<link rel=stylesheet href=x><p style='opacity:0;animation:in 1s'>shown</p>",
    "<p style='opacity:0;animation:var(--in)'>shown</p>",
    ...[
      `url("data:image/png;base64,${"x".repeat(999)}") center/cover`,
      `linear-gradient(${"#000,".repeat(200)}#000)`,
      'url("x)y.png") center',
      "-webkit-gradient(linear,left top,left bottom,from(#000),to(#111))",
    ].map((image) => `<style>p{color:#fff;background:${image}}</style><p>shown</p>`),
    '<p style="font-size:0;font:calc(1em + (2 * 3px)) serif">shown</p>',
    '<p style="text-indent:-9999px;text-indent:calc(1px)">shown</p>',
    '<p style="transform:scale(0);transform:rotate(1deg) skew(2deg)">shown</p>',
    '<p style="display:none;display:inline flow-root;opacity:0;opacity:+.5e0">shown</p>',
    '<p style="font-size:0;font:italic small serif;color:#fff;color:rebeccapurple">shown</p>',
    '<p style="color:#fff;background:#222 no-repeat 0 0/cover,local">shown</p>',
    '<p style="width:0;overflow:hidden;width:-moz-fit-content">shown</p>',
    "<style>.x{display:none}.tabs:has(#t:checked) .x{display:block}</style><div class=tabs><input id=t checked><p class=x>shown</p></div>",
    "<style>.x{display:none;opacity:0}.x:last-child{display:block}p[target]:not(:empty){opacity:1}</style><p class=x target>shown</p>",
  ])("but %s is seen", (html) => {
    expect(toMarkdown(html)).toBe("shown");
  });

  it.each(['style="color:white"', "text=white"])("what a page in white on white says: %s", (given) => {
    const html = `<body ${given}><p>secret</p><p style="color:black">shown</p><a href=/x>link</a>`;
    expect(toMarkdown(html)).toBe("shown\n\n[link](https://example.com/x)");
  });

  it("where a link leads that cannot be seen, unlike that of an icon", () => {
    const html = "<a href=/x style='color:transparent'>secret</a><a href=/y><svg></svg></a>";
    const { links } = convertHtml(html, { url, collectLinks: true });
    expect(links).toEqual([{ url: "https://example.com/y", text: "" }]);
  });

  it("what a sheet hides that stays open to the end", () => {
    const html = "<p>before</p><p class=h>secret</p><style>/*</stylefoo*/ .h{display:none}";
    expect(toMarkdown(html)).toBe("before");
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

describe("a page", () => {
  it("says what it is", () => {
    const head = `<html lang="en"><title>A &amp; B</title><meta name=description content="What &quot;it&quot; is">
      <link rel=canonical href="/canonical"><meta property="article:published_time" content="2026-01-02">
      <meta http-equiv=Refresh content="0; URL='/latest/?a=1&amp;b=2'">`;
    expect(convertHtml(`${head}<p>x`, { url }).facts).toEqual({
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

  it("has its article, unless that loses most of it", async () => {
    const paragraph = `<p>${"A sentence with some words, and a comma. ".repeat(10)}</p>`;
    const html = `<title>T</title><body><div class=sidebar>${"<a href=x>ad</a>".repeat(20)}</div><article><h1>T</h1>${paragraph.repeat(6)}</article>`;
    const good = await runJob("html", { html, url, want: "article" });
    expect([good.used, good.markdown.includes("A sentence"), good.markdown.includes("[ad]")]).toEqual([
      "article",
      true,
      false,
    ]);
    const list = Array.from(
      { length: 30 },
      (_, i) => `<h2>H${i}</h2><ul><li><a href=${i}>link ${i}</a></ul>`,
    ).join("");
    const index = `<html><body><div class=intro>${paragraph.repeat(3)}</div><div class=menu>${list}</div></body></html>`;
    const poor = await runJob("html", { html: index, url, want: "article" });
    expect([poor.used, poor.because]).toEqual(["full", expect.stringMatching(/lost most of/)]);
    expect(poor.markdown).toContain("## H29");
  });

  it.each([
    "display:none",
    "DISPLAY : NoNe",
    "visibility:hidden",
    "opacity:0",
    "clip:rect(0,0,0,0)",
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
      expect
        .soft([used, markdown.includes("order"), count])
        .toEqual([want === "main" ? "full" : want, false, 2]);
    }
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
    expect([used, because, markdown]).toEqual(["full", "no article was found", "\\[only text"]);
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
