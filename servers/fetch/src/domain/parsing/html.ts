import { randomUUID } from "node:crypto";

import { htmlToMarkdown } from "@mdream/js";

import { HiddenElements } from "./hidden.ts";
import { readMarkup } from "./markup.ts";
import { type Converted, type ConvertOptions, EMBEDDED_MARK, Walk } from "./walk.ts";

/** Converts the visible part of a page to Markdown with absolute links. */
export function convertHtml(
  html: string,
  { url, isXml = false, onlyMain = false, collectLinks = false, anchor }: ConvertOptions,
): Converted {
  // Marks the first text of the anchor. Random, so that no page can contain it.
  const anchorMark = randomUUID();
  const markup = readMarkup(html, isXml);
  const base = findBase(markup.html, url);
  const look = new HiddenElements(markup);
  const walk = new Walk({ url, base, isXml, onlyMain, collectLinks, look, anchor, anchorMark });
  const markdown = htmlToMarkdown(markup.html, {
    origin: base,
    hooks: [walk.plugin],
    clean: { blankLines: true },
    // mdream would write these as HTML, and leave out templates and frames. It writes captions like `p`, which any block would end.
    plugins: {
      tagOverrides: {
        dl: "div",
        dt: "caption",
        dd: "caption",
        details: "div",
        summary: "caption",
        template: "caption",
        frame: "img",
        iframe: "img",
      },
    },
  })
    .replaceAll(`![${EMBEDDED_MARK}`, "[")
    // No brackets inside, which would take quadratic time.
    .replaceAll(/(\[Image(?:: [^[\]\n]*)?\])\(\)/g, "$1")
    .replaceAll(EMBEDDED_MARK, "")
    .trim();
  return { ...withoutMark(markdown, anchorMark), ...walk.toResult() };
}

function withoutMark(marked: string, mark: string): Pick<Converted, "markdown" | "anchorAt"> {
  const at = marked.indexOf(mark);
  const markdown = marked.replaceAll(mark, "");
  return at < 0 ? { markdown } : { markdown, anchorAt: marked.lastIndexOf("\n", at) + 1 };
}

function findBase(html: string, url: string): string {
  const start = html.slice(0, 100_000);
  const href = /<base\b[^>]{0,500}?\bhref\s*=\s*["']?([^"'\s>]{1,2000})/i.exec(start)?.[1];
  try {
    const base = new URL(href ?? url, url);
    return base.protocol === "http:" || base.protocol === "https:" ? base.href : url;
  } catch {
    return url;
  }
}
