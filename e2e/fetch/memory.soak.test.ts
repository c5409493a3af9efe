import { readFile } from "node:fs/promises";

import { expect } from "vitest";

import { inSoak } from "../support/soak.ts";
import { callFetch, openFetch, reaching } from "./program.ts";
import { type Handler, openWeb } from "./web.ts";
import { itOnLinux } from "../support/programs.ts";

/** What a process holds now, or held at most, in MiB. */
async function memoryOf(pid: number | undefined, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
}

const POLITENESS = ["--ignore-robots-txt", "--min-interval", "0ms", "--per-host", "32"];
const PARAGRAPH = "<p>A paragraph with <a href='/link'>a link</a>, as most pages have them.</p>\n";

/** Of which the cache has 64, or 4 where it is short. */
const MOST_SMALL = inSoak(250, 200);

itOnLinux(
  "after very many small pages, the cache takes what it may, and not several times that",
  async () => {
    const page: Handler = ({ url }, response) =>
      void response
        .writeHead(200, { "content-type": "text/html", "cache-control": "max-age=600", etag: `"${url}"` })
        .end(`<title>${url}</title>${PARAGRAPH.repeat(40)}`);
    const web = await openWeb({ "/page": page });
    const cache = inSoak<string[]>([], ["--cache-size", "4"]);
    const wire = await openFetch([...reaching(web), ...POLITENESS, ...cache]);
    const count = inSoak(21_000, 300);
    let next = 0;
    const fetchSome = async (): Promise<void> => {
      while (next < count) {
        const url = `${web.origin}/page?${(next += 1)}`;
        expect((await callFetch(wire, "fetch", { url })).structured).toMatchObject({ status: 200 });
      }
    };
    await Promise.all(Array.from({ length: 8 }, fetchSome));
    expect(await memoryOf(wire.pid, "VmRSS")).toBeLessThan(MOST_SMALL);
  },
  1_800_000,
);

/** Each of two threads may take 256 for its heap, and the pages that wait 64. */
const MOST_LARGE = inSoak(1300, 500);

itOnLinux(
  "many large pages wait for each other, and are not all held at once",
  async () => {
    const paragraph = `<p>${"Some words of a long paragraph. ".repeat(60)}</p>\n`;
    const body = paragraph.repeat(inSoak(3000, 1000));
    const web = await openWeb({ "/page": { body } });
    const limits = ["--max-bytes", "20000000", "--timeout", "20m", "--max-timeout", "20m"];
    const wire = await openFetch([...reaching(web), ...POLITENESS, ...limits], { timeoutMs: 600_000 });
    const urls = Array.from({ length: inSoak(100, 12) }, (_, index) => `${web.origin}/page?${index}`);
    const read = await Promise.all(urls.map((url) => callFetch(wire, "fetch", { url })));
    for (const { structured, text } of read)
      expect(structured, text.slice(0, 500)).toMatchObject({ status: 200 });
    expect(await memoryOf(wire.pid, "VmHWM")).toBeLessThan(MOST_LARGE);
  },
  1_800_000,
);
