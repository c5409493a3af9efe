import { decodeEntities } from "./entities.ts";
import { holdsOnScreen } from "./media-queries.ts";
import { OpenElements } from "./open-elements.ts";

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
      output.add(open.leave(name.slice(1)));
      continue;
    }
    const ends = open.endBefore(name);
    output.add(ends ?? " ");
    if (ends === undefined) continue;
    elements += 1;
    if (elements > MOST_ELEMENTS) throw new RangeError(`The page has more than ${MOST_ELEMENTS} elements`);
    const isClosed = slash === "/" && (isXml || open.takesForeign || FOREIGN.test(name));
    const apart = attributes.match(EACH_ATTRIBUTE) ?? [];
    const tag = `<${[name, ...apart, isClosed ? "/" : ""].join(" ")}>`;
    if (name === "table") output.beginTable();
    output.write(tag);
    if (isClosed) continue;
    const has = (attribute: RegExp): boolean => apart.some((each) => attribute.test(each));
    open.enter(name, tag, name === "template" && !has(/^shadowrootmode\b/i));
    if (slash === "/" && INLINE.test(name) && !has(/^hidden\b/i)) output.add(open.leave(name));
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

/** Text in one of these, but in none of their cells, is moved before the table, as in browsers. */
const TABLE = /^(?:table|tbody|tfoot|thead|tr)$/;

class Output {
  readonly #open: OpenElements;
  /** What comes before each open table. */
  readonly #before: string[] = [];
  #html = "";

  constructor(open: OpenElements) {
    this.#open = open;
  }

  add(html: string): void {
    this.#html += html;
  }

  write(html: string): void {
    if (!this.#open.innermost.isSilent) this.#html += html;
  }

  writeText(text: string): void {
    while (this.#before.length > this.#open.tables) this.#html = `${this.#before.pop()}${this.#html}`;
    const { name, isSilent } = this.#open.innermost;
    const outside = TABLE.test(name) && !isSilent && /\S/.test(text) ? this.#before.pop() : undefined;
    if (outside === undefined) this.write(text);
    else this.#before.push(outside + text);
  }

  beginTable(): void {
    this.#before.push(this.#html);
    this.#html = "";
  }

  toString(): string {
    return this.#before.join("") + this.#html;
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
