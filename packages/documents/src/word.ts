import { type Dialect, type Role, writeMarkdown } from "./markdown.ts";
import type { OfficePackage } from "./office-package.ts";
import type { Opened } from "./opened.ts";
import {
  attributeOf,
  child,
  type Element,
  findElement,
  indexBy,
  isElement,
  isSet,
  isTrue,
  readElements,
  textOf,
} from "./xml.ts";

/** In half points. Nobody reads smaller letters. */
const SMALLEST = 4;
const MOST_STYLES = 20;

/** DOCX. Where its pages end is only known once it is laid out, so it is one part. */
export function openWord(file: OfficePackage): Opened {
  return {
    format: "docx",
    parts: [() => writeMarkdown(findElement(file.main, "body"), createDialect(file))],
  };
}

const TEXTS: { readonly [name: string]: string } = {
  tab: "\t",
  br: "\n",
  cr: "\n",
  noBreakHyphen: "\u2011",
};
/** Moved and deleted text is where it was, the choice of a newer program before its stand-in for older ones. */
const LEFT_OUT = /^(?:moveFrom|del|Fallback|instrText|(?:p|r|tbl|tr|tc|sect)Pr)$/;

function createDialect(file: OfficePackage): Dialect {
  const styles = new Styles(file.findRelated("styles"));
  const numbering = new Numbering(file.findRelated("numbering"));
  const notes = {
    footnoteReference: indexBy(file.findRelated("footnotes"), "id", "footnote"),
    endnoteReference: indexBy(file.findRelated("endnotes"), "id", "endnote"),
  };
  const surroundings = new Surroundings(styles);
  /** The text of a note, without what a person does not see. */
  const toSeen = (element: Element): string => {
    const { name } = element;
    if (name === "t") return textOf(element);
    if (LEFT_OUT.test(name) || (name === "r" && surroundings.isHidden(element))) return "";
    if (name === "p") surroundings.enterParagraph(element);
    if (name === "tbl") surroundings.enterTable(element);
    const inner = element.children.filter(isElement).map(toSeen).join("");
    return name === "p" ? `${inner} ` : (TEXTS[name] ?? inner);
  };
  const toParagraph = (element: Element): Role => {
    const own = child(element, "pPr");
    const name = surroundings.enterParagraph(element);
    const level = styles.levelOf(own, name);
    if (level !== undefined) return { as: "heading", level };
    return { as: "paragraph", prefix: numbering.next(styles.find(own, name, "numPr")) };
  };
  return {
    hasLooseText: false,
    roleOf(element) {
      const { name } = element;
      if (name === "p") return toParagraph(element);
      if (name === "r") return surroundings.isHidden(element) ? { as: "hidden" } : undefined;
      if (name === "t") return { as: "text", text: textOf(element) };
      if (LEFT_OUT.test(name)) return { as: "nothing" };
      if (name === "tbl") {
        surroundings.enterTable(element);
        return { as: "table" };
      }
      if (name === "tr") return isSet(child(element, "trPr", "hidden")) ? { as: "hidden" } : { as: "row" };
      if (name === "tc")
        return {
          as: "cell",
          width: Number(attributeOfChild(child(element, "tcPr"), "gridSpan") ?? 1) || 1,
        };
      if (name === "hyperlink") {
        const url = file.findLink(element);
        return url === undefined ? undefined : { as: "link", url };
      }
      if (name === "footnoteReference" || name === "endnoteReference") {
        const note = notes[name].get(attributeOf(element, "id") ?? "");
        if (!note) return undefined;
        const seen = toSeen(note).trim();
        return seen === "" ? { as: "hidden" } : { as: "text", text: ` [note: ${seen}]` };
      }
      const text = TEXTS[name];
      return text === undefined ? undefined : { as: "text", text };
    },
  };
}

const attributeOfChild = (element: Element | undefined, name: string): string | undefined =>
  attributeOf(child(element, name), "val");

/** Without those in a `but`: what is in a paragraph of a text box has that one's style. */
const runsOf = (element: Element, but?: string): Element[] =>
  element.children
    .filter(isElement)
    .filter(({ name }) => name !== but)
    .flatMap((each) => (each.name === "r" ? [each, ...runsOf(each, but)] : runsOf(each, but)));

/** Remembers the styles of the paragraphs and tables that runs are in. */
class Surroundings {
  readonly #styles: Styles;
  readonly #paragraphs = new WeakMap<Element, string>();
  /** Only of tables whose style could hide something. */
  readonly #tables = new WeakMap<Element, string>();

  constructor(styles: Styles) {
    this.#styles = styles;
  }

  /** Returns the paragraph's style. */
  enterParagraph(paragraph: Element): string | undefined {
    const name = attributeOfChild(child(paragraph, "pPr"), "pStyle");
    if (name !== undefined) for (const run of runsOf(paragraph, "p")) this.#paragraphs.set(run, name);
    return name;
  }

