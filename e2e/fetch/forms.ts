/** A page with text that nobody sees, and its twin, in which the same text is seen. The text is SECRET. */
export interface Form {
  readonly hiding: string;
  readonly showing: string;
}

/** Declarations that hide an element, and after the bar declarations that look alike and do not. */
const DECLARATIONS = `
display:none | display:block
display:none!important;display:block | display:block!important;display:none
DISPLAY:NONE | DISPLAY:BLOCK
display:none;display:bogus | display:bogus;display:block
display:table-column | display:table-cell
visibility:hidden | visibility:visible
visibility:collapse | visibility:hidden;visibility:visible
content-visibility:hidden | content-visibility:auto
opacity:0 | opacity:.5
opacity:0% | opacity:60%
opacity:calc(1 - 1) | opacity:calc(1 - .2)
opacity:min(0, 1) | opacity:max(0, 1)
opacity:1e-3 | opacity:1e0
opacity:-1 | opacity:2
filter:opacity(0) | filter:opacity(.8)
filter:opacity(0%) blur(0) | filter:blur(0)
filter:blur(40px) | filter:blur(.2px)
-webkit-filter:opacity(0) | -webkit-filter:none
font-size:0 | font-size:12px
font-size:0px | font-size:.8em
font-size:calc(1px - 1px) | font-size:calc(1px + 12px)
font-size:.001rem | font-size:.001em
font-size:.4px | font-size:9px
font-size:clamp(0px, .5px, 1px) | font-size:clamp(9px, 2vw, 20px)
font-size:0vw | font-size:2vw
font:0/0 a | font:12px/1 a
font:italic bold .1px/1 serif | font:italic bold 14px/1 serif
font-size:min(.1%, 1px) | font-size:.1%
position:absolute;left:-9999px | position:absolute;left:9px
position:absolute;inset-inline-start:-9999px | position:absolute;inset-inline-start:9px
position:absolute;inset:0 auto auto -9999px | position:absolute;inset:0 auto auto 9px
position:absolute;inset-inline:-9999px auto | position:absolute;inset-inline:9px auto
position:absolute;top:-9999px | position:absolute;top:9px
position:absolute;inset-block-start:-9999px | position:absolute;inset-block-start:9px
position:absolute;inset-block:-9999px auto | position:absolute;inset-block:9px auto
position:absolute;right:9999px | position:absolute;right:9px
position:absolute;inset-inline-end:9999px | position:absolute;inset-inline-end:9px
position:absolute;bottom:9999px | position:absolute;bottom:9px
position:absolute;left:calc(-1px * 9999) | position:absolute;left:calc(1px * 9)
position:absolute;left:calc(10px - 200vw) | position:absolute;left:calc(10px + 1vw)
position:absolute;left:-200vw | position:absolute;left:2vw
position:absolute;left:-100em | position:absolute;left:1em
position:absolute;left:-300% | position:absolute;left:30%
position:absolute;left:min(-9999px, 1px) | position:absolute;left:max(-9999px, 1px)
position:relative;left:-9999px | position:static;left:-9999px
position:relative;right:9999px | position:static;right:9999px
position:relative;top:-9999px | position:static;top:-9999px
position:fixed;top:-200vh | position:fixed;top:2vh
position:fixed;left:100vw | position:fixed;left:1vw
position:fixed;top:100vh | position:fixed;top:10vh
position:absolute;inset:auto 120vw auto auto | position:absolute;inset:auto 2vw auto auto
position:absolute;transform:translateX(-5000%) | position:absolute;left:50%;transform:translateX(-50%)
position:fixed;inset:-500px auto auto 0 | position:fixed;inset:5px auto auto 0
margin-left:-9999px | margin-left:9px
margin-inline-start:-9999px | margin-inline-start:9px
margin-inline:-9999px 0 | margin-inline:9px 0
margin:0 0 0 -9999px | margin:0 -9999px 0 0
margin-top:-9999px | margin-top:9px
margin-block-start:-9999px | margin-block-start:9px
margin-block:-9999px 0 | margin-block:9px 0
-webkit-margin-start:-9999px | -webkit-margin-start:9px
margin-left:-9999px;padding-left:9px | margin-left:-9999px;padding-left:9999px
text-indent:-9999px | text-indent:9px
text-indent:-999em | text-indent:1em
text-indent:calc(-100 * 1em - 1000px) | text-indent:calc(1em)
text-indent:100%;white-space:nowrap;overflow:hidden | text-indent:10%;white-space:nowrap;overflow:hidden
height:0;overflow:hidden | height:9em;overflow:hidden
height:0;overflow:clip | height:0;overflow:visible
block-size:0;overflow:hidden | block-size:9em;overflow:hidden
max-height:0;overflow:hidden | max-height:9em;overflow:hidden
max-block-size:0;overflow:hidden | max-block-size:9em;overflow:hidden
max-height:0;overflow-y:hidden | max-height:0;overflow-y:visible
height:0;overflow:auto | height:0;overflow:auto;min-height:3em
height:calc(1px - 1px);overflow:hidden | height:calc(1px + 3em);overflow:hidden
width:0;overflow:hidden | width:90%;overflow:hidden
inline-size:0;overflow:hidden | inline-size:90%;overflow:hidden
max-width:0;overflow:hidden | max-width:90%;overflow:hidden
max-inline-size:0px;overflow:hidden | max-inline-size:90%;overflow:hidden
width:1px;height:1px;overflow:hidden | width:99px;height:99px;overflow:hidden
width:0;overflow-x:hidden | width:0;min-width:90%;overflow-x:hidden
height:0;overflow:hidden hidden | height:0;overflow:hidden;padding-bottom:3em
height:20px;padding-top:0;overflow:hidden;line-height:0;height:0 | height:20px;overflow:hidden
line-height:0;overflow:hidden | line-height:1;overflow:hidden
contain:strict;overflow:hidden | contain:layout
position:absolute;clip:rect(0,0,0,0) | clip:rect(0,0,0,0)
position:absolute;clip:rect(1px 1px 1px 1px) | position:absolute;clip:rect(1px 999px 99px 1px)
position:absolute;clip:rect(0px, 0px, auto, auto) | position:absolute;clip:rect(auto, auto, auto, auto)
clip-path:inset(50%) | clip-path:inset(1%)
clip-path:inset(100%) | clip-path:none
clip-path:inset(0 100% 0 0) | clip-path:inset(0 1% 0 0)
clip-path:inset(0 0 100%) | clip-path:inset(0 0 0%)
clip-path:inset(60% 0 60% 0) | clip-path:inset(5% 0 5% 0)
clip-path:circle(0) | clip-path:circle(90%)
clip-path:circle(0px at 50% 50%) | clip-path:circle(900px at 50% 50%)
clip-path:circle(calc(1px - 1px)) | clip-path:circle(calc(100px + 900px))
clip-path:ellipse(0 0) | clip-path:ellipse(90% 90%)
clip-path:ellipse(0 50%) | clip-path:ellipse(80% 80%)
clip-path:polygon(0 0) | clip-path:polygon(0 0, 100% 0, 100% 100%, 0 100%)
clip-path:polygon(0 0, 0 0, 0 0, 0 0) | clip-path:polygon(0 0, 100% 0, 0 100%)
clip-path:polygon(0 0, 100% 100%, 0 0) | clip-path:polygon(0 0, 99% 0, 99% 99%, 0 99%)
clip-path:rect(0 0 0 0) | clip-path:rect(0 900px 900px 0)
clip-path:xywh(0 0 0 0) | clip-path:xywh(0 0 100% 100%)
clip-path:path("M0 0") | clip-path:path("M0 0H900V900H0Z")
-webkit-clip-path:inset(100%) | -webkit-clip-path:inset(0)
mask-image:linear-gradient(transparent,transparent) | mask-image:linear-gradient(#000,#000)
mask:linear-gradient(#0000,#0000) | mask:linear-gradient(#000,#000)
-webkit-mask-image:linear-gradient(transparent,transparent) | -webkit-mask-image:linear-gradient(black,black)
-webkit-mask:linear-gradient(rgb(0 0 0/0),rgb(0 0 0/0)) | -webkit-mask:linear-gradient(rgb(0 0 0/1),rgb(0 0 0/1))
mask-image:radial-gradient(transparent,transparent) | mask-image:radial-gradient(#000,#000)
mask:linear-gradient(#000,#000) 0/0 no-repeat | mask:linear-gradient(#000,#000) 0/100% no-repeat
mask-image:linear-gradient(#000,#000);mask-size:0;mask-repeat:no-repeat | mask-image:linear-gradient(#000,#000);mask-size:100%
mask-image:url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>") | mask-image:none
transform:scale(0) | transform:scale(.9)
transform:scaleX(0) | transform:scaleX(.9)
transform:scaleY(0) | transform:scaleY(1)
transform:scale3d(0,0,0) | transform:scale3d(1,1,1)
transform:scale(0%) | transform:scale(90%)
transform:scale(.01) | transform:scale(1.01)
transform:scale(calc(1 - 1)) | transform:scale(calc(1 - .1))
transform:rotate(3deg) scale(0) | transform:rotate(3deg) scale(1)
transform:matrix(0,0,0,0,0,0) | transform:matrix(1,0,0,1,0,0)
transform:matrix(1,0,0,1,-9999,0) | transform:matrix(1,0,0,1,9,0)
transform:matrix3d(0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,1) | transform:matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1)
transform:rotateX(90deg) | transform:rotateX(10deg)
transform:rotateY(90deg) | transform:rotateZ(5deg)
transform:rotateY(.25turn) | transform:rotateY(.01turn)
transform:rotate3d(1,0,0,90deg) | transform:rotate3d(0,0,1,5deg)
transform:rotateY(180deg);backface-visibility:hidden | transform:rotateY(5deg);backface-visibility:hidden
transform:translateX(-9999px) | transform:translateX(9px)
transform:translate(-9999px) | transform:translate(9px)
transform:translate(0,-9999px) | transform:translate(0,9px)
transform:translate3d(-9999px,0,0) | transform:translate3d(9px,0,0)
transform:translateX(-200vw) | transform:translateX(1vw)
transform:translateX(calc(-9999px + 1em)) | transform:translateX(calc(9px + 1em))
transform:translateX(-300%) | transform:translateX(3%)
-webkit-transform:scale(0) | -webkit-transform:scale(1)
scale:0 | scale:.9
scale:0 1 | scale:1 1
scale:0% | scale:95%
translate:-9999px | translate:9px
translate:0 -9999px | translate:0 9px
translate:-200vw | translate:1vw
translate:calc(-1px * 9999) 0 | translate:calc(1px * 9) 0
rotate:x 90deg | rotate:z 5deg
rotate:y 90deg | rotate:y 5deg
rotate:1 0 0 90deg | rotate:0 0 1 5deg
zoom:.01 | zoom:1.1
color:transparent | color:navy
color:#0000 | color:#000f
color:#00000003 | color:#000000f3
color:rgba(0,0,0,0) | color:rgba(0,0,0,1)
color:rgb(0 0 0 / 0) | color:rgb(0 0 0 / 1)
color:rgb(0 0 0 / 1%) | color:rgb(0 0 0 / 90%)
color:rgb(0 0 0 / calc(1 - 1)) | color:rgb(0 0 0 / calc(1 - .1))
color:hsl(0 0% 0% / 0) | color:hsl(0 0% 0% / 1)
color:hsla(0,0%,0%,.01) | color:hsla(0,0%,0%,.9)
color:hwb(0 0% 100% / 0) | color:hwb(0 0% 100%)
color:lab(0 0 0 / 0) | color:lab(0 0 0)
color:lch(0 0 0 / 0) | color:lch(0 0 0)
color:oklab(0 0 0 / 0) | color:oklab(0 0 0)
color:oklch(0 0 0 / 0) | color:oklch(0 0 0)
color:color(srgb 0 0 0 / 0) | color:color(srgb 0 0 0)
color:color-mix(in srgb, transparent, transparent) | color:color-mix(in srgb, black, navy)
color:rgb(from black r g b / 0) | color:rgb(from black r g b / 1)
color:color-mix(in oklab, black 0%, transparent) | color:color-mix(in oklab, black 90%, transparent)
color:white | color:black
color:#fff | color:#111
color:#fefefe | color:#454545
color:snow | color:maroon
color:rgb(255,255,255) | color:rgb(55,55,55)
color:rgb(100% 100% 100%) | color:rgb(10% 10% 10%)
color:rgb(254.6 255 255) | color:rgb(54.6 55 55)
color:hsl(0 0% 100%) | color:hsl(0 0% 10%)
color:hsl(120deg 100% 100%) | color:hsl(120deg 100% 10%)
color:hsl(.5turn, 50%, 99%) | color:hsl(.5turn, 50%, 9%)
color:hwb(90 100% 0%) | color:hwb(90 0% 90%)
color:lab(100% 0 0) | color:lab(10% 0 0)
color:lch(100% 0 0) | color:lch(10% 0 0)
color:oklab(1 0 0) | color:oklab(.1 0 0)
color:oklch(100% 0 0) | color:oklch(10% 0 0)
color:color(srgb 1 1 1) | color:color(srgb .1 .1 .1)
color:color(display-p3 1 1 1) | color:color(display-p3 .1 .1 .1)
color:color(xyz .9505 1 1.089) | color:color(xyz .01 .01 .01)
color:color-mix(in srgb, white, white) | color:color-mix(in srgb, white, black 90%)
color:light-dark(white, black) | color:light-dark(black, white)
color:Canvas | color:CanvasText
color:rgb(calc(250 + 5) 255 255) | color:rgb(calc(25 + 5) 25 25)
color:WHITE | color:BLACK
color:white;color:nonsense | color:black;color:nonsense
-webkit-text-fill-color:transparent | -webkit-text-fill-color:navy
-webkit-text-fill-color:white | -webkit-text-fill-color:white;-webkit-text-stroke:1px black
color:transparent;text-shadow:0 0 0 transparent | color:transparent;text-shadow:0 0 2px #000
color:#fff;text-shadow:0 0 1px #fff | color:#fff;text-shadow:1px 1px 2px #000
background:#000;color:#000 | background:#000;color:#fff
background:black | background:#eee
background-color:rgb(0 0 0) | background-color:rgb(0 0 0 / 5%)
background:linear-gradient(#000,#000) | background:linear-gradient(#fff,#eee)
background:linear-gradient(to right, black, #010101 50%, black) | background:linear-gradient(to right, white, #eee)
background:red linear-gradient(#000,#000) no-repeat 0 0/cover | background:white
background-image:linear-gradient(oklch(0 0 0),black) | background-image:linear-gradient(oklch(1 0 0),white)
background:currentcolor | background:none
color:#fff;background:rgba(255,255,255,.5) | color:#fff;background:rgba(0,0,0,.9)
color:white;background:none | color:white;background:navy
background:linear-gradient(#fff,#fff);-webkit-background-clip:text;color:transparent | background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent
-webkit-text-security:disc | -webkit-text-security:none
all:unset;display:none | display:none;all:unset
position:relative;z-index:-1;color:white | position:relative;z-index:-1
display:none;position:relative | display:inline flow-root
display:n\\6fne | display:bl\\6fck
dis\\70lay:none | dis\\70lay:block
display/**/:/**/none | display/**/:/**/block
background:url(it's.png);display:none | background:none;display:block
--a:none;display:var(--a) | --a:block;display:var(--a)
--a:0;opacity:var(--a) | --a:1;opacity:var(--a)
--a:0;opacity:calc(var(--a) * 1) | --a:1;opacity:calc(var(--a) * 1)
--a:-9999;position:absolute;left:calc(var(--a) * 1px) | --a:9;position:absolute;left:calc(var(--a) * 1px)
--a:var(--b);--b:none;display:var(--a) | --a:var(--b);--b:block;display:var(--a)
display:var(--nothing, none) | display:var(--nothing, block)
--a:white;color:var(--a) | --a:black;color:var(--a)
--a:255 255 255;color:rgb(var(--a)) | --a:5 5 5;color:rgb(var(--a))
--a:var(--a);visibility:hidden | --a:var(--a);visibility:var(--a, visible)
--a:hidden;visibility:var(--a) | --a:hidden;visibility:var(--a);visibility:visible
--w:0;max-height:calc(var(--w) * 1px);overflow:hidden | --w:99;max-height:calc(var(--w) * 1px);overflow:hidden
clip-path:circle(closest-side at 0 0) | clip-path:circle(farthest-corner at 0 0)
clip-path:circle(5px at -50px -50px) | clip-path:circle(500px at 50px 50px)
clip-path:polygon(-10px 0, -20px 0, -20px -20px) | clip-path:polygon(0 0, 900px 0, 900px 90px, 0 90px)
clip-path:path(evenodd,"M0 0L0 0Z") | clip-path:path(evenodd,"M0 0L900 0L900 90L0 90Z")
filter:invert(1) | filter:invert(0)
font-size:-0px | font-size:-20px
position:absolute;right:100% | position:absolute;right:10%
position:relative;inset:auto 9999px auto auto | position:sticky;left:-9999px
opacity:0;opacity:var(--nothing-at-all, 0) | opacity:0;opacity:var(--nothing-at-all)
`;

