import { describe, expect, it } from "vitest";

import { convertHtml } from "../src/domain/parsing/html.ts";

const url = "https://example.com/docs/page.html";
const toMarkdown = (html: string): string => convertHtml(html, { url }).markdown;

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
    "<noscript><!--</noscript><iframe><!--</iframe><noembed><p>secret</noembed><noframes><!--</noframes>",
    `${"<div>".repeat(600)}<p hidden><b>secret</b></p>${"</div>".repeat(600)}`,
    "<template>secret</template>",
    "<noscript>secret</noscript>",
    "<script>secret</script>",
    "<!-- secret -->",
    "<dialog>secret</dialog>",
    '<input type="hidden" value="secret">',
    "<svg><text>secret</text></svg>",
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
    `${"<font>".repeat(9000)}<ul hidden>${"<li><ul>".repeat(9000)}${"</font>".repeat(9000)}secret${"</ul>".repeat(9001)}`,
    "<p hidden><span><template></template>secret</p>",
    "<div><table><tr hidden><td></div>secret</table></div>",
    "<ul hidden><li><table><tr><td></ul>secret</table></ul>",
    "<dl><dd hidden><ul><dt>secret</ul></dl>",
    `<div hidden>${"<b>".repeat(600)}secret</div>`,
    "<style>.h, p::picker-icon, p:target-before{display:none}</style><p class=h>secret</p>",
    "<style>.h:is(:bogus, p){display:none}</style><p class=h>secret</p>",
    "<style>.h{display:none; p{b{color:red</style><p class=h>secret</p>",
  ])("%s", (html) => {
    expect(toMarkdown(`<p>before</p>${html}<p>after</p>`)).toBe("before\n\nafter");
  });

  it.each([
    '<p style="display:block">shown</p>',
    '<p style="opacity:0.5">shown</p>',
    '<p style="color:#fff;background:#000">shown</p>',
    "<style>@media print { .x { display: none } }</style><p class=x>shown</p>",
    "<style media=print>.x { display: none }</style><p class=x>shown</p>",
    "<style>.y{}; .x{display:none}</style><p class=x>shown</p>",
    "<style>.y{}} .x{display:none} @media all{} } @media all{.x{display:none}}</style><p class=x>shown</p>",
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
    `<style>.x{content:"<!--"}</style><p class=x>shown</p>`,
    "<noscript><style>.x{display:none}</style></noscript><p class=x>shown</p>",
    "<noscript><link rel=stylesheet href=a.css></noscript><p style='color:#fff'>shown</p>",
    "<script><!--</script><title><!--</title><p>shown</p>",
    "<![CDATA[>shown",
    `</b '><?b c="><//>shown<!--->`,
    "<svg><g hidden/><style/></svg><svg/>shown",
    "<dl><dt hidden>a<dd>shown<dt hidden>b</dl>",
    "<dl><dd hidden>a<dl><dt>b<dd>c</dl><dd>shown</dl>",
    "<tr hidden><td hidden>shown",
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
    `<p style="display:none'x'">shown</p>`,
    String.raw`<style>.a\\g,.\10061{display:none}</style><p class="ag a">shown</p>`,
    `<p style="font-size:0;font:12px 'Arial'">shown</p>`,
    `<p style="background:'open;display:none">shown</p>`,
    '<p style="transform:scale(0);transform:rotate(1deg) skew(2deg)">shown</p>',
    '<p style="display:none;display:inline flow-root;opacity:0;opacity:+.5e0">shown</p>',
    '<p style="font-size:0;font:italic small serif;color:#fff;color:rebeccapurple">shown</p>',
    '<p style="color:#fff;background:#222 no-repeat 0 0/cover,local">shown</p>',
    '<p style="width:0;overflow:hidden;width:-moz-fit-content">shown</p>',
    "<style>.x{display:none}.tabs:has(#t:checked) .x{display:block}</style><div class=tabs><input id=t checked><p class=x>shown</p></div>",
    "<style>.x{display:none;opacity:0}.x:last-child{display:block}p[target]:not(:empty){opacity:1}</style><p class=x target>shown</p>",
    "<template><style>.x{display:none}</style></template><p class=x>shown</p>",
    "<style>.x, :bogus{display:none} .x, p::bogus{display:none} .x:not(:bogus){display:none}</style><p class=x>shown</p>",
    "<svg><p>shown",
    "<svg></p>shown",
    "<svg><script><p>shown",
    "<svg><style>.h{}<p>shown",
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
