import { fileURLToPath } from "node:url";
import type { Era } from "@suite/core";
import { revisionOf } from "../core/messages.ts";
import { bundleServer } from "../measure/bundle.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { type BenchTarget, formatTargets, toPlainTarget } from "../measure/target.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";
import { type HttpCounts, sampleHttpCalls } from "./samples.ts";

const FLOOR = "floor";
const OURS = "ours";
const PEER = "SDK v2";

const SERVERS: ReadonlyMap<string, { readonly server: string; readonly isBundled: boolean }> = new Map([
  [FLOOR, { server: "floor", isBundled: true }],
  [PEER, { server: "sdk-v2", isBundled: false }],
  [OURS, { server: "ours", isBundled: true }],
]);

const fullCounts: HttpCounts = { warmUp: 5_000, calls: 5_000 };
const quickCounts: HttpCounts = { warmUp: 300, calls: 1_000 };
const roundsPerCallRound = 4;

interface HttpContender {
  readonly name: string;
  readonly script: string;
}

/** One echo tool over HTTP at 16 connections, ours between the floor and the official handler. */
export async function runHttpSuite(options: SuiteOptions): Promise<SuiteReport> {
  const unknown = options.only?.filter((name) => !SERVERS.has(name)) ?? [];
  if (unknown.length > 0) {
    throw new UsageError(`no contender ${unknown.join(", ")}; there are ${[...SERVERS.keys()].join(", ")}`);
  }
  const contenders = await prepare(options);
  const modern = await measure(contenders, "modern", options);
  const legacy = await measure(contenders, "legacy", options);
  const targets = toTargets(modern);
  const verdict = targets.length === 0 ? "no targets: ours did not run" : formatTargets(targets);
  const measures = [modern, legacy];
  return {
    text: [...measures.map((each) => formatMeasure(each, FLOOR)), verdict].join("\n\n"),
    data: { measures: measures.map(toPlainMeasure), targets: targets.map(toPlainTarget) },
  };
}

async function prepare({ only, folder }: SuiteOptions): Promise<HttpContender[]> {
  const chosen = [...SERVERS].filter(([name]) => name === FLOOR || (only?.includes(name) ?? true));
  return Promise.all(
    chosen.map(async ([name, { server, isBundled }]) => {
      const installed = fileURLToPath(new URL(`servers/${server}.js`, import.meta.url));
      const options = { commonJsInside: false, external: ["ws"] };
      return { name, script: isBundled ? await bundleServer(installed, folder, options) : installed };
    }),
  );
}

async function measure(
  contenders: readonly HttpContender[],
  era: Era,
  { rounds, quick, signal, showProgress }: SuiteOptions,
): Promise<Measure> {
  const counts = quick ? quickCounts : fullCounts;
  const callRounds = Math.ceil(rounds / roundsPerCallRound);
  const samples = new Samples(contenders.map(({ name }) => name));
  const turns = sampleInTurns(contenders, callRounds, async ({ name, script }, round) => {
    showProgress(`calls of ${revisionOf[era]}, round ${round} of ${callRounds}: ${name}`);
    return { name, rate: await sampleHttpCalls(script, era, counts, signal) };
  });
  for await (const { name, rate } of turns) samples.add(name, rate);
  const kind = era === "modern" ? "stateless" : "in a session where there is one";
  return samples.toMeasure(`echo over 16 connections, ${kind}, calls/s (${revisionOf[era]})`, 0);
}

/** None when ours did not run. */
export function toTargets({ summaries }: Measure): BenchTarget[] {
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
