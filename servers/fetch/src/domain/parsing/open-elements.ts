const toSet = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.join(" ").split(/\s+/));

const VOID = toSet("area base br col embed hr img input link meta param source track wbr");
const HEADINGS = toSet("h1 h2 h3 h4 h5 h6");
const HEAD = toSet("base link meta noscript script style template title");
/** Each of them ends a paragraph. */
const BLOCKS = toSet(
  ...HEADINGS,
  `address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup
  hr li listing main menu nav ol p pre search section summary table ul xmp`,
);
const FORMATTING = toSet("a b big code em font i nobr s small strike strong tt u");
const TABLE_PARTS = toSet("caption col colgroup tbody td tfoot th thead tr");
const FOREIGN = toSet("math svg");
/** HTML is expected in these elements of SVG and MathML. */
const ISLANDS = toSet("annotation-xml desc foreignobject mi mn mo ms mtext title");
/** Any of these ends SVG and MathML. */
const HTML_ONLY = toSet(
  ...HEADINGS,
  `b big blockquote body br center code dd div dl dt em embed head hr i img li listing menu meta nobr ol p pre ruby s small span
  strong strike sub sup table tt u ul var`,
);
/** End tags that stand for something where no such element is open. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ["p", "<p></p>"],
  ["br", "<br>"],
]);

/** End tags within these end nothing outside of them. */
const WALLS = toSet("applet caption marquee object table td template th", ...ISLANDS);
const LIST_WALLS = toSet(...WALLS, "ol ul");
const SPECIAL = toSet(...BLOCKS, ...WALLS, "button colgroup select tbody tfoot thead tr");
const NO_WALLS: ReadonlySet<string> = new Set();
const TEMPLATE = toSet("template");
const TABLE_WALLS = toSet("table", ...TEMPLATE);
/** Of a table, those that hold its cells. */
export const ROWS = toSet("table tbody tfoot thead tr");
const CELLS = toSet("caption colgroup td template th");

interface Ends {
  /** The innermost of these is ended, unless one of the walls is around the tag that ends it. */
  readonly ended: ReadonlySet<string>;
  readonly walls: ReadonlySet<string>;
}

const toEnds = (ended: string, ...walls: readonly string[]): Ends => ({
  ended: toSet(ended),
  walls: toSet(...walls),
});

const PARAGRAPH = toEnds("p", "button caption table td template th");
const DEFINITION = toEnds("dd dt", ...[...SPECIAL].filter((name) => !/^(?:address|div|p)$/.test(name)));
/** What a start tag ends. For links and items these are the walls that mdream knows, which has fewer than browsers. */
const ENDED_BY: ReadonlyMap<string, Ends> = new Map([
  [
    "a",
    toEnds(
      "a",
      ...HEADINGS,
      `article aside blockquote button caption dd details div dl dt fieldset figure footer form header li main nav ol p section
      summary table td template th tr ul`,
    ),
  ],
  ["button", toEnds("button", ...WALLS)],
  ["option", toEnds("option", ...SPECIAL)],
  ["li", toEnds("li", "caption dd dt ol summary table td template th ul")],
  ["dd", DEFINITION],
  ["dt", DEFINITION],
]);

const GROUP_PARENTS = toSet("table");
const ROW_PARENTS = toSet(...GROUP_PARENTS, "tbody tfoot thead");
const CELL_PARENTS = toSet(...ROW_PARENTS, "tr");
const toParents = (part: string): ReadonlySet<string> =>
  /^t[dh]$/.test(part) ? CELL_PARENTS : part === "tr" ? ROW_PARENTS : GROUP_PARENTS;

interface OpenElement {
  readonly name: string;
  /** The start tag, as it was written. */
  readonly tag: string;
  /** Whether it is one of SVG or MathML. */
  readonly isForeign: boolean;
  /** Whether it is in a template, or is one. */
  readonly isInert: boolean;
  /** Whether nobody sees what is in it, so that no tags are written. */
  readonly isSilent: boolean;
  /** Whether what is in it is in a table, but in none of its cells. */
  readonly isBetweenCells: boolean;
}

const PAGE: OpenElement = {
  name: "",
  tag: "",
  isForeign: false,
  isInert: false,
  isSilent: false,
  isBetweenCells: false,
};

/** The elements that are open in a page, with the end tags that browsers take for granted. */
export class OpenElements {
  readonly #open: OpenElement[] = [];
  /** The places in it of each name. */
  readonly #places = new Map<string, number[]>();
  /** How many characters may still be written to begin blocks again. */
  #room = 1_000_000;

  get innermost(): OpenElement {
    return this.#open.at(-1) ?? PAGE;
  }

  /** How many tables are open. */
  get tables(): number {
    return this.#places.get("table")?.length ?? 0;
  }