/** Rules for `.x`, `.y` around it, and the text between two other paragraphs of `.y`. */
const RULES = `
.x{display:none} | .z{display:none}
p.x{display:none} | b.x{display:none}
.y .x{display:none} | .z .x{display:none}
.y>.x{display:none} | body>.x{display:none}
.a+.x{display:none} | .b+.x{display:none}
.a~.x{display:none} | .b~.x{display:none}
.y>:nth-child(2){display:none} | .y>:nth-child(3){display:none}
.y>:nth-child(2n){display:none} | .y>:nth-child(2n+1){display:none}
.y>:nth-last-child(2){display:none} | .y>:nth-last-child(1){display:none}
.y>:nth-child(1 of .x){display:none} | .y>:nth-child(2 of .x){display:none}
.y>.x:not(:first-child,:last-child){display:none} | .y>.x:first-child{display:none}
.y:has(.x) .x{display:none} | .y:has(.z) .x{display:none}
.x:has(+ .b){display:none} | .x:has(+ .a){display:none}
.x:has(i){display:none} | .x:has(u){display:none}
.x:not(.z){display:none} | .x:not(.x){display:none}
.x:is(p,b){display:none} | .x:is(b,u){display:none}
.x:where(:not(.z)){display:none} | .x:where(.z){display:none}
.x:not(:empty){display:none} | .x:empty{display:none}
.x:only-of-type,.x:not(:only-child){display:none} | .x:only-child{display:none}
.x:nth-of-type(2){display:none} | .x:last-of-type{display:none}
:is(.x,:bogus){display:none} | .x,:bogus{display:none}
.x:lang(en){display:none} | .x:lang(de){display:none}
[data-k=v]{display:none} | [data-k=w]{display:none}
[data-k^=v]{display:none} | [data-k^=""]{display:none}
[DATA-K="V" i]{display:none} | [data-k="V"]{display:none}
[class~=x]{display:none} | [class~=xx]{display:none}
#i{display:none} | #I2{display:none}
.x:enabled,.x:not(:hover){display:none} | .x:hover{display:none}
.x:not(:target):not(:focus){display:none} | .x:focus-within{display:none}
.y{.x{display:none}} | .z{.x{display:none}}
.y{& .x{display:none}} | .y{&.x{display:none}}
.x{&:nth-child(2){display:none}} | .x{&:nth-child(1){display:none}}
.y{> p.x{display:none}} | .y{> b{display:none}}
.y{p{color:red} @media all{.x{display:none}}} | .y{@media print{.x{display:none}}}
.x{@supports (display:grid){display:none}} | .x{@supports not (display:grid){display:none}}
@media screen{.x{display:none}} | @media print{.x{display:none}}
@media (min-width:100px){.x{display:none}} | @media (max-width:100px){.x{display:none}}
@media (100px < width < 9999px){.x{display:none}} | @media (width < 100px){.x{display:none}}
@media not print{.x{display:none}} | @media not screen{.x{display:none}}
@media (hover){.x{display:none}} | @media (hover:none){.x{display:none}}
@media (prefers-color-scheme:light){.x{display:none}} | @media (prefers-color-scheme:dark){.x{display:none}}
@supports (display:grid){.x{display:none}} | @supports (display:bogus){.x{display:none}}
@supports not (bogus:1){.x{display:none}} | @supports (bogus:1){.x{display:none}}
@supports (display:grid) and (not (display:bogus)){.x{display:none}} | @supports (display:grid) and (display:bogus){.x{display:none}}
@supports (display:bogus) or (display:flex){.x{display:none}} | @supports (display:bogus) or (display:wrong){.x{display:none}}
@supports selector(:has(a)){.x{display:none}} | @supports not selector(:has(a)){.x{display:none}}
@supports not selector(:hidden){.x{display:none}} | @supports selector(:hidden){.x{display:none}}
@supports selector(a > b:not(.c)){.x{display:none}} | @supports selector(a > > b){.x{display:none}}
@layer k{.x{display:none}} | @layer k{.x{display:none}} .x{display:block}
@layer k,l;@layer l{.x{display:none}}@layer k{.x{display:block}} | @layer k,l;@layer k{.x{display:none}}@layer l{.x{display:block}}
@layer k{.x{display:none!important}}.x{display:block!important} | @layer k{.x{display:none}}.x{display:block!important}
@layer k{.x{visibility:hidden}}.x{visibility:revert-layer} | .x{visibility:hidden;visibility:revert-layer}
@layer k{.x{display:none}}@layer l{.x{display:block;display:revert-layer}} | @layer k{.x{display:block}}@layer l{.x{display:none;display:revert-layer}}
.x,.y .x1{display:none} | .x,.1{display:none}
#i{display:none} | #i,#1{display:none}
@media (min-aspect-ratio:1/1){.x{display:none}} | @media (max-aspect-ratio:1/1){.x{display:none}}
@media (min-width:calc(1px*100)){.x{display:none}} | @media (max-width:calc(1px*100)){.x{display:none}}
@media (-webkit-min-device-pixel-ratio:0){.x{display:none}} | @media (-webkit-min-device-pixel-ratio:3){.x{display:none}}
@media ((min-width:1px) and (not (max-width:2px))){.x{display:none}} | @media ((min-width:1px) and (not (min-width:2px))){.x{display:none}}
@media (prefers-reduced-motion:no-preference){.x{display:none}} | @media (prefers-reduced-motion){.x{display:none}}
@media (forced-colors:none){.x{display:none}} | @media (forced-colors){.x{display:none}}
@supports (-webkit-appearance:none){.x{display:none}} | @supports (-webkit-touch-callout:none){.x{display:none}}
@supports selector(::-webkit-scrollbar){.x{display:none}} | @supports selector(::-moz-range-track){.x{display:none}}
*|p.x{display:none} | |p.x{display:none}
@scope (.y){& .x{display:none}} | @scope (.y){& b{display:none}}
@scope (.y){:scope>.x{display:none}} | @scope (.y){:scope>i{display:none}}
@scope (.y){.x{display:none}} | @scope (.z){.x{display:none}}
@scope (.y){:scope .x{display:none}} | @scope (.y) to (.x){.x{display:none}}
@container (min-width:1px){.x{color:red}}.x{display:none} | @container (max-width:1px){.x{display:none}}
.x{display:block}.x.x{display:none} | .x{display:none}.x.x{display:block}
#i{display:none}.x.x{display:block} | .x.x{display:none}#i{display:block}
.x{display:none!important}#i{display:block} | .x{display:block!important}#i{display:none}
:root{--a:none}.x{display:var(--a)} | :root{--a:none}.y{--a:block}.x{display:var(--a)}
:root{--A:none;--a:block}.x{display:var(--A)} | :root{--A:none;--a:block}.x{display:var(--a)}
.y{--a:0}.x{opacity:var(--a)} | .x{--a:1}.y{--a:0}.x{opacity:var(--a)}
.y{visibility:hidden} | .y{visibility:hidden}.x{visibility:visible}
.y{font-size:0}.x{font-size:2em} | .y{font-size:0}.x{font-size:20px}
.y{color:white} | .y{color:white}.x{color:black}
.y{color:white;background:white}.x{background:inherit} | .y{color:white;background:navy}
.y{background:navy;color:navy}.x{color:inherit} | .y{background:navy}.x{background:white}
.y{opacity:.2}.x{opacity:.1} | .y{opacity:.9}.x{opacity:.9}
.y{position:absolute;left:-9999px} | .y{position:absolute;left:-9999px}.x{position:relative;left:9999px}
.y{height:0;overflow:hidden} | .y{height:0;overflow:hidden}.x{position:absolute}
.y{display:grid;grid-template-rows:0fr}.x{overflow:hidden;min-height:0;display:none} | .y{display:grid;grid-template-rows:1fr}.x{overflow:hidden}
.y{height:2em;overflow:hidden}.a{height:9em} | .y{height:20em;overflow:hidden}
.y{background:#fff}.x{position:relative;z-index:-1} | .x{position:relative;z-index:-1}
.y{clip-path:inset(100%)} | .y{clip-path:inset(0)}
.y{transform:scale(0)} | .y{transform:scale(1)}
.y{filter:opacity(0)}.x{opacity:1} | .y{filter:none}.x{opacity:1}
.y{text-indent:-9999px} | .y{text-indent:-9999px}.x{text-indent:0}
@keyframes k{to{opacity:0}}.x{animation:k 0s forwards} | @keyframes k{to{opacity:1}}.x{opacity:0;animation:k 0s forwards}
@keyframes k{to{visibility:hidden}}.x{animation:k 1ms both} | @keyframes k{to{visibility:visible}}.x{visibility:hidden;animation:k 1ms both}
@keyframes k{to{transform:translateX(-9999px)}}.x{animation:0s k forwards} | @keyframes k{to{transform:none}}.x{animation:0s k forwards}
@property --a{syntax:"*";inherits:true;initial-value:none}.x{display:var(--a)} | @property --a{syntax:"*";inherits:true;initial-value:block}.x{display:var(--a)}
@keyframes k{from{opacity:0}to{opacity:0}}.x{animation:k 9s infinite} | @keyframes k{from{opacity:.5}to{opacity:1}}.x{animation:k 9s infinite}
@keyframes k{from{opacity:0}}.x{animation:k 1s paused both} | @keyframes k{from{opacity:1}}.x{animation:k 1s paused both}
.x{--on: ;display:var(--on) none} | .x{--on:initial;display:var(--on) none}
.x{max-height:env(safe-area-inset-top,100px);overflow:hidden} | .x{max-height:env(safe-area-inset-nope,100px);overflow:hidden}
.y{overflow:hidden;width:100px}.x{transform:translateX(-300px)} | .y{overflow:visible;width:100px}.x{transform:translateX(5px)}
.y{transform:translateX(-9999px)}.x{position:fixed;left:0} | .y{position:relative}.x{position:fixed;left:0}
@import url("data:text/css,.x{display:none}") supports(display:grid); | @import url("data:text/css,.x{display:none}") supports(display:bogus);
@import url("data:text/css,.x{display:none}"); | @import url("data:text/css,.x{display:none}") print;
:root{color-scheme:dark}.x{color:#121212} | :root{color-scheme:dark}
html{background:#123}.x{color:#123} | html{background:#123}.x{color:#fff}
body{background:navy}.x{color:navy} | body{background:navy}.x{color:white}
*{color:white} | *{color:black}
.x{display:none} i{display:block} | .x{display:contents}
.x i{font-size:0} | .x i{font-size:20px}
`;

