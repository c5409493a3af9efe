import { dirname, join } from "node:path/posix";

import { type Dialect, type Role, writeMarkdown } from "./markdown.ts";
import type { Opened } from "./opened.ts";
import {
  attributeOf,
  child,
  type Element,
  findElement,
  indexBy,
  isElement,
  readElements,
  textOf,
} from "./xml.ts";
import { type Archive, createLocked } from "./zip.ts";

/** EPUB: the files of the book in reading order are its chapters. */
export function openBook(archive: Archive): Opened {
  const root = findElement(archive.read("META-INF/container.xml"), "rootfile");
  const path = attributeOf(root, "full-path") ?? "";
  const book = findElement(archive.read(path), "package");
  const items = child(book, "manifest")?.children.filter(isElement) ?? [];
  const files = new Map(items.map((item) => [attributeOf(item, "id"), attributeOf(item, "href") ?? ""]));
  const title = child(book, "metadata", "title");
  const locked = indexBy(archive.find("META-INF/encryption.xml"), "URI", "CipherReference");
  const spine = child(book, "spine")?.children.filter(isElement) ?? [];
  return {
    format: "epub",
    title: title && textOf(title),
    unit: "chapter",
    parts: spine.map((item) => () => {
      const chapter = join(dirname(path), decode(files.get(attributeOf(item, "idref")) ?? ""));
      if (locked.has(chapter)) throw createLocked();
      return writeMarkdown(findPage(archive.find(chapter)), dialect);
    }),
  };
}

/** As browsers forgive it: real books are not always well-formed. */
const findPage = (bytes: Uint8Array = new Uint8Array()): Element | undefined =>
  readElements(bytes, { wanted: ["body"], isHtml: true }).next().value as Element | undefined;

const decode = (href: string): string => {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
};

const BLOCK =
  /^(?:p|div|section|article|aside|blockquote|figure|figcaption|header|footer|nav|dt|dd|caption)$/;
const ROLES: { readonly [name: string]: Role } = {
  ul: { as: "list", isOrdered: false },
  ol: { as: "list", isOrdered: true },
  li: { as: "item" },
  table: { as: "table" },
  tr: { as: "row" },
  pre: { as: "preformatted" },
  br: { as: "text", text: "\n" },
};
const LEFT_OUT = /^(?:script|style|head|template|svg|math)$/;
const HIDING = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

const dialect: Dialect = {
  hasLooseText: true,
  roleOf(element) {
    const { name } = element;
    if (LEFT_OUT.test(name)) return { as: "nothing" };
    if (element.attributes.has("hidden") || HIDING.test(attributeOf(element, "style") ?? ""))
      return { as: "hidden" };
    // Below the heading of the chapter.
    const [, level] = /^h([1-6])$/.exec(name) ?? [];
    if (level !== undefined) return { as: "heading", level: Number(level) + 2 };
    if (BLOCK.test(name)) return { as: "paragraph" };
    if (name === "td" || name === "th")
      return { as: "cell", width: Number(attributeOf(element, "colspan") ?? 1) || 1 };
    const url = name === "a" ? attributeOf(element, "href") : undefined;
    if (url !== undefined && /^https?:/.test(url)) return { as: "link", url };
    return ROLES[name];
  },
};
