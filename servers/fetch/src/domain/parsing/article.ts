import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";

import { HiddenElements } from "./hidden.ts";
import { convertHtml } from "./html.ts";
import { readMarkup } from "./markup.ts";
import type { StyledElement } from "./siblings.ts";
import type { Converted, ConvertOptions } from "./walk.ts";

/** Readability takes too long beyond these limits. */
const MOST_NODES = 60_000;
const DEEPEST = 150;
/** The least share of the page's text and headings that an article must keep. */
const LEAST_SHARE = 0.3;
const LEAST_HEADINGS = 0.5;

export interface Article {
  readonly converted: Converted;
  readonly title: string | undefined;
  readonly byline: string | undefined;
  readonly published: string | undefined;
}

/** The article that Readability finds in a page, or the reason not to use it. */
export function extractArticle(html: string, page: ConvertOptions, whole: Converted): Article | string {
  if (whole.nodes > MOST_NODES || whole.depth > DEEPEST) return "the page is too large or too deeply nested";
  const markup = readMarkup(html, page.isXml);
  // The text of `xmp` is escaped here, and linkedom would do so again.
  const { document } = parseHTML(markup.html.replaceAll(/<(\/?)xmp\b/g, "<$1pre"));
  if (!(document as { readonly documentElement?: unknown }).documentElement) return "no article was found";
  removeHidden(document as Tree, new HiddenElements(markup));
  const found = new Readability(document, { maxElemsToParse: MOST_NODES }).parse();
  if (!found?.content) return "no article was found";
  const converted = convertHtml(found.content, page);
  const isMain = whole.mainLength > 0;
  const expectedText = isMain ? whole.mainLength : whole.textLength;
  const expectedHeadings = isMain ? whole.mainHeadings : whole.headings;
  if (converted.textLength < expectedText * LEAST_SHARE)
    return "the article would have lost most of the text";
  if (converted.headings < (expectedHeadings - 1) * LEAST_HEADINGS) {
    return "the article would have lost most of the headings";
  }
  const { title, byline, publishedTime } = found;
  return {
    converted,
    title: title || undefined,
    byline: byline || undefined,
    published: publishedTime || undefined,
  };
}

/** The parts of the DOM used here: the DOM types themselves come only with those of a browser. */
interface Tree {
  readonly children: Iterable<Branch>;
  readonly childNodes: Iterable<{ readonly nodeType: number; remove(): void }>;
}
interface Branch extends Tree {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  textContent: string;
  removeAttribute(name: string): void;
  remove(): void;
}

const TEXT = 3;

/** Runs before Readability, which drops the styles that hide elements. Keeps scripts: they may hold metadata. */
function removeHidden(document: Tree, hidden: HiddenElements): void {
  const waiting: { readonly tree: Tree; readonly parent?: StyledElement }[] = [{ tree: document }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { tree, parent } = next;
    for (const child of tree.children) {
      const name = child.localName;
      const attributes = Object.fromEntries([...child.attributes].map((each) => [each.name, each.value]));
      const styled = { name, attributes, ...(parent && { parent }) };
      const isHidden = hidden.has(styled);
      if (name === "script" || name === "style") continue;
      if (isHidden && hidden.keepsPlace(styled)) {
        child.textContent = "";
        // Readability would remove the cell because of its style.
        child.removeAttribute("style");
      } else if (isHidden) child.remove();
      else {
        if (!hidden.isLegibleIn(styled)) removeTexts(child);
        waiting.push({ tree: child, parent: styled });
      }
    }
  }
}

function removeTexts({ childNodes }: Branch): void {
  for (const text of [...childNodes].filter(({ nodeType }) => nodeType === TEXT)) text.remove();
}