const at = (body: string): string => `<!doctype html><html lang=en><meta charset=utf-8>${body}`;
const P = "<p>SECRET</p>";

/** Whole bodies. */
const BODIES: readonly (readonly [string, string])[] = [
  ["<p hidden>SECRET</p>", "<p data-hidden>SECRET</p>"],
  ["<P HIDDEN>SECRET</P>", "<P TITLE=HIDDEN>SECRET</P>"],
  ["<p hidden=x>SECRET</p>", "<style>p[hidden]{display:block}</style><p hidden>SECRET</p>"],
  ["<P STYLE='display:none'>SECRET</P>", "<P STYLE='display:block'>SECRET</P>"],
  ["<p style='display&#58;none'>SECRET</p>", "<p style='display&#58;block'>SECRET</p>"],
  ["<p popover>SECRET</p>", "<style>p{display:block!important}</style><p popover>SECRET</p>"],
  ["<dialog>SECRET</dialog>", "<dialog open>SECRET</dialog>"],
  ["<template>SECRET</template>", "<template>x</template><p>SECRET</p>"],
  ["<noscript>SECRET</noscript>", "<noscript>x</noscript>SECRET"],
  ["<iframe>SECRET</iframe>", `<iframe></iframe>${P}`],
  ["<video>SECRET</video>", `<video></video>${P}`],
  ["<canvas>SECRET</canvas>", `<canvas></canvas>${P}`],
  ["<datalist><option>SECRET</datalist>", "<b>SECRET</b>"],
  ["<ruby>a<rp>SECRET</rp><rt>b</ruby>", "<ruby>SECRET<rp>(</rp><rt>b</ruby>"],
  ["<!-- SECRET -->", `<!-- x -->${P}`],
  ["<!--><!-- SECRET -->", `<!-->${P}`],
  ["<script>SECRET</script>", `<script></script>${P}`],
  [
    `<script><!-- document.x = "<script src=y></script>"; SECRET --></script>`,
    `<script><!-- document.x = "<script src=y></script>"; --></script>${P}`,
  ],
  ["<textarea hidden>SECRET</textarea>", "<textarea rows=3>SECRET</textarea>"],
  [
    "<p class=x>SECRET</p><link rel=stylesheet href='data:text/css,.x{display:none}'>",
    "<p class=x>SECRET</p><link rel=stylesheet media=print href='data:text/css,.x{display:none}'>",
  ],
  [
    "<p class=x>SECRET</p><link rel=stylesheet href='data:text/css;base64,LnhkaXNwbGF5Ont9Lnh7ZGlzcGxheTpub25lfQ=='>",
    "<p class=x>SECRET</p><link rel='alternate stylesheet' title=x href='data:text/css,.x{display:none}'>",
  ],
  [
    "<p class=x>SECRET</p><link rel=stylesheet href='data:text/css,.x%7Bdisplay%3Anone%7D'>",
    "<p class=x>SECRET</p><link rel=stylesheet disabled href='data:text/css,.x%7Bdisplay%3Anone%7D'>",
  ],
  [
    "<style>.x{display:none}</style><p class=x>SECRET</p>",
    "<style type=text/less>.x{display:none}</style><p class=x>SECRET</p>",
  ],
  [
    "<style media=screen>.x{display:none}</style><p class=x>SECRET</p>",
    "<style media=print>.x{display:none}</style><p class=x>SECRET</p>",
  ],
  [
    "<p class=x>SECRET</p><style>.x{display:none}</style>",
    "<p class=x>SECRET</p><template><style>.x{display:none}</style></template>",
  ],
  [
    "<svg><style>.x{display:none}</style></svg><p class=x>SECRET</p>",
    "<svg><style media=print>.x{display:none}</style></svg><p class=x>SECRET</p>",
  ],
  [
    "<div><template shadowrootmode=open><p>a</p></template>SECRET</div>",
    "<div><template shadowrootmode=open><slot></slot></template>SECRET</div>",
  ],
  [
    "<div><template shadowrootmode=open><slot name=k></slot></template><p>SECRET</p></div>",
    "<div><template shadowrootmode=open><slot name=k></slot></template><p slot=k>SECRET</p></div>",
  ],
  [
    "<div><template shadowrootmode=open><slot hidden></slot></template><p>SECRET</p></div>",
    "<div><template shadowrootmode=open><b hidden></b><slot></slot></template><p>SECRET</p></div>",
  ],
  [
    "<div><template shadowrootmode=closed><style>p{display:none}</style><p>SECRET</p></template></div>",
    "<div><template shadowrootmode=closed><style>p{display:none}</style></template></div><p>SECRET</p>",
  ],
  [
    "<div><template shadowrootmode=open><style>:host{display:none}</style><p>SECRET</p></template></div>",
    "<div><template shadowrootmode=open><style>:host(.k){display:none}</style><p>SECRET</p></template></div>",
  ],
  [
    "<div><template shadowrootmode=open><style>::slotted(p){display:none}</style><slot></slot></template><p>SECRET</p></div>",
    "<div><template shadowrootmode=open><style>::slotted(b){display:none}</style><slot></slot></template><p>SECRET</p></div>",
  ],
  [
    "<div><template shadowrootmode=open><slot>SECRET</slot></template><b>x</b></div>",
    "<div><template shadowrootmode=open><slot>SECRET</slot></template></div>",
  ],
  [
    "<style>p{display:none}</style><p>SECRET</p>",
    "<style>p{display:none}</style><div><template shadowrootmode=open><p>SECRET</p></template></div>",
  ],
  ["<font color=white>SECRET</font>", "<font color=black>SECRET</font>"],
  ["<font color=ffffff>SECRET</font>", "<font color=000000>SECRET</font>"],
  ["<body bgcolor=black text=black>SECRET", "<body bgcolor=black text=white>SECRET"],
  ["<table bgcolor=black><tr><td>SECRET</table>", "<table bgcolor=yellow><tr><td>SECRET</table>"],
  ["<div hidden><p>SECRET</p></div>", "<div hidden></div><p>SECRET</p>"],
  ["<b hidden>SECRET</b>", "<b hidden/></b>SECRET"],
  ["<p><b hidden>x<p>SECRET</p>", "<p><b>x<p>SECRET</p>"],
  ["<table><tr hidden><td>SECRET</table>", "<table><tr hidden><td>x</table>SECRET"],
  [
    "<table hidden>SECRET<tr><td>x</table><style>body{font-size:0}</style>",
    "<table hidden>SECRET<tr><td>x</table>",
  ],
  [
    "<details style='display:none'><summary>a</summary>SECRET</details>",
    "<details open><summary>a</summary>SECRET</details>",
  ],
  [
    "<object data='data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='>SECRET</object>",
    `<p>SECRET</p>`,
  ],
  ["<select hidden><option>SECRET</select>", "<select size=3><option>SECRET</select>"],
  ["<p style='color:white'><a>SECRET</a></p>", "<p style='color:white'><a href=/>SECRET</a></p>"],
  [
    "<div style='visibility:hidden'><p>SECRET</p></div>",
    "<div style='visibility:hidden'><p style='visibility:visible'>SECRET</p></div>",
  ],
  [
    "<div style='display:none'><p style='display:block!important'>SECRET</p></div>",
    "<div style='display:contents'><p>SECRET</p></div>",
  ],
  [
    "<div style='opacity:0'><p style='opacity:1'>SECRET</p></div>",
    "<div style='opacity:.9'><p style='opacity:1'>SECRET</p></div>",
  ],
  [
    "<style>x-y:not(:defined){display:none}</style><x-y>SECRET</x-y>",
    "<style>b:not(:defined){display:none}</style><b>SECRET</b>",
  ],
  [
    "<table><col style='visibility:collapse'><tr><td>SECRET<td>b</table>",
    "<table><col><col style='visibility:collapse'><tr><td>SECRET<td>b</table>",
  ],
  ["<svg><text y=20 display=none>SECRET</text></svg>", "<svg><text y=20>SECRET</text></svg>"],
  ["<svg><defs><text y=20>SECRET</text></defs></svg>", "<svg><g><text y=20>SECRET</text></g></svg>"],
  [
    "<svg>SECRET<title>SECRET</title></svg>",
    "<svg><foreignObject width=200 height=50><p>SECRET</p></foreignObject></svg>",
  ],
  ["<title>SECRET</title>", "<title>x</title><p>SECRET</p>"],
  ["<meter value=1>SECRET</meter><progress max=2 value=1>SECRET</progress>", "<output>SECRET</output>"],
  ["<div style='contain:paint;height:0'>SECRET</div>", "<div style='contain:paint;height:9em'>SECRET</div>"],
  ["<math><mphantom><mi>SECRET</mi></mphantom></math>", "<math><mrow><mi>SECRET</mi></mrow></math>"],
  [
    "<p class=x>SECRET</p><link rel='stylesheet preload' as=style href='data:text/css,.x{display:none}'>",
    "<p class=x>SECRET</p><link rel=stylesheet type=text/plain href='data:text/css,.x{display:none}'>",
  ],
  [
    "<div k><template shadowrootmode=open><style>:host([k]){display:none}</style><slot></slot></template>SECRET</div>",
    "<div><template shadowrootmode=open><style>:host([k]){display:none}</style><slot></slot></template>SECRET</div>",
  ],
  ["<noembed>SECRET</noembed><noframes>SECRET</noframes>", "<xmp>SECRET</xmp>"],
];

const toPairs = (table: string): readonly (readonly [string, string])[] =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split(" | ") as [string, string]);

const quote = (css: string): string => css.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
const styled = (css: string): string => at(`<body><p>before</p><div style="${quote(css)}">SECRET</div>`);
const ruled = (css: string): string =>
  at(
    `<style>${css}</style><body><div class=y><p class=a>before</p><p class=x id=i data-k=v><i>SECRET</i></p><p class=b>after</p></div>`,
  );

export const FORMS: readonly Form[] = [
  ...toPairs(DECLARATIONS).map(([hiding, showing]) => ({ hiding: styled(hiding), showing: styled(showing) })),
  ...toPairs(RULES).map(([hiding, showing]) => ({ hiding: ruled(hiding), showing: ruled(showing) })),
  ...BODIES.map(([hiding, showing]) => ({ hiding: at(hiding), showing: at(showing) })),
];
