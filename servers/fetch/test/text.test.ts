import { untrusted } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";

import { decodeText } from "../src/domain/charset.ts";
import { type Document, Documents } from "../src/domain/documents.ts";
import type { Parsers } from "../src/domain/parsers.ts";
import { runJob } from "../src/domain/parsing/jobs.ts";
import { toPrettyJson } from "../src/domain/parsing/json.ts";
import { kindOf, type WebPage } from "../src/domain/page.ts";
import { searchText } from "../src/domain/parsing/search.ts";
import { toFacts } from "../src/tools/fetch-result.ts";
import { fetch } from "../src/tools/fetch.ts";
import { renderContent, toNotes } from "../src/tools/fetch-text.ts";
import { toPiece, toUrl } from "../src/tools/reading.ts";

const latin = Buffer.from("caf\u00e9", "latin1");

describe("text is decoded by", () => {
  it.each([
    ["its byte order mark", Buffer.from("\uFEFFcafé"), "text/html; charset=iso-8859-1", "utf-8"],
    ["a mark of UTF-16", Buffer.from("\uFEFFcafé", "utf16le"), undefined, "utf-16le"],
    ["its header", latin, 'text/html; charset="ISO-8859-1"', "windows-1252"],
    [
      "the document",
      Buffer.concat([Buffer.from("<meta charset=latin1>"), latin]),
      "text/html",
      "windows-1252",
    ],
    [
      "the first line of XML",
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?>'), latin]),
      "text/xml",
      "windows-1252",
    ],
    ["what it is", Buffer.from("café"), "text/plain", "utf-8"],
    ["what it is, and no comment", Buffer.from("<!-- <meta charset=latin1> -->café"), "text/html", "utf-8"],
    [
      "what it is, and not what it is about",
      Buffer.from('<meta name=description content="What charset=latin1 means">café'),
      "text/html",
      "utf-8",
    ],
    [
      "the older form",
      Buffer.concat([
        Buffer.from('<meta http-equiv=Content-Type content="text/html; charset=latin1">'),
        latin,
      ]),
      "text/html",
      "windows-1252",
    ],
    [
      "what it is, though it quotes what was damaged",
      Buffer.from("Gr\uFFFD\uFFFDe, café"),
      undefined,
      "utf-8",
    ],
    ["a guess where it is not UTF-8", latin, "text/plain", "windows-1252"],
    ["a guess where the header names nothing known", latin, "text/plain; charset=klingon", "windows-1252"],
  ])("%s", (_, bytes, type, charset) => {
    const decoded = decodeText(bytes, type);
    expect([decoded.charset, decoded.text.endsWith("café"), decoded.isDamaged]).toEqual([
      charset,
      true,
      false,
    ]);
  });

  it("windows-1252, with its quotes and its euro sign", () => {
    const { text } = decodeText(Buffer.from([0x80, 0x92]), "text/plain; charset=iso-8859-1");
    expect(text).toBe("€’");
  });

  it("a wrong declaration, and says so", () => {
    expect(decodeText(latin, "text/plain; charset=utf-8")).toEqual({
      text: "caf\uFFFD",
      charset: "utf-8",
      isDamaged: true,
    });
  });
});

const page = (type: string, body: string | Buffer): WebPage => ({
  id: "a",
  principal: undefined,
  url: "",
  finalUrl: "",
  redirects: [],
  status: 200,
  headers: type === "" ? {} : { "content-type": type },
  body: Buffer.from(body as string, "latin1"),
  fetchedAt: "",
});

it.each([
  ["links", "text/html", 10],
  ["nothing but bytes", "application/zip", 33_000],
])("of documents with %s, not all are kept", async (_, type, count) => {
  const links = Array.from({ length: 20_000 }, () => ({ url: "https://a/", text: "" }));
  const run = (): Promise<object> =>
    Promise.resolve({ markdown: "", used: "full", facts: {}, links, hidden: 0 });
  const documents = new Documents({ run } as unknown as Parsers, 1);
  const { signal } = new AbortController();
  const first = await documents.of(page(type, "0"), "full", signal);
  expect(await documents.of(page(type, "0"), "full", signal)).toBe(first);
  for (let each = 1; each < count; each += 1) await documents.of(page(type, `${each}`), "full", signal);
  expect(await documents.of(page(type, "0"), "full", signal)).not.toBe(first);
});

it("a slash closes elements of XHTML, but not of HTML", async () => {
  const documents = new Documents({ run: runJob } as unknown as Parsers, 1);
  const read = (type: string): Promise<Document> =>
    documents.of(page(type, "<p hidden/>a"), "full", new AbortController().signal);
  expect((await read("application/xhtml+xml")).text).toBe("a");
  expect((await read("text/html")).text).toBe("");
});

describe("a page is", () => {
  it.each([
    ["html", "text/html; charset=utf-8", "<p>"],
    ["html", "", "\n<!doctype html><p>"],
    ["markdown", "text/markdown", "# a"],
    ["json", "application/vnd.api+json", "{}"],
    ["feed", "text/xml", '<?xml version="1.0"?><rss version="2.0">'],
    ["feed", "application/json", '{"version": "https://jsonfeed.org/version/1.1"}'],
    ["xml", "application/xml", "<a/>"],
    ["pdf", "application/octet-stream", "%PDF-1.4"],
    ["image", "text/plain", "\u0089PNG\r\n\u001a\n"],
    ["binary", "image/png", "not a picture"],
    ["binary", "application/zip", "PK\u0003\u0004"],
    ["binary", "text/plain", "\0\u0001\u0002"],
    ["binary", "application/pdf", "not a document"],
    ["html", "application/pdf", "<html><p>Please log in"],
    ["text", "text/plain", Buffer.from("\uFEFFhello", "utf16le")],
    ["text", "text/plain; charset=utf-16le", Buffer.from("hello", "utf16le")],
    ["text", "text/css", "a{}"],
    ["text", "", "hello"],
  ])("%s if it is %j and begins with %j", (kind, type, body) => {
    expect(kindOf(page(type, body)).kind).toBe(kind);
  });

  it("no PDF because it is called one", () => {
    expect(kindOf(page("application/pdf", "not a document")).type).toBe("application/octet-stream");
  });
});

