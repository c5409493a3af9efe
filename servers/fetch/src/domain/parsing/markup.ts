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
const FRAME = /^i?frame$/;
/** mdream writes all that is in one of these on one line, headings too. */
const INLINE =
  /^(?:a|abbr|b|bdo|button|cite|code|del|dfn|em|i|ins|kbd|label|mark|q|rt|ruby|s|samp|small|strike|strong|sub|sup|time|u|var)$/;

/** In HTML, unlike XML, a slash closes only elements of SVG and MathML, and here also `<a name="top"/>` and its like, unless hidden. */
export function readMarkup(page: string, isXml = false): Markup {
  const sheets: string[] = [];
  let html = "";
  let at = 0;
  let elements = 0;
  const open = new OpenElements();
  const write = (text: string): void => {
    if (!open.innermost.isSilent) html += text;
  };
  MARKUP.lastIndex = 0;
  for (let found = MARKUP.exec(page); found; found = MARKUP.exec(page)) {
    write(page.slice(at, found.index));
    at = MARKUP.lastIndex;
    const [all, given = "", attributes = "", slash, end] = found;
    if ((isXml || open.innermost.isForeign) && all.startsWith(CDATA)) {
      const close = page.indexOf("]]>", found.index);
      at = close < 0 ? page.length : close + 3;
      MARKUP.lastIndex = at;
      const text = page.slice(found.index + CDATA.length, at).replace("]]>", "");
      if (open.innermost.name === "style" && !open.innermost.isInert) sheets.push(text);
      write(toMarkup(text, "xmp"));
      continue;
    }
    // A comment, or a tag that is cut off.
    if (end !== ">") continue;
    const name = given.toLowerCase();
    if (name.startsWith("/")) {
      html += open.leave(name.slice(1));
      continue;
    }
    const ends = open.endBefore(name);
    html += ends ?? " ";
    if (ends === undefined) continue;
    elements += 1;
    if (elements > MOST_ELEMENTS) throw new RangeError(`The page has more than ${MOST_ELEMENTS} elements`);
    const isClosed = slash === "/" && (isXml || open.takesForeign || FOREIGN.test(name));
    const apart = attributes.match(EACH_ATTRIBUTE) ?? [];
    const tag = `<${[name, ...apart, isClosed ? "/" : ""].join(" ")}>`;
    if (FRAME.test(name)) write(toFrameLink(apart));
    write(tag);
    if (isClosed) continue;
    const has = (attribute: RegExp): boolean => apart.some((each) => attribute.test(each));
    open.enter(name, tag, name === "template" && !has(/^shadowrootmode\b/i));
    if (slash === "/" && INLINE.test(name) && !has(/^hidden\b/i)) html += open.leave(name);
    const { isForeign, isInert } = open.innermost;
    if (!RAW.test(name) || (isForeign && name !== "style")) continue;
    const text = textUntil(isForeign ? "<" : `</${name}(?=[\\s/>])`, page, at);
    MARKUP.lastIndex = at += text.length;
    if (name !== "style") write(toMarkup(text, name));
    else if (!isInert && holdsOnScreen(valueOf("media", apart))) sheets.push(text);
  }
  write(page.slice(at));
  return { page, html, sheets };
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

/** Frames are not loaded; this shows where they lead. */
function toFrameLink(attributes: readonly string[]): string {
  if (!/^(?!about:|data:|javascript:)./i.test(valueOf("src", attributes))) return "";
  if (["width", "height"].some((side) => /^[01](?:px)?$/.test(valueOf(side, attributes)))) return "";
  const title = toMarkup(valueOf("title", attributes), "xmp");
  const given = attributes.map((each) => each.replace(/^src(?=\s*=)/i, "href"));
  return `<a ${given.join(" ")} >Frame${title && `: ${title}`}</a>`;
}

function valueOf(name: string, attributes: readonly string[]): string {
  const given = attributes.find((each) => new RegExp(`^${name}\\s*=`, "i").test(each)) ?? "";
  return decodeEntities(given.replace(/^[^=]*=?\s*/, "").replaceAll(/["']/g, "")).trim();
}
