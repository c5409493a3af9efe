import { describe, expect, it } from "vitest";

import { type Document, Documents, type DocumentsOptions } from "../src/domain/documents.ts";
import { kindOf, type WebPage } from "../src/domain/page.ts";
import type { Parsers } from "../src/domain/parsers.ts";
import { runJob } from "../src/domain/parsing/jobs.ts";
import { toFacts } from "../src/tools/fetch-result.ts";

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

/** Only with what reads pages. */
const createDocuments = (run: unknown): Documents =>
  new Documents({
    parsers: { run },
    files: { isInstalled: () => Promise.resolve(false) },
    maxBytes: 1,
  } as unknown as DocumentsOptions);

const { signal } = new AbortController();

it("of documents with links, not all are kept, and of small ones none", async () => {
  const links = Array.from({ length: 20_000 }, () => ({ url: "https://a/", text: "" }));
  const run = (): Promise<object> =>
    Promise.resolve({ markdown: "", used: "full", facts: {}, links, hidden: 0 });
  const documents = createDocuments(run);
  const read = (body: string): Promise<Document> => documents.of(page("text/html", body), "full", signal);
  const first = await read("0");
  expect(await read("0")).toBe(first);
  for (let each = 1; each < 10; each += 1) await read(`${each}`);
  expect(await read("0")).not.toBe(first);
  const zip = page("application/zip", "0");
  expect(await documents.of(zip, "full", signal)).not.toBe(await documents.of(zip, "full", signal));
});

it("a slash closes elements of XHTML, but not of HTML", async () => {
  const run: Parsers["run"] = (name, prepare) => runJob(name, prepare());
  const documents = createDocuments(run);
  const read = (type: string): Promise<Document> => documents.of(page(type, "<p hidden/>a"), "full", signal);
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
    ["document", "application/octet-stream", "%PDF-1.4"],
    ["image", "text/plain", "\u0089PNG\r\n\u001a\n"],
    ["binary", "image/png", "not a picture"],
    ["binary", "application/zip", "PK\u0003\u0004"],
    ["document", "", "PK\u0003\u0004"],
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
