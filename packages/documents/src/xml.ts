import sax from "sax";

import { DocumentError } from "./document-error.ts";

/** Of XML. Names are without their prefixes, which files may choose. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Node[];
}

export type Node = Element | string;

export const isElement = (node: Node): node is Element => typeof node !== "string";

export interface XmlOptions {
  /** The elements that are wanted, each with all that is in it: without any, the outermost. */
  readonly wanted?: readonly string[];
  /** XHTML as browsers forgive it. */
  readonly isHtml?: boolean;
}

const CHUNK = 64 * 1024;
const DEEPEST = 300;
/** Of what follows `<!` and is neither a comment, nor CDATA, nor a DOCTYPE: no format has that. */
const LONGEST_DECLARATION = 200;

/**
 * Reads the wanted elements one by one, so that no more than one of them need be in memory. Entities that a file declares are not
 * known, and nothing is read from outside.
 */
export function* readElements(bytes: Uint8Array, { wanted, isHtml = false }: XmlOptions): Generator<Element> {
  const parser = sax.parser(!isHtml, { lowercase: true, position: false });
  limitDeclarations(parser);
  const done: Element[] = [];
  const open: (Element & { readonly children: Node[] })[] = [];
  let depth = 0;
  const addText = (text: string): void => void open.at(-1)?.children.push(text);
  /* oxlint-disable unicorn/prefer-add-event-listener -- its only way */
  parser.onopentag = (tag) => {
    depth += 1;
    if (depth > DEEPEST) throw new DocumentError("too_large", "has its parts nested too deeply");
    const name = toLocal(tag.name);
    if (open.length === 0 && wanted && !wanted.includes(name)) return;
    const element = { name, attributes: toAttributes(tag.attributes), children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onclosetag = () => {
    depth -= 1;
    const element = open.pop();
    if (element && open.length === 0) done.push(element);
  };
  parser.onerror = () => {
    if (!isHtml) throw new DocumentError("unsupported", "is damaged: a part of it is not well-formed XML");
    parser.resume();
  };
  /* oxlint-enable unicorn/prefer-add-event-listener */
  const decoder = new TextDecoder(findEncoding(bytes));
  for (let at = 0; at < bytes.length; at += CHUNK) {
    parser.write(decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true }));
    yield* done.splice(0);
  }
  parser.close();
  yield* done.splice(0);
}

/** sax reads a declaration anew for each of its characters: 80 KB would take a minute. */
function limitDeclarations(parser: sax.SAXParser): void {
  let declaration = "";
  Object.defineProperty(parser, "sgmlDecl", {
    get: () => declaration,
    set(text: string) {
      if (text.length > LONGEST_DECLARATION)
        throw new DocumentError("unsupported", "is damaged: a part of it is not well-formed XML");
      declaration = text;
    },
  });
}

/** The first element of these names. */
export function findElement(bytes: Uint8Array | undefined, ...wanted: string[]): Element | undefined {
  if (bytes === undefined) return undefined;
  for (const element of readElements(bytes, { wanted })) return element;
  return undefined;
}

/** All elements of these names, by the value of an attribute. */
export function indexBy(
  bytes: Uint8Array | undefined,
  attribute: string,
  ...wanted: string[]
): ReadonlyMap<string, Element> {
  const found = bytes === undefined ? [] : [...readElements(bytes, { wanted })];
  return new Map(found.map((element) => [attributeOf(element, attribute) ?? "", element]));
}

const toLocal = (name: string): string => name.slice(name.indexOf(":") + 1);

/** Those with a prefix begin with a colon: a slide has an id, and another with a prefix. */
const toAttributes = (given: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(given).map(([name, value]) => [
      name.includes(":") ? `:${toLocal(name)}` : name,
      String(value),
    ]),
  );

export const attributeOf = (element: Element | undefined, name: string): string | undefined =>
  element?.attributes.get(`:${name}`) ?? element?.attributes.get(name);

export const isTrue = (value: string | undefined): boolean => /^(?:1|true|on)$/.test(value ?? "");

/** Whether a property such as <w:vanish/> is there and not switched off. */
export const isSet = (element: Element | undefined): boolean =>
  element !== undefined && isTrue(attributeOf(element, "val") ?? "true");

/** The element at a path of names below. */
export function child(element: Element | undefined, ...path: string[]): Element | undefined {
  return path.reduce<Element | undefined>(
    (at, name) => at?.children.filter(isElement).find((each) => each.name === name),
    element,
  );
}

export const textOf = (node: Node): string => (isElement(node) ? node.children.map(textOf).join("") : node);

/** UTF-16 by its mark, or by how "<?" looks in it. */
function findEncoding(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return "utf-16le";
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return "utf-16be";
  return "utf-8";
}
