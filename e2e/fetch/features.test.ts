import { faultsIn } from "@suite/check";
import {
  BOTH_ENDS,
  callTool,
  type Fields,
  isModern,
  isOf,
  listAll,
  listen,
  META_LOG_LEVEL,
} from "@suite/check/wires";
import { beforeAll, describe, expect, it } from "vitest";

import { oncePerFile } from "../support/afterwards.ts";
import type { Wire } from "../support/wire.ts";
import { callFetch, openFetch, reaching } from "./program.ts";
import { openSite, PNG } from "./site.ts";
import type { Web } from "./web.ts";

let site: Web;
beforeAll(async () => {
  site = await openSite();
});

async function read(wire: Wire, uri: string): Promise<Fields> {
  const { result, error } = await wire.request("resources/read", { uri });
  const [content] = (result?.["contents"] ?? []) as readonly Fields[];
  if (!content) throw new Error(`${uri}: ${error?.message}`);
  return content;
}

async function complete(wire: Wire, ref: Fields, name: string, value: string): Promise<unknown> {
  const { result } = await wire.request("completion/complete", { ref, argument: { name, value } });
  return (result?.["completion"] as Fields | undefined)?.["values"];
}

async function promptText(wire: Wire, name: string, args: Fields): Promise<string> {
  const { result, error } = await wire.request("prompts/get", { name, arguments: args });
  const messages = (result?.["messages"] ?? []) as readonly { readonly content: Fields }[];
  return error?.message ?? messages.map(({ content }) => String(content["text"])).join("\n");
}

