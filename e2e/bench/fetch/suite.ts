import { createRequire } from "node:module";

import { htmlToMarkdown } from "@mdream/js";
import { request } from "undici";

import { type BenchTarget, type Measure, toReport } from "../measure/measure.ts";
import { callRoundsOf, measureInTurns } from "../measure/turns.ts";
import { ours } from "../servers/contenders.ts";
import type { Driven } from "../servers/driving.ts";
import { hasText, sampleWorkloads, type Workload } from "../servers/tool-calls.ts";
import type { SuiteOptions } from "../suite.ts";
import { openSite, type Site } from "./site.ts";

/** Not a server at all. */
const DIRECT = "undici";
const PEER = "mcp-npx-fetch";

/** One thing to do: without a server, and by each of them. */
interface FetchComparison {
  readonly title: string;
  readonly direct: (site: Site) => Promise<unknown>;
  readonly call: (site: Site, name: string) => Workload["call"];
  readonly found: string;
  readonly window?: number;
  readonly target?: BenchTarget;
}

const download = async (url: string): Promise<string> => (await request(url)).body.text();
const convert = async (url: string): Promise<string> => htmlToMarkdown(await download(url), { origin: url });

const reads =
  (path: string, tool: string) =>
  ({ origin }: Site, name: string): Workload["call"] =>
    name === PEER
      ? { name: tool, arguments: { url: origin + path } }
      : { name: "fetch", arguments: { url: origin + path, mode: "full", max_length: 20_000 } };

const COMPARISONS: readonly FetchComparison[] = [
  {
    title: "small JSON",
    direct: ({ origin }) => download(`${origin}/small`),
    call: reads("/small", "fetch_json"),
    found: "item 19",
  },
  {
    title: "100 KB of HTML",
    direct: ({ origin }) => convert(`${origin}/medium`),
    call: reads("/medium", "fetch_markdown"),
    found: "Section 3",
  },
  {
    title: "1 MB of HTML",
    direct: ({ origin }) => convert(`${origin}/large`),
    call: reads("/large", "fetch_markdown"),
    found: "Section 3",
    target: { per: DIRECT, atMost: 2 },
  },
  {
    title: "100 KB of HTML, 50 at once, each",
    direct: ({ origin }) => convert(`${origin}/medium`),
    call: reads("/medium", "fetch_markdown"),
    found: "Section 3",
    window: 50,
  },
];

/** The web: ours beside undici and the converter called in the same process, and beside a server of somebody else. */
export async function run(options: SuiteOptions): Promise<string> {
  const site = await openSite();
  try {
    const fetching = ours("fetch", ["--allow-private-hosts", site.host, "--per-host", "50"]);
    const peer = { name: PEER, script: createRequire(import.meta.url).resolve("@tokenizin/mcp-npx-fetch") };
    return toReport(await measureComparisons([peer, fetching], site, options));
  } finally {
    site.close();
  }
}

const toWorkload = (
  { call, found, window = 1 }: FetchComparison,
  site: Site,
  name: string,
  quick: boolean,
): Workload => ({
  call: call(site, name),
  check: hasText(found),
  warmUp: 2,
  measured: window > 1 ? window : quick ? 5 : 20,
  window,
});

function measureComparisons(
  servers: readonly Driven[],
  site: Site,
  options: SuiteOptions,
): Promise<readonly Measure[]> {
  return measureInTurns(
    COMPARISONS.map(({ title, target }) => ({
      title: `${title}, ms`,
      digits: 2,
      baseline: DIRECT,
      targets: [...(target ? [target] : []), { per: PEER, atMost: 1 }],
    })),
    [{ name: DIRECT }, ...servers],
    { ...options, rounds: callRoundsOf(options), what: "calls" },
    async ({ name }) => {
      const server = servers.find((candidate) => candidate.name === name);
      if (!server) return timeDirectly(site, options.quick);
      const workloads = COMPARISONS.map((comparison) => toWorkload(comparison, site, name, options.quick));
      return sampleWorkloads(server, workloads, options.signal);
    },
  );
}

async function timeDirectly(site: Site, quick: boolean): Promise<readonly number[]> {
  const times: number[] = [];
  for (const { direct } of COMPARISONS) {
    const count = quick ? 5 : 20;
    for (let warm = 0; warm < 2; warm += 1) await direct(site);
    const beganAt = performance.now();
    for (let done = 0; done < count; done += 1) await direct(site);
    times.push((performance.now() - beganAt) / count);
  }
  return times;
}
