import { untrusted } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";

import { fetch } from "../src/tools/fetch.ts";
import { renderContent, toNotes } from "../src/tools/fetch-text.ts";
import { toPiece, toUrl } from "../src/tools/reading.ts";

it.each([
  [{ refresh: "https://a/new" }, "The page sends browsers on to another address (refresh)."],
  [{ refresh: "https://a/new", length: 500 }, ""],
  [
    { needs_javascript: true, embedded: [{ source: "noscript", text: "Enable it" }] },
    "This page needs JavaScript, which is not run; it carries no data to show instead.",
  ],
  [
    { needs_javascript: true },
    'This page needs JavaScript, which is not run; fetch with mode: "full" shows the data that it carries for its scripts, if any.',
  ],
])("a page with %j says %j", (facts, note) => {
  const shown = { url: "", status: 200, content_type: "text/html", fetched_at: "", text: "", length: 0 };
  expect(toNotes({ ...shown, ...facts }, { url: "https://a/" }).join()).toBe(note);
});

it("the address a page sends browsers on to is the page's own text", () => {
  const shown = {
    url: "https://a/",
    status: 200,
    content_type: "text/html",
    fetched_at: "",
    refresh: "https://b/",
  };
  expect(fetch.untrusted).toContain("refresh");
  expect(renderContent(shown)).toEqual([untrusted("Refresh: https://b/")]);
});

it.each([
  [0, {}, '2 hidden elements left out; fetch with mode: "raw" shows everything.'],
  [100, {}, ""],
  [0, { section: 1 }, ""],
  [
    100,
    {},
    '2 hidden elements left out, with most of the text; fetch with mode: "raw" shows everything.',
    true,
  ],
])("of %i characters with %j, a page that hides something says %j", (length, asked, note, most = false) => {
  const shown = { url: "", status: 200, content_type: "text/html", fetched_at: "", text: "" };
  const output = { ...shown, length, hidden_elements: 2, ...(most && { mostly_hidden: true }) };
  expect(toNotes(output, { url: "https://a/", ...asked }).join()).toBe(note);
});

describe("a piece", () => {
  it("continues exactly where the last one ended", () => {
    const text = "a😀b".repeat(50);
    let read = "";
    for (let next: number | undefined = 0; next !== undefined;) {
      const piece = toPiece(text, next, 7, 1000);
      expect(piece.text.isWellFormed()).toBe(true);
      read += piece.text;
      next = piece.next_index;
    }
    expect(read).toBe(text);
  });

  it("fits into the budget as JSON, and moves on even in a small one", () => {
    const piece = toPiece('"'.repeat(5000), 0, 5000, 1000);
    expect(JSON.stringify(piece.text).length).toBeLessThanOrEqual(1000);
    expect(toPiece("😀😀", 0, 1, 1000).text).toBe("😀");
    expect(() => toPiece("abc", 3, 10, 1000)).toThrow("past the end");
  });

  it.each([
    ["example.com/a", "https://example.com/a"],
    ["fetch://url/https://a.example/", "https://a.example/"],
    ["http://a.example", "http://a.example"],
    ["javascript:alert(1)", "javascript:alert(1)"],
  ])("URL %s is %s", (given, url) => {
    expect(toUrl(given)).toBe(url);
  });
});
