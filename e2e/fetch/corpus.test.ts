import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, it } from "vitest";

import { callFetch, openFetch, reaching } from "./program.ts";
import { openWeb } from "./web.ts";
import { pathOf } from "../support/programs.ts";

/** npm is what this repository is installed with, and brings its manual as HTML. */
function findManual(): string {
  return join(dirname(realpathSync(pathOf("npm"))), "../docs/output");
}

const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** What the page itself shows: this HTML is regular enough to be read like this. */
function readHtml(html: string, tag: RegExp): string[] {
  const decode = (text: string): string =>
    text
      // A heading's link to itself is no part of it.
      .replaceAll(/>[#¶]<\/a>/g, ">")
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&ndash;", "–")
      .replaceAll(/&#(x?)([\da-f]+);/gi, (_, hex: string, digits: string) =>
        String.fromCodePoint(Number.parseInt(digits, hex === "" ? 10 : 16)),
      )
      .replaceAll("&amp;", "&");
  return Array.from(html.matchAll(tag), ([, inner = ""]) => squeeze(decode(inner))).filter(
    (text) => text !== "",
  );
}

interface Found {
  readonly headings: string[];
  readonly code: string[];
  readonly tables: number;
}

/** What the Markdown has of the same. */
function readMarkdown(markdown: string): Found {
  const code: string[] = [];
  const rest = markdown.replaceAll(
    /^( *)```[^\n]*\n([^]*?)\n\1```$/gm,
    (_, indent: string, inner: string) => {
      code.push(squeeze(inner.replaceAll(new RegExp(`^${indent}`, "gm"), "")));
      return "";
    },
  );
  const headings = Array.from(rest.matchAll(/^#{1,6} (.+)$/gm), ([, text = ""]) =>
    squeeze(
      text
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
        .replaceAll(/\\(.)/g, "$1")
        .replaceAll("`", ""),
    ),
  );
  return {
    headings,
    code,
    tables: rest.match(/^ *\|(?: :?-+:? \|)+$/gm)?.length ?? 0,
  };
}

/** How many of the wanted are found, and how many of the found were wanted. */
class Score {
  hits = 0;
  wanted = 0;
  found = 0;

  add(wanted: readonly string[], found: readonly string[]): void {
    const left = [...found];
    for (const each of wanted) {
      const index = left.indexOf(each);
      if (index >= 0) left.splice(index, 1);
      if (index >= 0) this.hits += 1;
    }
    this.wanted += wanted.length;
    this.found += found.length;
  }

  get recall(): number {
    return this.hits / this.wanted;
  }

  get precision(): number {
    return this.hits / this.found;
  }
}

/** What Debian's packages bring, where they are installed: pages by other generators. */
const MORE = ["git/html", "python3.11/html", "valgrind/html", "nodejs/api"].map(
  (name) => `/usr/share/doc/${name}`,
);
const MOST_PAGES = 60;
const LARGEST_PAGE = 200_000;

describe.each([findManual(), ...MORE.filter((folder) => existsSync(folder))])(
  "the manual in %s",
  (folder) => {
    it("keeps its headings, code, links and tables", async () => {
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
        (name) => name.endsWith(".html") && statSync(join(folder, name)).size <= LARGEST_PAGE,
      );
      expect(files.length).toBeGreaterThan(20);
      const pages = new Map(
        files
          .slice(0, MOST_PAGES)
          .map((name) => [`/${name.replaceAll("\\", "/")}`, readFileSync(join(folder, name), "utf8")]),
      );
      const web = await openWeb(Object.fromEntries([...pages].map(([path, body]) => [path, { body }])));
      const wire = await openFetch([...reaching(web), "--ignore-robots-txt"]);
      const headings = new Score();
      const code = new Score();
      const links = new Score();
      let [tables, tablesWanted] = [0, 0];
      for (const [path, html] of pages) {
        const { text, structured } = await callFetch(wire, "fetch", {
          url: web.origin + path,
          mode: "full",
          max_length: 200_000,
        });
        let markdown = String(structured["text"]);
        for (let next = structured["next_index"]; next !== undefined;) {
          const more = await callFetch(wire, "fetch", {
            url: web.origin + path,
            mode: "full",
            max_length: 200_000,
            start_index: next,
          });
          markdown += String(more.structured["text"]);
          next = more.structured["next_index"];
        }
        expect(text).toContain("<untrusted-");
        const found = readMarkdown(markdown);
        // In a table, Markdown has neither.
        const outside = html.replaceAll(/<table\b[^]*?<\/table>/g, "");
        headings.add(readHtml(outside, /<h[1-6][^>]*>([^]*?)<\/h[1-6]>/g), found.headings);
        code.add(readHtml(outside, /<pre[^>]*>([^]*?)<\/pre>/g), found.code);
        const targets = readHtml(html, /<a [^>]*href="(?!#)([^"]*)"/g).map(
          (href) => new URL(href, web.origin + path).href,
        );
        links.add(
          targets,
          targets.filter((target) => markdown.includes(target)),
        );
        tables += found.tables;
        tablesWanted += html.match(/<table/g)?.length ?? 0;
      }
      expect(headings.wanted).toBeGreaterThan(100);
      for (const [name, value] of Object.entries({ headings, code, links })) {
        expect.soft(value.recall, `${name}, recall`).toBeGreaterThanOrEqual(0.98);
        expect.soft(value.precision, `${name}, precision`).toBeGreaterThanOrEqual(0.98);
      }
      expect.soft([tables, tablesWanted]).toEqual([tablesWanted, tablesWanted]);
    });
  },
);