describe.each(BOTH_ENDS)("in %s", (revision) => {
  const sharedWire = oncePerFile(() => openFetch(reaching(site), { revision, keepForFile: true }));

  it("what it got is in the log, without queries and fragments", async () => {
    const wire = await sharedWire();
    const before = wire.heard.length;
    const meta = isModern(revision) ? { [META_LOG_LEVEL]: "info" } : {};
    const calls = [
      ["fetch", "/manual"],
      ["read_feed", "/feed.xml"],
      ["read_sitemap", "/sitemap.xml"],
    ] as const;
    for (const [tool, path] of calls)
      await callTool(wire, tool, { url: `${site.origin}${path}?token=secret#part` }, { meta });
    const logged = wire.heard
      .slice(before)
      .filter(isOf("notifications/message"))
      .map(({ params }) => params?.["data"]);
    expect(logged).toMatchObject(
      calls.map(([, path]) => ({ event: "fetched", url: `${site.origin}${path}`, cache: "fetched" })),
    );
  });

  it("what was fetched can be read, as it came and as text", async () => {
    const wire = await sharedWire();
    expect(await listAll(wire, "resources/templates/list")).toMatchObject([
      { uriTemplate: "fetch://page/{id}" },
      { uriTemplate: "fetch://url/{+url}" },
      { uriTemplate: "skill://{+path}" },
    ]);
    await callFetch(wire, "fetch", { url: `${site.origin}/picture` });
    await callFetch(wire, "fetch", { url: `${site.origin}/manual` });
    // In bytes and in characters, the limit is within one of these.
    const wide = `"${"😀".repeat(600_000)}`;
    site.pages.set("/wide", { type: "application/json", body: wide });
    await callFetch(wire, "fetch", { url: `${site.origin}/wide`, mode: "metadata" });
    const listed = await listAll<{ uri: string; name: string }>(wire, "resources/list");
    const find = (path: string): string =>
      listed.find(({ name }) => name === site.origin + path)?.uri ?? path;
    expect(await read(wire, find("/picture"))).toMatchObject({
      mimeType: "image/png",
      blob: PNG.toString("base64"),
    });
    expect(await read(wire, find("/manual"))).toMatchObject({
      mimeType: "text/html",
      text: expect.stringMatching(/^<!doctype html>/) as unknown,
      // The first revision has no place for it.
      ...(isModern(revision) && { _meta: { "dev.suite/untrusted": true } }),
    });
    const uri = `fetch://url/${site.origin}/manual`;
    expect(await read(wire, uri)).toMatchObject({
      uri,
      mimeType: "text/markdown",
      text: expect.stringMatching(/^# Manual/) as unknown,
    });
    site.pages.set("/a%2Fb%20c?q=%26", { type: "text/plain", body: "escaped" });
    expect((await read(wire, `fetch://url/${site.origin}/a%2Fb%20c?q=%26`))["text"]).toBe("escaped");
    for (const name of [find("/wide"), `fetch://url/${site.origin}/wide`]) {
      const { text, _meta } = await read(wire, name);
      const isMarked = JSON.stringify(_meta ?? {}).includes('"dev.suite/truncated":true');
      expect.soft([text === wide.slice(0, 999_999), isMarked], name).toEqual([true, isModern(revision)]);
    }
    await expect(read(wire, "fetch://page/000000000000")).rejects.toThrow(/not found|000000000000/i);
    await expect(read(wire, "fetch://url/http://10.0.0.1/")).rejects.toThrow("not on the public internet");
    expect(faultsIn(wire)).toEqual([]);
  });

  it("pages that come and go are told of, once each", async () => {
    const wire = await openFetch(reaching(site), { revision });
    if (isModern(revision)) await listen(wire, { resourcesListChanged: true });
    const changed = isOf("notifications/resources/list_changed");
    await callFetch(wire, "fetch", { url: `${site.origin}/manual` });
    await wire.hear(changed);
    await callFetch(wire, "fetch", { url: `${site.origin}/manual`, start_index: 10 });
    await callFetch(wire, "fetch", { url: `${site.origin}/manual` });
    await callFetch(wire, "clear_cache", { dry_run: true });
    await callFetch(wire, "clear_cache", {});
    await wire.hear(changed);
    expect(wire.heard.filter(changed)).toHaveLength(2);
  });

  it("known hosts, URLs and pages are completed", async () => {
    const wire = await sharedWire();
    await callFetch(wire, "clear_cache", {});
    await callFetch(wire, "fetch", { url: `${site.origin}/manual` });
    const template = { type: "ref/resource", uri: "fetch://url/{+url}" };
    expect(await complete(wire, template, "url", "http://127")).toEqual(
      expect.arrayContaining([`${site.origin}/manual`, `${site.origin}/`]),
    );
    expect(await complete(wire, { type: "ref/prompt", name: "fetch" }, "url", `${site.origin}/man`)).toEqual([
      `${site.origin}/manual`,
    ]);
    const ids = await complete(wire, { type: "ref/resource", uri: "fetch://page/{id}" }, "id", "");
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  it("prompts bring the page along", async () => {
    const wire = await sharedWire();
    const url = `${site.origin}/manual`;
    expect(await promptText(wire, "fetch", { url })).toMatch(/^Contents of http[^]*<untrusted-[^]*# Manual/);
    expect(await promptText(wire, "summarize_page", { url, focus: "speed" })).toMatch(
      /above all what it says about: speed[^]*# Manual/,
    );
    const both = await promptText(wire, "compare_pages", { first: url, second: `${site.origin}/` });
    expect(both).toMatch(/Compare these two pages[^]*# Manual[^]*# Home/);
    expect(await promptText(wire, "research_links", { url, question: "How fast?" })).toMatch(
      /Find out: How fast\?\n1\. Look/,
    );
    expect(await promptText(wire, "fetch", { url: "http://127.0.0.1:1/" })).toContain(
      "not on the public internet",
    );
  });

  it("an address is read as it is now, whatever is kept of it", async () => {
    const wire = await sharedWire();
    const path = `/lasting-${revision}`;
    const headers = { "cache-control": "max-age=600" };
    for (const body of ["one", "two"]) {
      site.pages.set(path, { body, headers });
      expect((await read(wire, `fetch://url/${site.origin}${path}`))["text"]).toBe(body);
    }
  });

  it("who subscribed hears of a change", async () => {
    const wire = await openFetch([...reaching(site), "--watch-interval", "200ms"], { revision });
    const uri = `fetch://url/${site.origin}/watched-${revision}`;
    site.pages.set(`/watched-${revision}`, { body: "one" });
    const leftOut = "fetch://url/http://10.0.0.1/";
    if (isModern(revision)) await listen(wire, { resourceSubscriptions: [leftOut, uri] });
    else await wire.request("resources/subscribe", { uri });
    while (site.count(`/watched-${revision}`) < 2) await wire.quiet(50);
    expect(wire.heard.filter(isOf("notifications/resources/updated"))).toEqual([]);
    site.pages.set(`/watched-${revision}`, { body: "two" });
    const { params } = await wire.hear(isOf("notifications/resources/updated"));
    expect(params?.["uri"]).toBe(uri);
    expect((await read(wire, uri))["text"]).toBe("two");
    const late = `/late-${revision}`;
    const lateUri = `fetch://url/${site.origin}${late}`;
    site.pages.set(late, ({ socket }) => socket.destroy());
    if (isModern(revision)) await listen(wire, { resourceSubscriptions: [lateUri] });
    else await wire.request("resources/subscribe", { uri: lateUri });
    while (site.count(late) < 2) await wire.quiet(50);
    site.pages.set(late, { body: "here at last" });
    const updated = await wire.hear(isOf("notifications/resources/updated"));
    expect(updated.params?.["uri"]).toBe(lateUri);
  });
});

it("who cannot subscribe is told why", async () => {
  const wire = await openFetch(reaching(site), { revision: "2025-11-25" });
  for (const [url, reason] of [
    ["example.com", "URL"],
    ["file:///etc/passwd", "file:"],
    ["http://10.0.0.1/", "10.0.0.1"],
  ]) {
    const { error } = await wire.request("resources/subscribe", { uri: `fetch://url/${url}` });
    expect.soft(error?.message, url).toContain(reason);
  }
});
