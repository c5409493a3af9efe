import { readFile } from "node:fs/promises";

import { expect, it } from "vitest";

import { inSoak } from "../support/soak.ts";
import { callFetch, openFetch, reaching } from "./program.ts";
import { type Handler, openWeb } from "./web.ts";

/** In MiB. */
async function memoryOf(pid: number | undefined, name: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
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
  const count = inSoak(21_000, 2500);
  let next = 0;
  const fetchSome = async (): Promise<void> => {
    while (next < count) {
      const url = `${web.origin}/page?${(next += 1)}`;
      expect((await callFetch(wire, "fetch", { url })).structured).toMatchObject({ status: 200 });
    }
  };
  await Promise.all(Array.from({ length: 8 }, fetchSome));
  expect(await memoryOf(wire.pid, "VmRSS")).toBeLessThan(MOST_SMALL);
}, 1_800_000);

it("large pages wait for each other", async () => {
  const body = Buffer.from(`<title>Long</title><p>${"A few words of text. ".repeat(500_000)}</p>`);
  const page: Handler = (_, response) =>
    void response.writeHead(200, { "content-type": "text/html", "cache-control": "no-store" }).end(body);
  const web = await openWeb({ "/page": page });
  const wire = await openFetch([
    ...reaching(web),
    ...POLITENESS,
    "--max-bytes",
    "20000000",
    "--timeout",
    "5m",
  ]);
  const count = inSoak(60, 30);
  const fetched = Array.from({ length: count }, (_, at) =>
    callFetch(wire, "fetch", { url: `${web.origin}/page?${at}` }),
  );
  for (const { structured } of await Promise.all(fetched)) expect(structured).toMatchObject({ status: 200 });
  expect(await memoryOf(wire.pid, "VmHWM")).toBeLessThan(600);
}, 600_000);
