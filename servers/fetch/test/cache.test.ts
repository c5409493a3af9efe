import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import CachePolicy from "http-cache-semantics";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type CachedPage, PageCache } from "../src/domain/cache.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "suite-pages-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const MEBIBYTE = 1024 * 1024;

const toEntry = (name: string, body: string, isPassing = false, more = {}): CachedPage => {
  const url = `https://example.com/${name}`;
  const headers = { "cache-control": isPassing ? "no-store" : "max-age=600", ...more };
  return {
    page: {
      id: name.padStart(32, "0"),
      principal: undefined,
      url,
      finalUrl: url,
      redirects: [],
      status: 200,
      headers,
      body: Buffer.from(body),
      fetchedAt: "",
    },
    policy: new CachePolicy({ url, method: "GET", headers: {} }, { status: 200, headers }, { shared: false }),
    isPassing,
  };
};

const read = async (cache: PageCache, { page }: CachedPage): Promise<string | undefined> => {
  const kept = await cache.get(page.id, undefined);
  return kept && Buffer.from(kept.page.body).toString();
};

describe("a page on disk", () => {
  it.each([
    ["must not be stored any more", toEntry("a", "new", true), 1],
    ["is too large now", toEntry("a", "x".repeat(MEBIBYTE)), 0],
  ])("is gone when it %s", async (_, later, left) => {
    const cache = new PageCache({ maxBytes: MEBIBYTE, directory });
    await cache.put(toEntry("a", "old"));
    expect(readdirSync(directory)).toHaveLength(1);
    await cache.put(later);
    expect([cache.list(undefined).length, readdirSync(directory)]).toEqual([left, []]);
  });

  it("counts once, however many bring it at the same time", async () => {
    const cache = new PageCache({ maxBytes: MEBIBYTE, directory });
    const entries = [toEntry("a", "a".repeat(300_000)), toEntry("b", "b".repeat(300_000))];
    await Promise.all(Array.from({ length: 8 }, (_, index) => cache.put(entries[index % 2] as CachedPage)));
    expect(cache.list(undefined).map(({ id }) => id.at(-1))).toEqual(["b", "a"]);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  it("is never read with what is known of another", async () => {
    const cache = new PageCache({ maxBytes: MEBIBYTE, directory });
    await cache.put(toEntry("a", "old"));
    const [seen] = await Promise.all([
      cache.get("a".padStart(32, "0"), undefined),
      cache.put(toEntry("a", "new", true)),
    ]);
    expect([Buffer.from(seen?.page.body ?? []).toString(), seen?.isPassing]).toEqual(["old", false]);
    expect(await read(cache, toEntry("a", ""))).toBe("new");
  });
});

it("on disk, headers take room as well", async () => {
  const cache = new PageCache({ maxBytes: 50_000, directory });
  for (let page = 0; page < 10; page += 1)
    await cache.put(toEntry(`${page}`, "", false, { "x-long": "x".repeat(10_000) }));
  const bytes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  const total = bytes.reduce((sum, size) => sum + size, 0);
  expect([total <= 50_000, cache.bytesOf(undefined)]).toEqual([true, total]);
  const later = new PageCache({ maxBytes: 50_000, directory });
  await later.open();
  expect(later.bytesOf(undefined)).toBe(total);
});

it("what must not be stored is forgotten after five minutes, and nothing else", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const cache = new PageCache({ maxBytes: MEBIBYTE });
  const [early, stored, late] = [toEntry("a", "", true), toEntry("b", ""), toEntry("c", "", true)];
  for (const entry of [early, stored]) await cache.put(entry);
  vi.setSystemTime(Date.now() + 200_000);
  await cache.put(late);
  await read(cache, early);
  vi.setSystemTime(Date.now() + 200_000);
  expect(cache.list(undefined).map(({ id }) => id.at(-1))).toEqual(["c", "b"]);
  vi.useRealTimers();
});

describe("a page is kept in memory, and the operator told, where the directory", () => {
  it.each([
    ["is gone", () => rmSync(directory, { recursive: true })],
    [
      "cannot be one",
      () => {
        rmSync(directory, { recursive: true });
        writeFileSync(directory, "");
      },
    ],
  ])("%s", async (_, spoil) => {
    const reports: unknown[] = [];
    const report = (thrown: unknown): number => reports.push(thrown);
    const open = new PageCache({ maxBytes: MEBIBYTE, directory, report });
    await open.open();
    spoil();
    const late = new PageCache({ maxBytes: MEBIBYTE, directory: join(directory, "pages"), report });
    const entry = toEntry("a", "text");
    for (const cache of [open, late]) {
      await cache.put(entry);
      expect(await read(cache, entry)).toBe("text");
    }
    expect(String(reports[0])).toMatch(/The cache directory fails: ENO/);
  });
});

it("in memory, a page holds its own bytes, and counts with what it costs besides them", async () => {
  const cache = new PageCache({ maxBytes: 100_000 });
  const [around] = [Buffer.alloc(8192)];
  for (let page = 0; page < 100; page += 1) {
    const entry = toEntry(`${page}`, "");
    await cache.put({ ...entry, page: { ...entry.page, body: around.subarray(0, 10) } });
  }
  const heads = cache.list(undefined);
  expect(heads.length).toBeLessThan(40);
  for (const { id } of heads) expect((await cache.get(id, undefined))?.page.body.buffer.byteLength).toBe(10);
});
