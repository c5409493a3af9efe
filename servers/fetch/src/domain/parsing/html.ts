import { clean, type Cleaned } from "./clean.ts";
import { MarkdownWriter, type Written } from "./markdown.ts";
import { findBase, findLinks, type PageFacts, type PageLink, readFacts } from "./page-facts.ts";
import { type Node, readTree, type Tree } from "./tree.ts";

export interface PageOptions {
  readonly url: string;
  readonly isXml?: boolean | undefined;
  /** The name of the anchor to locate. */
  readonly anchor?: string | undefined;
}

/** A page that has been read once, without what nobody sees. */
export class HtmlPage {
  readonly tree: Tree;
  readonly cleaned: Cleaned;
  readonly facts: PageFacts;
  readonly #base: string;
  readonly #anchor: string | undefined;

  constructor(html: string, { url, isXml, anchor }: PageOptions) {
    this.tree = readTree(html, isXml);
    this.#base = findBase(this.tree, url);
    this.#anchor = anchor;
    this.facts = readFacts(this.tree, url, this.#base);
    this.cleaned = clean(this.tree);
  }

  get nodes(): readonly Node[] {
    return this.tree.root.childNodes;
  }

  write(nodes: readonly Node[] = this.nodes): Written {
    return new MarkdownWriter(this.#base, this.#anchor).write(nodes);
  }

  findLinks(nodes: readonly Node[] = this.nodes): readonly PageLink[] {
    return findLinks(nodes, this.#base);
  }
}

/** Converts the visible part of a page to Markdown with absolute links. */
export const convertHtml = (html: string, options: PageOptions): Written =>
  new HtmlPage(html, options).write();