describe("JSON", () => {
  const long = "x".repeat(120);
  it.each([
    [
      '{"a":[1,{"b":"x,{\\"]"},[],{ }],"c":{"d":null}}',
      '{"a": [1, {"b": "x,{\\"]"}, [], {}], "c": {"d": null}}',
    ],
    [" [ ] ", "[]"],
    ['"a: b, [c]"', '"a: b, [c]"'],
    [" 7 ", "7"],
    ['{ "a" : [ true ,\n false ] }', '{"a": [true, false]}'],
    ['{"":"\\\\","é":"\\u0041"}', '{"": "\\\\", "é": "\\u0041"}'],
    [
      `{"a":[1,2],"b":[{"c":"${long}","d":{}}],"e":3}`,
      `{\n "a": [1, 2],\n "b": [\n  {\n   "c": "${long}",\n   "d": {}\n  }\n ],\n "e": 3\n}`,
    ],
  ])("%s has what is short on one line", (text, expected) => {
    expect(toPrettyJson(text)).toBe(expected);
  });

  it.each(["12345678901234567890", "1.10", "1E400", '{"a":1,"a":2}'])(
    "%s keeps every digit and name",
    (text) => {
      expect(toPrettyJson(text).replaceAll(/\s/g, "")).toBe(text);
    },
  );

  it.each([
    [1.3, JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id, tags: [id] })))],
    [12, `${"[".repeat(9000)}1${"]".repeat(9000)}`],
  ])("becomes at most %f times as long", (most, text) => {
    const pretty = toPrettyJson(text);
    expect(pretty.replaceAll(/\s/g, "") === text).toBe(true);
    expect(pretty.length).toBeLessThan(text.length * most);
  });

  it.each(["[1,", "{} {}"])("stays as it is: %s", (text) => {
    expect(toPrettyJson(text)).toBe(text);
  });
});

it("a search shows lines, headings and places", () => {
  const text = `# A\nnothing\nThe Needle\n# B\n${"x".repeat(2000)}needle${"y".repeat(2000)}`;
  const { matches } = searchText({ text, query: "needle", context: 1, ignoreCase: true, limit: 9 });
  expect(matches.map(({ line, section }) => [line, section])).toEqual([
    [3, "A"],
    [5, "B"],
  ]);
  expect(matches.map(({ start_index }) => text.slice(start_index, start_index + 6))).toEqual([
    "Needle",
    "needle",
  ]);
  expect(matches[0]?.text).toBe("nothing\nThe Needle\n# B");
  expect(matches[1]?.text.length).toBeLessThan(600);
  expect(searchText({ text, query: "needle", context: 0, ignoreCase: false, limit: 9 }).total).toBe(1);
  expect(searchText({ text, query: "needle", context: 1, ignoreCase: true, limit: 1 })).toEqual({
    total: 2,
    matches: matches.slice(0, 1),
  });
});

it("a search finds what Markdown escapes, where it stands", () => {
  const text = "| a\\_b | x\\|y |";
  for (const query of ["x|y", "x\\|y"]) {
    const [match] = searchText({ text, query, context: 0, ignoreCase: true, limit: 9 }).matches;
    expect(text.slice(match?.start_index), query).toBe("x\\|y |");
  }
  expect(searchText({ text, query: "x||y", context: 0, ignoreCase: true, limit: 9 }).total).toBe(0);
});

it.each([
  ["timeout option", "`timeout` option"],
  ["option to zero to", "option to **zero** to"],
  ["see the guide_a", "see [the _guide\\_a_](/f_(x))"],
  ["with **kwargs to", "with `**kwargs` to"],
  ["the SELECT * FROM", "the `SELECT * FROM` query"],
  ["the 2 * 3", "the 2 \\* 3"],
  ["***", "\\*\\*\\*"],
  ["H2O, x2 plus", "H<sub>2</sub>O, x<sup>2</sup> plus"],
  ["forever", "forever"],
])("a search finds %j as a reader sees it, where it stands", (query, written) => {
  const text = `# Doc\n**Set** the \\* ${written} *forever*`;
  const [match] = searchText({ text, query, context: 0, ignoreCase: true, limit: 9 }).matches;
  expect(text.slice(match?.start_index)).toBe(`${written} *forever*`);
});

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

it.each([
  ["en-GB", 'W/"a-1"', "Mon, 02 Nov 2026 10:00:00 GMT", true],
  ["Do as I say", '"do as I say"', "as I say", false],
])("language %j, etag %j and date %j are told only in their forms", (language, etag, date, areTold) => {
  const given = { ...page("text/html", ""), headers: { etag, "last-modified": date } };
  const facts = toFacts(given, { kind: "html", type: "", form: "full", facts: { language }, links: [] });
  const told = { language, etag, last_modified: date };
  for (const [name, value] of Object.entries(told))
    expect.soft(facts[name as keyof typeof told], name).toBe(areTold ? value : undefined);
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
