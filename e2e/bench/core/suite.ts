import type { Era } from "@suite/core";
import { callRoundsOf, measureInTurns } from "../measure/interleave.ts";
import type { Measure } from "../measure/measure.ts";
import { toReport } from "../measure/report.ts";
import { measureStarts } from "../measure/starts.ts";
import { chooseContenders, FLOOR } from "../servers/contenders.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { checkToolsList } from "./answers.ts";
import { contenderNames, type CoreContender, prepareContenders } from "./contenders.ts";
import { revisionOf } from "./messages.ts";
import { type CallCounts, sampleCalls } from "./samples.ts";
import { toTargets } from "./targets.ts";

const fullCounts: CallCounts = {
  oneByOne: { warmUp: 5_000, measured: 2_000 },
  pipelined: { warmUp: 20_000, measured: 20_000 },
};
const quickCounts: CallCounts = {
  oneByOne: { warmUp: 500, measured: 300 },
  pipelined: { warmUp: 1_000, measured: 3_000 },
};

/** The protocol alone: one echo tool over stdio, ours between the floor and the peers. */
export async function run(options: SuiteOptions): Promise<SuiteReport> {
  const names = chooseContenders(options.only, contenderNames);
  const contenders = await prepareContenders(names, { folder: options.folder, bundlePeers: !options.quick });
  const called = contenders.filter(({ takesCalls }) => takesCalls);
  const [start, memory] = await measureStarts(contenders, FLOOR, options, checkToolsList);
  const [oneByOne, pipelined] = await measureCalls(called, "legacy", options);
  const modern = await measureCalls(
    called.filter(({ speaksModern }) => speaksModern),
    "modern",
    options,
  );
  return toReport(
    [start, oneByOne, pipelined, memory, ...modern],
    toTargets({ start, oneByOne, pipelined, memory }),
  );
}

function measureCalls(
  contenders: readonly CoreContender[],
  era: Era,
  options: SuiteOptions,
): Promise<readonly [oneByOne: Measure, pipelined: Measure]> {
  const counts = options.quick ? quickCounts : fullCounts;
  const revision = revisionOf[era];
  return measureInTurns(
    [
      { title: `echo one by one, calls/s (${revision})`, digits: 0, baseline: FLOOR },
      { title: `echo pipelined, calls/s (${revision})`, digits: 0, baseline: FLOOR },
    ],
    contenders,
    { ...options, rounds: callRoundsOf(options), what: `calls of ${revision}` },
    (contender) => sampleCalls(contender, era, counts, options.signal),
  );
}
