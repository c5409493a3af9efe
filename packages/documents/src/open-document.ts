import { type Dialect, type Role, writeMarkdown } from "./markdown.ts";
import type { Opened } from "./opened.ts";
import { attributeOf, child, type Element, findElement, isElement, readElements, textOf } from "./xml.ts";
import type { Archive } from "./zip.ts";

const MOST_SPACES = 100;

/** ODT. Where its pages end is only known once it is laid out, so it is one part. */
export function openText(archive: Archive): Opened {
  const content = archive.read("content.xml");
  const title = findElement(archive.find("meta.xml"), "title");
  return {
    format: "odt",
    title: title && textOf(title),
    parts: [
      () => {
        const styles = new TextStyles([archive.find("styles.xml"), content]);
        return writeMarkdown(child(findElement(content, "body"), "text"), createDialect(styles));
      },
    ],
  };
}

/** The styles that matter here: of hidden text, and of numbered lists. */
class TextStyles {
  readonly #hidden = new Set<string | undefined>();
  readonly #numbered = new Set<string | undefined>();

  constructor(parts: readonly (Uint8Array | undefined)[]) {
    for (const bytes of parts) {
      if (bytes === undefined) continue;
      for (const style of readElements(bytes, { wanted: ["style", "list-style"] })) {
        const name = attributeOf(style, "name");
        const first = style.children.find(isElement);
        if (attributeOf(child(style, "text-properties"), "display") === "none") this.#hidden.add(name);
        if (first?.name === "list-level-style-number") this.#numbered.add(name);
      }
    }
  }

  isHidden = (element: Element): boolean =>
    attributeOf(element, "display") === "none" || this.#hidden.has(attributeOf(element, "style-name"));

  isNumbered = (list: Element): boolean => this.#numbered.has(attributeOf(list, "style-name"));
}

const ROLES: { readonly [name: string]: (element: Element) => Role } = {
  h: (element) => ({ as: "heading", level: Number(attributeOf(element, "outline-level") ?? 1) || 1 }),
  p: () => ({ as: "paragraph" }),
  "list-item": () => ({ as: "item" }),
  table: () => ({ as: "table" }),
  "table-row": (element) => ({ as: attributeOf(element, "visibility") === "collapse" ? "hidden" : "row" }),
  "table-cell": () => ({ as: "cell" }),
  // What the cell beside or above covers.
  "covered-table-cell": () => ({ as: "cell" }),
  s: (element) => {
    const count = Number(attributeOf(element, "c") ?? 1) || 1;
    return { as: "text", text: " ".repeat(Math.max(0, Math.min(count, MOST_SPACES))) };
  },
  tab: () => ({ as: "text", text: "\t" }),
  "line-break": () => ({ as: "text", text: "\n" }),
  "note-body": (element) => ({ as: "text", text: ` [note: ${textOf(element).trim()}]` }),
  "hidden-text": () => ({ as: "hidden" }),
  "hidden-paragraph": () => ({ as: "hidden" }),
};

/** What was deleted, what comments say, and what only describes the rest. */
const LEFT_OUT = /^(?:tracked-changes|annotation|note-citation|forms|title|desc|.+-decls|.+-source)$/;

function toList(list: Element, styles: TextStyles): Role {
  const continues = ["continue-list", "continue-numbering"].some(
    (name) => (attributeOf(list, name) ?? "false") !== "false",
  );
  return {
    as: "list",
    isOrdered: styles.isNumbered(list),
    key: attributeOf(list, "style-name") ?? "",
    continues,
  };
}

const createDialect = (styles: TextStyles): Dialect => ({
  hasLooseText: true,
  roleOf(element) {
    const { name } = element;
    if (LEFT_OUT.test(name)) return { as: "nothing" };
    if (styles.isHidden(element)) return { as: "hidden" };
    if (name === "list") return toList(element, styles);
    const url = name === "a" ? attributeOf(element, "href") : undefined;
    if (url !== undefined && /^https?:/.test(url)) return { as: "link", url };
    return ROLES[name]?.(element);
  },
});
