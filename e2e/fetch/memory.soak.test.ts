import { readFile } from "node:fs/promises";

import { expect, it } from "vitest";

import { inSoak } from "../support/soak.ts";
import { callFetch, openFetch, reaching } from "./program.ts";
import { type Handler, openWeb } from "./web.ts";

/** In MiB. */
async function residentOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, "utf8");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

const POLITENESS = ["--ignore-robots-txt", "--min-interval", "0ms", "--per-host", "32"];
const PARAGRAPH = "<p>A paragraph with <a href='/link'>a link</a>, as most pages have them.</p>\n";

/** Of which the cache has 64, or 4 where it is short. */
const MOST_SMALL = inSoak(250, 200);

it("after very many small pages, the cache takes what it may, and not several times that", async () => {
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
  expect(await residentOf(wire.pid)).toBeLessThan(MOST_SMALL);
}, 1_800_000);