  enterTable(table: Element): void {
    const name = attributeOfChild(child(table, "tblPr"), "tblStyle");
    if (name === undefined || !this.#styles.mayHide(name)) return;
    for (const run of runsOf(table)) this.#tables.set(run, name);
  }

  isHidden(run: Element): boolean {
    return this.#styles.isHidden(child(run, "rPr"), this.#paragraphs.get(run), this.#tables.get(run));
  }
}

/** Styles may be based on others. */
class Styles {
  readonly #byId = new Map<string, Element>();
  /** Of paragraphs that name none. */
  readonly #usual: Element | undefined;
  readonly #defaults: Element | undefined;

  constructor(bytes: Uint8Array = new Uint8Array()) {
    for (const element of readElements(bytes, { wanted: ["style", "docDefaults"] })) {
      if (element.name === "docDefaults") this.#defaults = child(element, "rPrDefault", "rPr");
      else this.#byId.set(attributeOf(element, "styleId") ?? "", element);
      if (attributeOf(element, "type") === "paragraph" && isTrue(attributeOf(element, "default")))
        this.#usual = element;
    }
  }

  *#chain(id: string | undefined, otherwise?: Element): Generator<Element> {
    let style = this.#byId.get(id ?? "") ?? otherwise;
    for (let count = 0; style && count < MOST_STYLES; count += 1) {
      yield style;
      style = this.#byId.get(attributeOfChild(style, "basedOn") ?? "");
    }
  }

  /** A property of a paragraph: its own, or that of its style. */
  find(own: Element | undefined, style: string | undefined, property: string): Element | undefined {
    const direct = child(own, property);
    if (direct) return direct;
    for (const each of this.#chain(style)) {
      const found = child(each, "pPr", property);
      if (found) return found;
    }
    return undefined;
  }

  levelOf(own: Element | undefined, style: string | undefined): number | undefined {
    for (const each of this.#chain(style)) {
      const name = attributeOfChild(each, "name") ?? "";
      if (/^title$/i.test(name)) return 1;
      const [, level] = /^heading ([1-9])$/i.exec(name) ?? [];
      if (level !== undefined) return Number(level);
    }
    const outline = this.find(own, style, "outlineLvl");
    const level = outline ? Number(attributeOf(outline, "val")) : 9;
    return level < 9 ? level + 1 : undefined;
  }

  mayHide(id: string): boolean {
    return [...this.#chain(id)].some((each) => child(each, "rPr", "vanish") ?? child(each, "rPr", "sz"));
  }

  /** A run, by its own properties, its style, those of its paragraph and table, and the defaults. */
  isHidden(own: Element | undefined, paragraph: string | undefined, table: string | undefined): boolean {
    const find = (property: string, chain: Iterable<Element>): Element | undefined =>
      [...chain].map((each) => child(each, "rPr", property)).find((each) => each !== undefined);
    const findAll = (property: string): readonly (Element | undefined)[] => [
      child(own, property),
      find(property, this.#chain(attributeOfChild(own, "rStyle"))),
      find(property, this.#chain(paragraph, this.#usual)),
      find(property, this.#chain(table)),
      child(this.#defaults, property),
    ];
    const size = findAll("sz").find((each) => each !== undefined);
    if (size && Number(attributeOf(size, "val")) <= SMALLEST) return true;
    const [direct, ...others] = findAll("vanish");
    // Where two styles hide it, the standard shows it, but not every program does.
    return direct ? isSet(direct) : others.some((each) => isSet(each));
  }
}

/** Counts the items of lists. */
class Numbering {
  readonly #abstract: ReadonlyMap<string, Element>;
  readonly #numbers: ReadonlyMap<string, Element>;
  readonly #counts = new Map<string, number[]>();

  constructor(bytes: Uint8Array | undefined) {
    this.#abstract = indexBy(bytes, "abstractNumId", "abstractNum");
    this.#numbers = indexBy(bytes, "numId", "num");
  }

  next(properties: Element | undefined): string | undefined {
    const id = attributeOfChild(properties, "numId");
    const number = this.#numbers.get(id ?? "");
    if (id === undefined || !number) return undefined;
    const depth = Math.min(Number(attributeOfChild(properties, "ilvl") ?? 0) || 0, 8);
    const abstract = this.#abstract.get(attributeOfChild(number, "abstractNumId") ?? "");
    const levels = abstract?.children.filter(isElement).filter(({ name }) => name === "lvl") ?? [];
    const level = levels.find((each) => attributeOf(each, "ilvl") === String(depth));
    const indent = "  ".repeat(depth);
    const format = attributeOfChild(level, "numFmt");
    if (format === "none") return undefined;
    if (format === "bullet") return `${indent}- `;
    const counts = (this.#counts.get(id) ?? []).slice(0, depth + 1);
    counts[depth] = (counts[depth] ?? Number(attributeOfChild(level, "start") ?? 1) - 1) + 1;
    this.#counts.set(id, counts);
    return `${indent}${counts[depth]}. `;
  }
}
