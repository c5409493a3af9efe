import type { Era } from "@suite/core";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { measureStarts } from "../measure/starts.ts";
import { formatTargets, toPlainTarget } from "../measure/target.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";
import { contenderNames, type CoreContender, floorName, prepareContenders } from "./contenders.ts";
import { revisionOf } from "./messages.ts";
import { type CallCounts, sampleCalls, sampleStart } from "./samples.ts";
import { type LegacyMeasures, toTargets } from "./targets.ts";

const fullCounts: CallCounts = {
  oneByOne: { warmUp: 5_000, measured: 2_000 },
  pipelined: { warmUp: 20_000, measured: 20_000 },
};
const quickCounts: CallCounts = {
  oneByOne: { warmUp: 500, measured: 300 },
  pipelined: { warmUp: 1_000, measured: 3_000 },
};
/** A round of calls takes seconds where a start takes a fraction of one. */
const startsPerCallRound = 4;

interface CoreMeasures extends LegacyMeasures {
  readonly modern: Pick<LegacyMeasures, "oneByOne" | "pipelined">;
}

/** The protocol alone: one echo tool over stdio, ours between the floor and the peers. */
export async function runCoreSuite(options: SuiteOptions): Promise<SuiteReport> {
  const unknown = options.only?.filter((name) => !contenderNames.includes(name)) ?? [];
  if (unknown.length > 0) {
    throw new UsageError(`no contender ${unknown.join(", ")}; there are ${contenderNames.join(", ")}`);
  }
  const names = options.only ?? contenderNames;
  const contenders = await prepareContenders(names, { folder: options.folder, bundlePeers: !options.quick });
  const called = contenders.filter(({ takesCalls }) => takesCalls);
  const modern = called.filter(({ speaksModern }) => speaksModern);
  return toReport({
    ...(await measureStarts(contenders, sampleStart, options)),
    ...(await measureCalls(called, "legacy", options)),
    modern: await measureCalls(modern, "modern", options),
  });
}

async function measureCalls(
  contenders: readonly CoreContender[],
  era: Era,
  { rounds, quick, signal, showProgress }: SuiteOptions,
): Promise<Pick<LegacyMeasures, "oneByOne" | "pipelined">> {
  const counts = quick ? quickCounts : fullCounts;
  const callRounds = Math.ceil(rounds / startsPerCallRound);
  const oneByOne = new Samples(contenders.map(({ name }) => name));
  const pipelined = new Samples(contenders.map(({ name }) => name));
  const samples = sampleInTurns(contenders, callRounds, async (contender, round) => {
    showProgress(`calls of ${revisionOf[era]}, round ${round} of ${callRounds}: ${contender.name}`);
    return { name: contender.name, ...(await sampleCalls(contender, era, counts, signal)) };
  });
  for await (const rates of samples) {
    oneByOne.add(rates.name, rates.oneByOne);
    pipelined.add(rates.name, rates.pipelined);
  }
  return {
    oneByOne: oneByOne.toMeasure(`echo one by one, calls/s (${revisionOf[era]})`, 0),
    pipelined: pipelined.toMeasure(`echo pipelined, calls/s (${revisionOf[era]})`, 0),
  };
}

function toReport({ start, oneByOne, pipelined, memory, modern }: CoreMeasures): SuiteReport {
  const targets = toTargets({ start, oneByOne, pipelined, memory });
  const measures = [start, oneByOne, pipelined, memory, modern.oneByOne, modern.pipelined];
  const verdict = targets.length === 0 ? "no targets: ours did not run" : formatTargets(targets);
  return {
    text: [...measures.map((measure) => formatMeasure(measure, floorName)), verdict].join("\n\n"),
    data: {
      measures: measures.map(toPlainMeasure),
      targets: targets.map(toPlainTarget),
    },
  };
}
