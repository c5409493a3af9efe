import { defaultTreeAdapter, type DefaultTreeAdapterTypes, html, parseFragment, Parser } from "parse5";

export type Parent = DefaultTreeAdapterTypes.ParentNode;
export type Text = DefaultTreeAdapterTypes.TextNode;
export type Node = DefaultTreeAdapterTypes.ChildNode;

/** An element of the one tree that a page is read into. */
export interface Element extends Omit<DefaultTreeAdapterTypes.Element, "parentNode"> {
  parentNode: Parent | null;
  /** What is in a template. */
  content?: DefaultTreeAdapterTypes.DocumentFragment;
  depth?: number;
  /** The `display` of its style, if it has one. */
  display?: string;
}

export interface Tree {
  readonly root: Parent;
  /** Its elements that tell of the page or of its styles, without those in templates. */
  readonly landmarks: readonly Element[];
  readonly isQuirky: boolean;
  readonly hasScripts: boolean;
  /** Whether there may be shadow roots in it. */
  readonly hasShadows: boolean;
}

const LANDMARKS = new Set(["base", "html", "link", "main", "meta", "noscript", "script", "style", "title"]);
const MOST_ELEMENTS = 400_000;
/** Like browsers, which put what is deeper beside each other. */
const DEEPEST = 512;
/** parse5 looks through the open elements for many a tag. */
const MOST_WORK = 1_000_000_000;

const tooDeep = (): RangeError => new RangeError("The elements of the page are nested too deeply");

const depthOf = (node: Parent): number => (node as Element).depth ?? 0;

/** Reads a page as browsers do. */
export function readTree(page: string, isXml = false): Tree {
  const landmarks: Element[] = [];
  let elements = 0;
  let open = 0;
  let work = 0;
  const place = (parent: Parent, node: Node): Parent => {
    let around = parent as Element;
    // The content of a template has no parent: nothing leaves it, so templates within templates get deeper.
    while (depthOf(around) >= DEEPEST && around.parentNode) around = around.parentNode as Element;
    const placed = node as Element;
    placed.depth = depthOf(around) + 1;
    if (placed.depth > 2 * DEEPEST) throw tooDeep();
    if (placed.content) (placed.content as Parent as Element).depth = placed.depth;
    return around;
  };
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(name, namespace, attributes) {
      elements += 1;
      if (elements > MOST_ELEMENTS) throw new RangeError(`The page has more than ${MOST_ELEMENTS} elements`);
      const element = defaultTreeAdapter.createElement(name, namespace, attributes);
      if (LANDMARKS.has(name) || attributes.some((each) => each.name === "role")) landmarks.push(element);
      return element;
    },
    appendChild: (parent, node) => defaultTreeAdapter.appendChild(place(parent, node), node),
    insertBefore: (parent, node, next) => {
      place(parent, node);
      defaultTreeAdapter.insertBefore(parent, node, next);
    },
    insertText: (parent, text) => {
      const around = depthOf(parent) >= DEEPEST ? ((parent as Element).parentNode ?? parent) : parent;
      defaultTreeAdapter.insertText(around, text);
    },
    onItemPush: () => {
      open += 1;
      work += open;
      if (work > MOST_WORK) throw tooDeep();
    },
    onItemPop: () => {
      open -= 1;
    },
  };
  const parser = new Parser({ treeAdapter, scriptingEnabled: true });
  boundTables(parser);
  parser.tokenizer.write(isXml ? toHtml(page) : page, true);
  const root = parser.document;
  const found = landmarks.filter((element) => isIn(root, element));
  return {
    root,
    landmarks: found,
    hasScripts: found.some(({ tagName }) => tagName === "script"),
    isQuirky: root.mode === html.DOCUMENT_MODE.QUIRKS,
    hasShadows: /shadowrootmode/i.test(page),
  };
}

/** What parse5 8.1 forgets: to a table, a template in it is a boundary. Its tags would otherwise end the table around it. */
function boundTables({ openElements: open }: Parser<DefaultTreeAdapterTypes.DefaultTreeAdapterMap>): void {
  const { TBODY, TEMPLATE, TFOOT, THEAD } = html.TAG_ID;
  const isAbove = (at: number): boolean => open.tmplCount === 0 || at > open.indexOfTopmost(TEMPLATE);
  const hasInTableScope = open.hasInTableScope.bind(open);
  const hasBodyInTableScope = open.hasTableBodyContextInTableScope.bind(open);
  open.hasInTableScope = (tag) => isAbove(open.indexOfTopmost(tag)) && hasInTableScope(tag);
  open.hasTableBodyContextInTableScope = () =>
    isAbove(open.indexOfTopmostOf([TBODY, TFOOT, THEAD])) && hasBodyInTableScope();
}

/** The elements of a part of a page. */
export const readPart = (part: string): Parent => parseFragment(part);

const EMPTY = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;
const XML =
  /<!\[CDATA\[([^]*?)(?:\]\]>|$)|<([a-z][\w:.-]*)((?:\s+[^\s<=>/"']+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?)*)\s*\/>/gi;

/** XHTML as HTML: with end tags for elements that a slash closes, and without sections of character data. */
const toHtml = (xml: string): string =>
  xml.replaceAll(XML, (all, data: string | undefined, name: string, attributes: string) => {
    if (data !== undefined) return data.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    return EMPTY.test(name) ? all : `<${name}${attributes}></${name}>`;
  });

function isIn(root: Parent, element: Element): boolean {
  let node: Parent | null | undefined = element;
  // The content of a template has no parent.
  while (node && node !== root) node = (node as Element).parentNode;
  return node === root;
}

export const isElement = (node: Node | Parent): node is Element & Node => "tagName" in node;
export const isText = (node: Node): node is Text => node.nodeName === "#text";

export const attributeOf = ({ attrs }: Pick<Element, "attrs">, name: string): string | undefined =>
  attrs.find((each) => each.name === name)?.value;

/** The text of an element and of all in it. */
export function textOf(node: Node | Parent): string {
  if (isText(node as Node)) return (node as Text).value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

export const isCustom = (name: string): boolean => name.includes("-");

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/));
const BLOCKS = toSet(
  `address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
  frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup p plaintext pre search section
  summary table tbody td tfoot th thead tr ul xmp`,
);
/** Written in their own way, whatever their style. */
const STRUCTURE = toSet("blockquote dir h1 h2 h3 h4 h5 h6 hr li listing menu ol plaintext pre table ul xmp");

/** Whether it begins and ends a line. */
export const isBlock = ({ tagName, display }: Element): boolean =>
  STRUCTURE.has(tagName) ||
  (display === undefined
    ? BLOCKS.has(tagName)
    : /^(?:block|flex|grid|flow-root|list-item|table)/.test(display));