  /** Whether the next tag is one of SVG or MathML. */
  get takesForeign(): boolean {
    const { name, isForeign } = this.innermost;
    return isForeign && !ISLANDS.has(name);
  }

  /** The end tags that a start tag implies; undefined if it is ignored. */
  endBefore(name: string): string | undefined {
    // In templates, SVG and MathML, browsers take them without a table, but mdream fails.
    if (TABLE_PARTS.has(name) && this.#find(GROUP_PARENTS, TEMPLATE) < 0) return undefined;
    let ends = HTML_ONLY.has(name) ? this.#endForeign() : "";
    if (this.takesForeign) return ends;
    if (TABLE_PARTS.has(name)) {
      for (const parents = toParents(name); !parents.has(this.innermost.name);) ends += this.#pop();
      return ends;
    }
    const above = this.innermost.name;
    if (above === "head" ? !HEAD.has(name) : HEADINGS.has(above) && HEADINGS.has(name)) ends += this.#pop();
    return ends + this.#end(ENDED_BY.get(name)) + this.#end(BLOCKS.has(name) ? PARAGRAPH : undefined);
  }

  enter(name: string, tag: string, isTemplate: boolean): void {
    if (VOID.has(name)) return;
    const around = this.innermost;
    const isForeign = FOREIGN.has(name) || this.takesForeign;
    const isInert = around.isInert || isTemplate;
    const isSilent = around.isSilent || isInert || name === "svg";
    const isBetweenCells = name === "table" || (around.isBetweenCells && !CELLS.has(name));
    this.#push({ name, tag, isForeign, isInert, isSilent, isBetweenCells });
  }

  /** What an end tag stands for. */
  leave(name: string): string {
    // What comes after these is still in the page.
    if (name === "body" || name === "html") return "";
    if (name === this.innermost.name) return this.#pop();
    const replacement = REPLACEMENTS.get(name);
    const ends = replacement === undefined ? "" : this.#endForeign();
    const ended = HEADINGS.has(name) ? HEADINGS : new Set([name]);
    const at = this.#find(ended, wallsOf(name));
    // `<li>` may have ended the block too early here; its own end tag still ends a word.
    if (at < 0) return ends + (replacement ?? (BLOCKS.has(name) ? " " : ""));
    return ends + (FORMATTING.has(name) ? this.#endFormatting(at) : this.#endFrom(at));
  }

  /** Blocks that begin in a formatting element do not end with it. */
  #endFormatting(at: number): string {
    if (this.#findLast(SPECIAL) < at) return this.#endFrom(at);
    if (this.#room < 0) return "";
    const blocks = this.#open.slice(at + 1).filter(({ name }) => SPECIAL.has(name));
    let tags = this.#endFrom(at);
    for (const block of blocks) {
      if (!this.innermost.isSilent) tags += block.tag;
      this.#push(block);
    }
    this.#room -= tags.length + blocks.length;
    return tags;
  }

  #endForeign(): string {
    let ends = "";
    while (this.takesForeign) ends += this.#pop();
    return ends;
  }

  #end(given: Ends | undefined): string {
    const at = given ? this.#find(given.ended, given.walls) : -1;
    return at < 0 ? "" : this.#endFrom(at);
  }

  #endFrom(at: number): string {
    let ends = "";
    while (this.#open.length > at) ends += this.#pop();
    return ends;
  }

  #find(wanted: ReadonlySet<string>, walls: ReadonlySet<string>): number {
    const at = this.#findLast(wanted);
    return at >= 0 && at >= this.#findLast(walls) ? at : -1;
  }

  /** By name: a page may have any number of elements open, and to walk through them for each tag would take too long. */
  #findLast(names: ReadonlySet<string>): number {
    let last = -1;
    for (const name of names) last = Math.max(last, this.#places.get(name)?.at(-1) ?? -1);
    return last;
  }

  #push(element: OpenElement): void {
    const places = this.#places.get(element.name) ?? [];
    this.#places.set(element.name, places);
    places.push(this.#open.length);
    this.#open.push(element);
  }

  /** Its end tag, if its start tag was written. */
  #pop(): string {
    const { name } = this.#open.pop() ?? PAGE;
    this.#places.get(name)?.pop();
    return this.innermost.isSilent ? "" : `</${name}>`;
  }
}

function wallsOf(name: string): ReadonlySet<string> {
  if (TABLE_PARTS.has(name) || name === "table") return TABLE_WALLS;
  if (name === "template") return NO_WALLS;
  if (name === "li") return LIST_WALLS;
  if (name === "p") return PARAGRAPH.walls;
  return SPECIAL.has(name) || FORMATTING.has(name) ? WALLS : SPECIAL;
}
