import type { Fields } from "@suite/check/wires";
import { expect } from "vitest";

import type { ToolRow } from "../support/tool-rows.ts";

const on =
  (path: string, more: Fields = {}) =>
  (origin: string): Fields => ({ url: origin + path, ...more });

/** What each tool gives, in both views, at the origin of a site. */
export const ROWS: readonly ToolRow<string>[] = [
  {
    tool: "fetch",
    args: on("/manual", { max_length: 120 }),
    text: /\/manual \(200, text\/html, utf-8, main\)\n[^]*<untrusted-[^]*Title: The Manual\nDescription: How it works[^]*# Manual[^]*Content truncated\. Call fetch again with start_index: 120/,
    structured: {
      note: expect.stringMatching(/start_index: 120/) as unknown,
      untrusted: ["title", "description", "published", "etag", "text"],
      status: 200,
      title: "The Manual",
      published: "2026-05-04",
      language: "en",
      form: "main",
      etag: '"v1"',
      hidden_elements: 1,
      next_index: 120,
    },
  },
  {
    tool: "fetch",
    args: on("/manual", { start_index: 120, max_length: 10 }),
    text: /characters 120 to 130/,
    structured: { cache: "copy" },
  },
  {
    tool: "fetch",
    args: on("/manual", { mode: "outline" }),
    text: /1\. Manual \([\d,]+ characters\)\n {2}2\. Install[^]* {2}3\. Options[^]* {4}4\. Speed/,
    structured: { cache: "fresh" },
  },
  {
    tool: "fetch",
    args: on("/manual", { section: "install" }),
    text: /## Install\n\n```sh\nnpm install thing\n```\n<\/untr/,
    structured: { length: 39 },
  },
  {
    tool: "fetch",
    args: on("/manual", { section: 3, max_length: 60 }),
    text: /\| speed \| 10 \|/,
    structured: {},
  },
  {
    tool: "fetch",
    args: on("/manual", { mode: "links" }),
    text: /\[News\]\(http:\/\/127[^]*\[inside\]\(http:\/\/10\.0\.0\.1\/x\)/,
    structured: {},
  },
  {
    tool: "fetch",
    args: on("/manual", { mode: "metadata" }),
    text: /Published: 2026-05-04/,
    structured: { bytes: expect.any(Number) as unknown },
  },
  {
    tool: "fetch",
    args: on("/manual", { raw: true, max_length: 50 }),
    text: /<!doctype html>/,
    structured: { form: "raw" },
  },
  {
    tool: "fetch",
    args: on("/moved", { max_length: 10 }),
    text: /redirected from/,
    structured: { redirects: 1, final_url: expect.stringMatching(/\/manual$/) as unknown },
  },
  {
    tool: "fetch",
    args: on("/manual", { method: "HEAD" }),
    text: /\(200, text\/html/,
    structured: { status: 200 },
  },
  { tool: "fetch", args: on("/data.json"), text: /{"a": \[1, 2\]}/, structured: { form: "json" } },
  { tool: "fetch", args: on("/plain"), text: /just text/, structured: { form: "text", length: 9 } },
  { tool: "fetch", args: on("/latin"), text: /café/, structured: { charset: "windows-1252" } },
  {
    tool: "fetch",
    args: on("/feed.xml"),
    text: /- 2026-11-03 \[Newer\]\(https:\/\/news\.example\/2\)\n {2}Second/,
    structured: { form: "feed" },
  },
  {
    tool: "fetch",
    args: on("/paper.pdf", { section: "Page 2" }),
    text: /## Page 2\n\n\\# Second page\n</,
    structured: { form: "pdf", pages: 2 },
  },
  {
    tool: "fetch",
    args: on("/report.docx"),
    text: /Title: The title\n\nA report\.\n</,
    structured: { form: "docx" },
  },
  {
    tool: "fetch",
    args: on("/picture"),
    text: /image\/png/,
    structured: { content_type: "image/png", bytes: 70 },
    blocks: ["text", "image"],
  },
  {
    tool: "fetch",
    args: on("/archive.zip"),
    text: /cannot be shown here; its bytes are the resource fetch:\/\/page\//,
    structured: { bytes: 4 },
  },
  { tool: "fetch", args: on("/talk"), text: /# As Markdown/, structured: { content_type: "text/markdown" } },
  {
    tool: "fetch",
    args: on("/app"),
    text: /source="application\/ld\+json">\n{"name":"Thing"}[^]*needs JavaScript[^]*is shown instead \(embedded\)/,
    structured: {
      needs_javascript: true,
      embedded: [{ source: "application/ld+json", text: '{"name":"Thing"}' }],
    },
  },
  {
    tool: "fetch_many",
    args: (origin) => ({
      urls: ["/plain", "/gone", "/manual", "/app"].map((path) => origin + path),
      max_length: 20,
    }),
    text: /just text[^]*\/gone failed \(not_found\)[^]*\/app \(0 characters\)\nThis page needs JavaScript[^]*1 of 4 could not/,
    structured: {
      failed: 1,
      pages: [
        { text: "just text" },
        { error: { code: "not_found" } },
        { title: "The Manual", next_index: 20 },
        { note: expect.stringContaining('fetch with mode: "full" shows') as unknown },
      ],
    },
  },
  {
    tool: "search_page",
    args: on("/manual", { query: "NEEDLE" }),
    text: /^1 match in [^]*under Manual > Options > Speed:\n### Speed\nThe needle/,
    structured: {
      total: 1,
      matches: [{ section: "Manual > Options > Speed", start_index: expect.any(Number) as unknown }],
    },
  },
  {
    tool: "search_page",
    args: on("/manual", { query: "news" }),
    text: /^1 match in [^]*\[News\][^]*start_index with mode: "full"/,
    structured: { total: 1, mode: "full" },
  },
  {
    tool: "compare_pages",
    args: on("/manual"),
    text: /^[^ ]*\/manual since [\d-]+T[^ ]*: no difference\.$/,
    structured: { changed: false },
  },
  {
    tool: "check_links",
    args: on("/manual"),
    text: /^4 links of [^]*2 fine, 1 broken, 0 could not be told, 1 not allowed/,
    structured: {
      checked: 4,
      ok: 2,
      broken: 1,
      refused: 1,
      links: [{ text: "gone", outcome: "broken", status: 404 }, { outcome: "refused" }],
    },
  },
  {
    tool: "read_feed",
    args: on("/feed.xml", { since: "2026-06-01" }),
    text: /^1 entry in [^]*Newer/,
    structured: {
      format: "rss",
      total: 1,
      items: [{ title: "Newer", published: "2026-11-03T10:00:00.000Z" }],
    },
  },
  {
    tool: "read_feed",
    args: on("/feed.xml", { max_results: 1 }),
    text: /Continue with cursor: "[^"]{1,24}"/,
    structured: { total: 2, next_cursor: expect.any(String) as unknown },
  },
  {
    tool: "read_sitemap",
    args: on("/", { contains: "/a" }),
    text: /^1 page in [^]*https:\/\/news\.example\/a \(2026-01-01\)/,
    structured: { kind: "pages", total: 1 },
  },
  {
    tool: "clear_cache",
    args: (origin) => ({
      url: `${origin.replace("http", "HTTP")}/manual#top`,
      host: new URL(origin).host,
      dry_run: true,
    }),
    text: /^\d+ pages? would be forgotten[^]*Dry run: nothing was changed/,
    structured: {
      dry_run: true,
      would_change: expect.arrayContaining([expect.stringMatching(/\/manual$/)]) as unknown,
    },
  },
  {
    tool: "clear_cache",
    args: on("/manual"),
    text: /^\d+ pages? forgotten; the cache has [\d,]+ bytes?\./,
    structured: { changed: expect.arrayContaining([expect.stringMatching(/\/manual$/)]) as unknown },
  },
];
