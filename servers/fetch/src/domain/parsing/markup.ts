import { decodeEntities } from "./entities.ts";
import { holdsOnScreen } from "./media-queries.ts";
import { OpenElements, ROWS } from "./open-elements.ts";

/** A page that other parsers read as browsers do, and the style sheets that were in it. */
export interface Markup {
  /** As it was given. */
  readonly page: string;
  readonly html: string;
  readonly sheets: readonly string[];
}

const ATTRIBUTE = String.raw`[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s"'>][^\s>]*)?)?`;
const EACH_ATTRIBUTE = new RegExp(ATTRIBUTE, "g");
const COMMENT = "<!--(?:-?>|[^]*?(?:--!?>|$))|<(?:[!?]|/(?![a-z]|$))[^>]*>?";
const TAG = String.raw`<(/?[a-z][^\s/>]*)((?:[\s/]*${ATTRIBUTE})*)[\s/]*?(/?)(>|$)`;
/** The end of the page ends any of them: one that did not match would be tried again from every later place. */
const MARKUP = new RegExp(`${COMMENT}|${TAG}`, "gi");

const MOST_ELEMENTS = 400_000;

/** In these there are no tags but their own end tag. */
const RAW = /^(?:style|script|title|textarea|xmp|noscript|iframe|noembed|noframes)$/;
/** Begins text in XML, SVG and MathML, and a comment in HTML. */
const CDATA = "<![CDATA[";
const FOREIGN = /^(?:svg|math)$/;
/** mdream writes all that is in one of these on one line, headings too. */
const INLINE =
  /^(?:a|abbr|b|bdo|button|cite|code|del|dfn|em|i|ins|kbd|label|mark|q|rt|ruby|s|samp|small|strike|strong|sub|sup|time|u|var)$/;

/** In HTML, unlike XML, a slash closes only elements of SVG and MathML, and here also `<a name="top"/>` and its like, unless hidden. */
export function readMarkup(page: string, isXml = false): Markup {
  const sheets: string[] = [];
  let at = 0;
  let elements = 0;
  const open = new OpenElements();
  const output = new Output(open);
  MARKUP.lastIndex = 0;
  for (let found = MARKUP.exec(page); found; found = MARKUP.exec(page)) {
    output.writeText(page.slice(at, found.index));
    at = MARKUP.lastIndex;
    const [all, given = "", attributes = "", slash, end] = found;
    if ((isXml || open.innermost.isForeign) && all.startsWith(CDATA)) {
      const close = page.indexOf("]]>", found.index);
      at = close < 0 ? page.length : close + 3;
      MARKUP.lastIndex = at;
      const text = page.slice(found.index + CDATA.length, at).replace("]]>", "");
      if (open.innermost.name === "style" && !open.innermost.isInert) sheets.push(text);
      output.write(toMarkup(text, "xmp"));
      continue;
    }
    // A comment, or a tag that is cut off.
    if (end !== ">") continue;
    const name = given.toLowerCase();
    if (name.startsWith("/")) {
      output.writeEnds(open.leave(name.slice(1)));
      continue;
    }
    const ends = open.endBefore(name);
    output.writeEnds(ends ?? " ");
    if (ends === undefined) continue;
    elements += 1;
    if (elements > MOST_ELEMENTS) throw new RangeError(`The page has more than ${MOST_ELEMENTS} elements`);
    const isClosed = slash === "/" && (isXml || open.takesForeign || FOREIGN.test(name));
    const apart = attributes.match(EACH_ATTRIBUTE) ?? [];
    const tag = `<${[name, ...apart, isClosed ? "/" : ""].join(" ")}>`;
    output.writeTag(name, tag);
    if (isClosed) continue;
    const has = (attribute: RegExp): boolean => apart.some((each) => attribute.test(each));
    open.enter(name, tag, name === "template" && !has(/^shadowrootmode\b/i));
    if (slash === "/" && INLINE.test(name) && !has(/^hidden\b/i)) output.writeEnds(open.leave(name));
    const { isForeign, isInert } = open.innermost;
    if (!RAW.test(name) || (isForeign && name !== "style")) continue;
    const text = textUntil(isForeign ? "<" : `</${name}(?=[\\s/>])`, page, at);
    MARKUP.lastIndex = at += text.length;
    if (name !== "style") output.write(toMarkup(text, name));
    else if (!isInert && holdsOnScreen(mediaOf(apart))) sheets.push(text);
  }
  output.writeText(page.slice(at));
  return { page, html: output.toString(), sheets };
}

const TABLE_TAG = /^(?:caption|col|colgroup|table|tbody|td|tfoot|th|thead|tr)$/;
/** The end tags of rows, after those of elements in them. */
const ENDS_OF_ROWS = /^((?:<\/[^>]*>)*?)(<\/(?:table|tbody|tfoot|thead|tr)>[^]*)$/;

/** Moves what is in a table, but in none of its cells, before the table, as browsers do. */
class Output {
  readonly #open: OpenElements;
  /** The page and the open tables in it, each with what is moved before it. */
  readonly #parts = [{ before: "", html: "", isMoved: false }];
  #wasBetweenCells = false;

  constructor(open: OpenElements) {
    this.#open = open;
  }

  /** To be called before every tag. */
  writeText(text: string): void {
    while (this.#parts.length > this.#open.tables + 1) this.#endTable();
    const { name, isSilent, isBetweenCells } = this.#open.innermost;
    this.#wasBetweenCells = isBetweenCells;
    const isSpace = ROWS.has(name) && !/\S/.test(text);
    if (!isSilent) this.#add(text, isBetweenCells && !isSpace);
  }

  /** What an end tag stands for, or a start tag implies. */
  writeEnds(ends: string): void {
    const [, moved = ends, rows = ""] = ENDS_OF_ROWS.exec(ends) ?? [];
    this.#add(moved, this.#wasBetweenCells);
    this.#add(rows, false);
  }

  writeTag(name: string, tag: string): void {
    const { name: around, isSilent, isBetweenCells } = this.#open.innermost;
    const isMoved = isBetweenCells && !(ROWS.has(around) && TABLE_TAG.test(name));
    if (name === "table") this.#parts.push({ before: "", html: "", isMoved });
    if (!isSilent) this.#add(tag, isMoved && name !== "table");
  }

  write(html: string): void {
    const { isSilent, isBetweenCells } = this.#open.innermost;
    if (!isSilent) this.#add(html, isBetweenCells);
  }

  toString(): string {
    while (this.#parts.length > 1) this.#endTable();
    return this.#parts[0]?.html ?? "";
  }

  #endTable(): void {
    const { before = "", html = "", isMoved = false } = this.#parts.pop() ?? {};
    this.#add(before + html, isMoved);
  }

  #add(html: string, isMoved: boolean): void {
    const part = this.#parts.at(-1);
    if (part) part[isMoved ? "before" : "html"] += html;
  }
}

function textUntil(mark: string, page: string, start: number): string {
  const end = new RegExp(mark, "gi");
  end.lastIndex = start;
  return page.slice(start, end.exec(page)?.index);
}

/** Leaves out what nobody sees, except scripts: they may hold metadata. */
function toMarkup(text: string, name: string): string {
  if (name === "script") return text;
  if (name === "xmp") return toMarkup(text.replaceAll("&", "&amp;"), "title");
  return name === "title" || name === "textarea" ? text.replaceAll("<", "&lt;") : "";
}

function mediaOf(attributes: readonly string[]): string {
  const media = attributes.find((each) => /^media\s*=/i.test(each)) ?? "";
  return decodeEntities(media.replace(/^[^=]*=\s*/, "").replaceAll(/["']/g, ""));
}
