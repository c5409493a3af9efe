import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { htmlToMarkdown } from "@mdream/js";
import { request } from "undici";

import type { Driven } from "../core/driving.ts";
import { bundleServer } from "../measure/bundle.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { measureStarts } from "../measure/starts.ts";
import { type BenchTarget, formatTargets, toPlainTarget } from "../measure/target.ts";
import { hasText, sampleServerStart, sampleWorkloads, type Workload } from "../servers/tool-calls.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";
import { openSite, type Site } from "./site.ts";

const FLOOR = "floor";
/** Not a server at all. */
const DIRECT = "undici";
const PEER = "mcp-npx-fetch";
const OURS = "ours";

/** One thing to do: without a server, and by each of them. */
interface FetchComparison {
  readonly title: string;
  readonly direct: (site: Site) => Promise<unknown>;
  readonly call: (site: Site, name: string) => Workload["call"];
  readonly found: string;
  readonly window?: number;
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
export async function runFetchSuite(options: SuiteOptions): Promise<SuiteReport> {
  if (options.only !== undefined) throw new UsageError("--only has no meaning here: all are compared");
  const site = await openSite();
  try {
    const servers = await prepareServers(options.folder, site);
    const { start, memory } = await measureStarts(servers, sampleServerStart, options);
    const called = servers.filter(({ name }) => name !== FLOOR);
    const compared = await measureComparisons(called, site, options);
    const paging = await measurePaging(called.at(-1) as Driven, site, options);
    const targets = toTargets(start, compared, paging);
    const tables = [
      ...[start, memory].map((measure) => formatMeasure(measure, FLOOR)),
      ...compared.map((measure) => formatMeasure(measure, DIRECT)),
      formatMeasure(paging, "fetched again"),
      formatTargets(targets),
    ];
    const measures = [start, memory, ...compared, paging].map(toPlainMeasure);
    return { text: tables.join("\n\n"), data: { measures, targets: targets.map(toPlainTarget) } };
  } finally {
    site.close();
  }
}

async function prepareServers(folder: string, { host }: Site): Promise<readonly Driven[]> {
  const floor = fileURLToPath(new URL("../core/servers/floor.js", import.meta.url));
  const { resolve } = createRequire(import.meta.url);
  const ours = join(dirname(resolve("@suite/server-fetch/package.json")), "dist/main.js");
  return [
    { name: FLOOR, script: await bundleServer(floor, folder, { commonJsInside: false, external: [] }) },
    { name: PEER, script: resolve("@tokenizin/mcp-npx-fetch") },
    { name: OURS, script: ours, args: ["--allow-private-hosts", host, "--per-host", "50"] },
  ];
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

async function measureComparisons(
  servers: readonly Driven[],
  site: Site,
  { rounds, quick, signal, showProgress }: SuiteOptions,
): Promise<readonly Measure[]> {
  const names = [DIRECT, ...servers.map(({ name }) => name)];
  const samples = COMPARISONS.map(() => new Samples(names));
  const callRounds = Math.ceil(rounds / 4);
  const turns = sampleInTurns(names, callRounds, async (name, round) => {
    showProgress(`calls, round ${round} of ${callRounds}: ${name}`);
    const server = servers.find((candidate) => candidate.name === name);
    const workloads = COMPARISONS.map((comparison) => toWorkload(comparison, site, name, quick));
    return {
      name,
      times: server ? await sampleWorkloads(server, workloads, signal) : await timeDirectly(site, quick),
    };
  });
  for await (const { name, times } of turns) {
    for (const [at, ms] of times.entries()) samples[at]?.add(name, ms);
  }
  return COMPARISONS.map(({ title }, index) => (samples[index] as Samples).toMeasure(`${title}, ms`, 2));
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

/** The second piece of a page, from the copy that is there, beside the first piece of a page that is not. */
async function measurePaging(
  ours: Driven,
  { origin }: Site,
  { rounds, quick, signal, showProgress }: SuiteOptions,
): Promise<Measure> {
  const samples = new Samples(["fetched again", "page two"]);
  const toCall = (start: number): Workload => ({
    call: { name: "fetch", arguments: { url: `${origin}/large`, mode: "full", start_index: start } },
    check: hasText("Section"),
    warmUp: 1,
    measured: quick ? 5 : 20,
    window: 1,
  });
  for (let round = 1; round <= Math.ceil(rounds / 4); round += 1) {
    showProgress(`paging, round ${round}`);
    const [again = Number.NaN, two = Number.NaN] = await sampleWorkloads(
      ours,
      [toCall(0), toCall(5000)],
      signal,
    );
    samples.add("fetched again", again);
    samples.add("page two", two);
  }
  return samples.toMeasure("a piece of 1 MB of HTML, ms", 2);
}

function toTargets(start: Measure, compared: readonly Measure[], paging: Measure): BenchTarget[] {
  const of = ({ summaries }: Measure, name: string): number => summaries.get(name)?.median ?? Number.NaN;
  const large = compared[2] as Measure;
  return [
    { what: "start vs floor", measured: of(start, OURS) / of(start, FLOOR), wanted: { atMost: 1.15 } },
    {
      what: "1 MB of HTML vs undici and the converter alone",
      measured: of(large, OURS) / of(large, DIRECT),
      wanted: { atMost: 1.3 },
    },
    ...compared.map((measure) => ({
      what: `${measure.title.replace(/, ms$/, "")} vs the peer`,
      measured: of(measure, OURS) / of(measure, PEER),
      wanted: { atMost: 1 },
    })),
    {
      what: "page two vs fetching again",
      measured: of(paging, "fetched again") / of(paging, "page two"),
      wanted: { atLeast: 20 },
    },
  ];
}
