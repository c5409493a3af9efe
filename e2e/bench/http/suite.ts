import { fileURLToPath } from "node:url";
import type { Era } from "@suite/core";
import { revisionOf } from "../core/messages.ts";
import { bundleServer } from "../measure/bundle.ts";
import { callRoundsOf, measureInTurns } from "../measure/interleave.ts";
import type { Measure } from "../measure/measure.ts";
import { toReport } from "../measure/report.ts";
import type { BenchTarget } from "../measure/target.ts";
import { chooseContenders, FLOOR, OURS } from "../servers/contenders.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { type HttpCounts, sampleHttpCalls } from "./samples.ts";

const PEER = "SDK v2";

const SERVERS: ReadonlyMap<string, { readonly server: string; readonly isBundled: boolean }> = new Map([
  [FLOOR, { server: "floor", isBundled: true }],
  [PEER, { server: "sdk-v2", isBundled: false }],
  [OURS, { server: "ours", isBundled: true }],
]);

const fullCounts: HttpCounts = { warmUp: 5_000, calls: 5_000 };
const quickCounts: HttpCounts = { warmUp: 300, calls: 1_000 };

interface HttpContender {
  readonly name: string;
  readonly script: string;
}

/** One echo tool over HTTP at 16 connections, ours between the floor and the official handler. */
export async function run(options: SuiteOptions): Promise<SuiteReport> {
  const names = chooseContenders(options.only, [...SERVERS.keys()]);
  const contenders = await prepare(names, options.folder);
  const [modern] = await measure(contenders, "modern", options);
  const [legacy] = await measure(contenders, "legacy", options);
  return toReport([modern, legacy], toTargets(modern));
}

async function prepare(names: readonly string[], folder: string): Promise<HttpContender[]> {
  const chosen = [...SERVERS].filter(([name]) => name === FLOOR || names.includes(name));
  return Promise.all(
    chosen.map(async ([name, { server, isBundled }]) => {
      const installed = fileURLToPath(new URL(`servers/${server}.js`, import.meta.url));
      const options = { external: ["ws"] };
      return { name, script: isBundled ? await bundleServer(installed, folder, options) : installed };
    }),
  );
}

function measure(
  contenders: readonly HttpContender[],
  era: Era,
  options: SuiteOptions,
): Promise<readonly [Measure]> {
  const counts = options.quick ? quickCounts : fullCounts;
  const revision = revisionOf[era];
  const kind = era === "modern" ? "stateless" : "in a session where there is one";
  return measureInTurns(
    [{ title: `echo over 16 connections, ${kind}, calls/s (${revision})`, digits: 0, baseline: FLOOR }],
    contenders,
    { ...options, rounds: callRoundsOf(options), what: `calls of ${revision}` },
    async ({ script }) => [await sampleHttpCalls(script, era, counts, options.signal)],
  );
}

/** None when ours did not run. */
function toTargets({ summaries }: Measure): BenchTarget[] {
  const ours = summaries.get(OURS)?.median;
  const floor = summaries.get(FLOOR)?.median;
  const peer = summaries.get(PEER)?.median;
  if (ours === undefined || floor === undefined) return [];
  const targets: BenchTarget[] = [
    { what: "calls/s vs floor", measured: ours / floor, wanted: { atLeast: 0.65 } },
  ];
  if (peer === undefined) return targets;
  return [...targets, { what: "calls/s vs SDK v2", measured: ours / peer, wanted: { atLeast: 5 } }];
}
