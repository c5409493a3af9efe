import * as fc from "fast-check";

const PLAIN = ["", "", "", " title='hidden'", " class=k", " data-hidden", " id=x/", ' data-a="<b hidden>"'];
const HIDING = [
  " hidden",
  " HIDDEN=''",
  "/hidden",
  " class='a &#104;'",
  " CLASS=h",
  ' style="display:none"',
  " id=h title='>'",
  " style='visibility:hidden; color:'",
];
const RULES = [
  ".h{display:none}",
  "#h{display:none!important}",
  "p .h, i.h{visibility:hidden}",
  ".h{display:bogus; visibility:none}",
  "@media print{.k{display:none}}",
  "@media screen{.k.h{display:none}}",
  "@bogus{.k{display:none}}",
  ".k, :bogus{display:none}",
  ".k{}} .k{display:none}",
  ".k{display:none;}; .k{display:block}",
  ".k{a:'\n;display:none;b:'}",
  ".k{/*}*/ display:block; } /* .k{display:none}",
  "section > .k + .k{display:none}",
  "div{.k{display:none}}",
  ".k:not(:bogus), .h > {display:none}",
  ".k:is(:bogus, p){display:none}",
  "@media (min-width:1px) and (max-width:9999px), bogus{.k::bogus, p.k{display:none}}",
  "p{display:none !bogus} .h{display:block!important}",
  "p{display:none none; visibility:hidden(1)}",
  "[title=hidden] .k{display:NONE}",
  "@import url(x); .k{}",
  "p{;;display:none\\;}",
  "p{display:none",
];
/** There are no tags in most of these, and nobody sees the others. */
const RAW = "script style noscript iframe noembed noframes xmp title svg template".split(" ");
const RAW_TEXTS = ["WORD", "<!-- WORD", "WORD <p>", "<p hidden>WORD</p>", "</ WORD >", "&lt;p> WORD"];
const VOID = ["<br>", "</br>", "<input>", "<img>", "<!-->", "<!-- WORD -->", "<!-- WORD --!>"];
const BOGUS = [
  "<? WORD >",
  "</ WORD >",
  "<!WORD>",
  "</b WORD >",
  "</p>",
  "</div>",
  "</li>",
  "</table>",
  "<hr>",
];

const from = (list: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...list);
const several = (each: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(each, { maxLength: 4 }).map((all) => all.join(""));
const attributes = fc.oneof({ weight: 3, arbitrary: from(PLAIN) }, { weight: 1, arbitrary: from(HIDING) });

const closed = (names: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(from(names.split(" ")), attributes, content)
    .map(([name, given, inner]) => `<${name}${given}>${inner}</${name}>`);
/** Sometimes without the end tag. */
const loose = (names: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(closed(names, content), fc.integer({ max: 3, min: 0 }))
    .map(([whole, chance]) => (chance === 0 ? whole.replace(/<[^<]*$/, "") : whole));

/** With text and elements between them. */
const cells = (each: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const between = fc.oneof(fc.constant(" WORD "), closed("b p div section", fc.constant(" WORD ")));
  return several(fc.oneof({ weight: 4, arbitrary: each }, { weight: 1, arbitrary: between }));
};

/** Blocks that end after the formatting in which they begin. */
const overlapping = (content: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(closed("div p section", fc.constant(" WORD <div> WORD </b>SPLIT</div>")), content)
    .map(([block, after]) => `<b>${block.replace("SPLIT", after)}`);

const raw = fc
  .tuple(from(RAW), several(from(RAW_TEXTS)))
  .map(([name, text]) => `<${name}>${text}</${name}>`)
  // With the end of an SVG in a comment, later cells are in the SVG. If those are hidden, Chromium shows others that are hidden.
  .filter((element) => !/^<svg>.*<!--/s.test(element));

const { content } = fc.letrec<{ content: string }>((tie) => {
  const inner = tie("content");
  const likely: readonly (readonly [number, fc.Arbitrary<string>])[] = [
    [4, fc.constant(" WORD ")],
    [3, loose("p div", inner)],
    [2, closed("section blockquote h2 pre main", inner)],
    [1, loose("span label ins x-y", inner)],
    [1, closed("b i a font code", several(from([" WORD ", ...VOID])))],
    [1, overlapping(inner)],
    [1, raw],
    [1, from([...VOID, ...BOGUS])],
    [1, closed("ul ol", several(loose("li", inner)))],
    [1, closed("dl", several(loose("dt dd", inner)))],
    [1, closed("table", cells(loose("tr", cells(loose("td th", inner)))))],
  ];
  const node = fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    ...likely.map(([weight, arbitrary]) => ({ weight, arbitrary })),
  );
  return { content: several(node) };
});

/**
 * A page with words that are numbered in their order. Never in it, because we read it differently from browsers:
 * closed `details`, which we show.
 */
export const randomPage: fc.Arbitrary<string> = fc
  .tuple(fc.shuffledSubarray(RULES), several(raw), content, content)
  .map(([rules, head, ...bodies]) => {
    let words = 0;
    const page = `<!doctype html>${head}<style>${rules.join("\n")}</style><body>${bodies.join(" WORD ")}`;
    return page.replaceAll("WORD", () => `word${(words += 1)}.`);
  });
