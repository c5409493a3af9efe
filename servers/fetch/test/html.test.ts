import { describe, expect, it } from "vitest";

import { convertHtml, HtmlPage } from "../src/domain/parsing/html.ts";

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
      "| A | B |  | C |\n| --- | --- | --- | --- |\n| A | 1 | 2 | 3 |\n| 4 | 5 | 2 | 6 |",
    ],
    [
      "a table with cells over several rows at its edges, or too long to repeat",
      `<table><tr><th>A<th>B<th>C<th>D<tr><td rowspan=2><b>1</b><td rowspan=2>${"x".repeat(101)}<td>2<td rowspan=2><a href=/y>y</a><tr><td>3</table>`,
      `| A | B | C | D |\n| --- | --- | --- | --- |\n| **1** | ${"x".repeat(101)} | 2 | [y](https://example.com/y) |\n| **1** |  | 3 | [y](https://example.com/y) |`,
    ],
    [
      "a table with text outside of its cells",
      "a<table><tr>b<td>c<table hidden>d<tr>e<td>f</table></td>g</tr>h</table>i",
      "abgh\n\n| cde |\n| --- |\n\ni",
    ],
    [
      "a table with elements outside of its cells",
      "<table><tr>a <b>b</b> c<td>d<tr><td>e</tr><div hidden>f<table><tr><td>g</table></div><i>h<p>i</table>j",
      "a **b** c\n\n| d |\n| --- |\n| e |\n\n| g |\n| --- |\n\nh\n\nij",
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
    [
      "code with elements that have marks of their own elsewhere",
      "<dl><dt><ul><li> a <pre><hr></pre> b <pre>c<hr>d<h2></h2><h3>e</h3></pre></ul></dl>",
      "- a\n\n  b\n\n  ```\n  c\n  d\n  e\n  ```",
    ],
    ["code with an empty heading", "<pre><h2></pre>a", "a"],
    [
      "code with a table that is a block",
      "<pre><table style='display:block'><tr><td>a</table></pre>",
      "```\na\n```",
    ],
    [
      "elements that are left open",
      "<table><tr><td><dl><dt>a<td><ul><li>b</table><ul><li>c<div>d<li>e</ul><p>f<p>g",
      "| a | - b |\n| --- | --- |\n\n- c\n\n  d\n- e\n\nf\n\ng",
    ],
    [
      "formatting that ends before its block",
      "<a href=/x><div>a</a> b</div>c<i>d<section><ul><li>e</i>f<li>g</ul>h",
      "[a](https://example.com/x) b\n\nc*d*\n\n- *e*f\n- g\n\nh",
    ],
    [
      "blocks in a link, and controls side by side",
      "<a href=/x><h3>a</h3><p>b</p><i>c</i></a> <button>d</button><button>e</button><a href=/y><button>f</button></a>",
      "### [a](https://example.com/x)\n\nb\n\n*c*\n\nd e [f](https://example.com/y)",
    ],
    [
      "controls in a sentence, and in formatting",
      "<p>Press<button>a</button>, or (<button>b</button>). <b><button>c</button></b> <i><input>d<input>e</i></p>",
      "Press a , or ( b ). **c** *d e*",
    ],
    ["headings in items", "<ul><li><h3>A</h3>b<li>c</ul>", "### A\n\nb\n\n- c"],
    ["a frameset", "<frameset><frame src=a.html></frameset>", "[Frame](https://example.com/docs/a.html)"],
    ["a formula", "<math><msup><mi>x</mi><mn>2</mn></msup></math>", "x 2"],
    ["a script in a comment in a script", '<script><!-- x="<script></script>" --></script>a', "a"],
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
      "[Post](https://example.com/x)\n\n[[Image: I](https://example.com/i.png)](https://example.com/y)",
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
    [
      "frames",
      `<a href=/x><iframe title="B's\n &lt;b>" SRC='/b?c&amp;d'>e</iframe></a><iframe data-src=/f>`,
      "[[Frame: B's \\<b>](https://example.com/b?c&d)](https://example.com/x) [Frame](https://example.com/f)",
    ],
    [
      "frames that show nothing",
      "a<iframe src=about:blank></iframe><iframe src='javascript:x()'></iframe><iframe src=/x hidden></iframe><iframe src=/x width=1></iframe><iframe src=/x style=height:0></iframe><style>iframe#b,p:nth-of-type(2),a~p{display:none}</style><iframe id=b src=/x></iframe><p>c</p>",
      "a\n\nc",
    ],
    ["an image without attributes", "<p>a <img> b</p>", "a [Image] b"],
    ["an image in the page itself", '<img src="data:image/png;base64,AA" alt="A">', "[Image: A]"],
    ["character data", "<math><![CDATA[a > <b>]]></math> c<svg><![CDATA[>", "a > \\<b> c"],
    [
      "text that looks like tags",
      "<textarea>a<!-- </textarea><xmp>b &lt;<p></xmp>",
      "a\\<!--\n\n```\nb &lt;<p>\n```",
    ],
    [
      "an empty place to link to",
      '<a name="top"/><h2>T</h2><p>a</p><i class="x" /><p>b</p>',
      "## T\n\na\n\nb",
    ],
    ["terms and definitions", "<dl><dt>T</dt><dd>D</dd></dl>", "T\n\nD"],
  ])("%s", (_, html, expected) => {
    expect(toMarkdown(html)).toBe(expected);
  });
});

it("the text of a link keeps its lines apart", () => {
  expect(new HtmlPage("<a href=/x><p>a</p><i>b</i></a>", { url }).findLinks()).toEqual([
    { url: "https://example.com/x", text: "a b" },
  ]);
});

it("frames without an address do not count as hidden", () => {
  const html = "<iframe src=about:blank></iframe><iframe srcdoc=a></iframe><iframe src=/x hidden></iframe>";
  const page = new HtmlPage(html, { url });
  expect([page.write().markdown, page.cleaned.hidden]).toEqual(["", 1]);
});

it("a page with too many elements is refused, however deep they are", () => {
  expect(() => toMarkdown("<b></b>".repeat(400_001))).toThrow("more than 400000 elements");
  expect(() => toMarkdown("<b>".repeat(100_000))).toThrow("nested too deeply");
});

it("shadow roots within shadow roots are read to a depth, and refused below it", () => {
  const nest = (times: number): string => `${"<div><template shadowrootmode=open>".repeat(times)}x`;
  expect(toMarkdown(nest(250))).toBe("x");
  expect(() => toMarkdown(nest(3000))).toThrow("nested too deeply");
});

it("XHTML whose tags never end takes no longer than its length", () => {
  const html = `<p>a</p>${"<td hid".repeat(60_000)}`;
  const { user } = process.cpuUsage();
  expect(convertHtml(html, { url, isXml: true }).markdown).toBe("a");
  expect(process.cpuUsage().user - user).toBeLessThan(10_000_000);
});
