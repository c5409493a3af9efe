import { Readability } from "@mozilla/readability";
import JSDOMParser from "@mozilla/readability/JSDOMParser.js";

import {
  attributeOf,
  type Element,
  isElement,
  isText,
  type Node,
  type Parent,
  readPart,
  textOf,
  type Tree,
} from "./tree.ts";

/**
 * Readability takes too long beyond these limits: for each list around a list, it reads the text of all in it anew, and it takes nodes
 * out of an element one by one, from the front.
 */
const MOST_ELEMENTS = 60_000;
const MOST_DEEP = 4_000_000_000;
const MOST_BESIDE = 100_000_000;
/** As many characters of text take as long. */
const ELEMENT = 50;
/** The least share of what the page marks as its main part or article that must be found. */
const LEAST_SHARE = 0.05;
const LEAST_TEXT = 25;

export interface Article {
  readonly nodes: readonly Node[];
  readonly title: string | undefined;
  readonly byline: string | undefined;
  readonly published: string | undefined;
}

/** The article that Readability finds in a clean tree, or the reason not to use it. */
export function extractArticle({ root }: Tree, textLength: number): Article | string {
  const writer = new XmlWriter();
  for (const node of root.childNodes) writer.write(node);
  if (writer.elements > MOST_ELEMENTS || writer.deep > MOST_DEEP || writer.beside > MOST_BESIDE)
    return "the page is too large";
  const document = new JSDOMParser().parse(writer.xml);
  const found = new Readability(document, { maxElemsToParse: MOST_ELEMENTS }).parse();
  if (!found?.content) return "no article was found";
  const content = readPart(found.content);
  const { length } = toPlain(textOf(content));
  const expected = Math.min(writer.markedLength || textLength, textLength);
  if (length < LEAST_TEXT || length < expected * LEAST_SHARE)
    return "next to nothing of the page was found to be an article";
  if (writer.main !== undefined && !liesIn(content, writer.main))
    return "what was found to be an article lies outside of the part marked as main";
  const { title, byline, publishedTime } = found;
  return {
    nodes: content.childNodes,
    title: title || undefined,
    byline: byline || undefined,
    published: publishedTime || undefined,
  };
}

const MOST_COMPARED = 50;
const LEAST_COMPARED = 20;

/** Whether most of what was found is text of this element: on a short page, the text below it may be the longest. */
function liesIn(found: Node | Parent, element: Element): boolean {
  const inside = toPlain(textOf(element));
  const parts = listTexts(found).slice(0, MOST_COMPARED);
  const lengthOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length, 0);
  return 2 * lengthOf(parts.filter((part) => inside.includes(part))) >= lengthOf(parts);
}

const toPlain = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function listTexts(node: Node | Parent): readonly string[] {
  if ("childNodes" in node) return node.childNodes.flatMap(listTexts);
  const text = isText(node) ? toPlain(textOf(node)) : "";
  return text.length < LEAST_COMPARED ? [] : [text];
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** What Readability returns is read once more, and in `xmp` as it is written. It leaves out controls, whatever they show. */
function toName(element: Element): string {
  const { tagName } = element;
  if (/^(?:listing|plaintext|textarea|xmp)$/.test(tagName)) return "pre";
  if (tagName === "select" && attributeOf(element, "size") !== undefined) return "p";
  return /^[a-z][\w:.-]*$/i.test(tagName) ? tagName : "span";
}

/** Writes a tree in the only form that Readability's parser reads. */
class XmlWriter {
  xml = "";
  elements = 0;
  /** Texts by their length and elements, each times the square of its depth. */
  deep = 0;
  /** How many nodes there are beside each, together. */
  beside = 0;
  /** Length of the text in the largest element that is marked as the main part or an article. */
  markedLength = 0;
  main: Element | undefined;

  write(node: Node, depth = 0): void {
    if (isElement(node)) return this.#writeElement(node);
    if (!isText(node)) return;
    this.deep += node.value.length * depth ** 2;
    this.xml += escape(node.value);
  }

  #writeElement(element: Element): void {
    this.elements += 1;
    const { tagName, attrs, childNodes, depth = 0 } = element;
    this.deep += ELEMENT * depth ** 2;
    this.beside += childNodes.length ** 2;
    if (tagName === "style") return;
    const isMain = tagName === "main" || attributeOf(element, "role") === "main";
    if (isMain) this.main ??= element;
    if (isMain || tagName === "article")
      this.markedLength = Math.max(this.markedLength, textOf(element).length);
    const name = toName(element);
    const given = attrs
      // What is hidden has been taken out.
      .filter((each) => /^[\w:.-]+$/.test(each.name) && each.name !== "style" && each.name !== "hidden")
      .map((each) => ` ${each.name}="${escape(each.value)}"`);
    this.xml += `<${name}${given.join("")}>`;
    for (const child of childNodes) this.write(child, depth);
    this.xml += `</${name}>`;
  }
}
