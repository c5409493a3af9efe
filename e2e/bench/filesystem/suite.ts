import type { Driven } from "../core/driving.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { measureStarts } from "../measure/starts.ts";
import { formatTargets, toPlainTarget } from "../measure/target.ts";
import { sampleServerStart, sampleWorkloads } from "../servers/tool-calls.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";
import { contenderNames, floorName, oursName, prepareContenders, referenceName } from "./contenders.ts";
import { makeFiles } from "./files.ts";
import { measureGrep } from "./grep.ts";
import { type FilesystemMeasures, toTargets } from "./targets.ts";
import { type FilesystemComparison, toComparisons } from "./workloads.ts";

const sizes = [10_000, 100_000];
const quickSizes = [10_000];

/** Files: ours beside the reference server, and beside programs that do nothing but search. */
export async function runFilesystemSuite(options: SuiteOptions): Promise<SuiteReport> {
  const unknown = options.only?.filter((name) => !contenderNames.includes(name)) ?? [];
  if (unknown.length > 0) {
    throw new UsageError(`no contender ${unknown.join(", ")}; there are ${contenderNames.join(", ")}`);
  }
  options.showProgress("making files");
  const files = await makeFiles(options.folder, options.quick ? quickSizes : sizes);
  const contenders = await prepareContenders(options.only ?? contenderNames, options.folder, files.root);
  const starts = await measureStarts(contenders, sampleServerStart, options);
  const comparisons = toComparisons(files, options.quick);
  const compared = await measureComparisons(contenders, comparisons, options);
  const ours = contenders.find(({ name }) => name === oursName);
  const [tree] = files.trees;
  const grep = ours && tree && (await measureGrep(ours, tree, options));
  return toReport({ ...starts, compared, ...(grep && { grep }) });
}

async function measureComparisons(
  contenders: readonly Driven[],
  comparisons: readonly FilesystemComparison[],
  { rounds, signal, showProgress }: SuiteOptions,
): Promise<readonly Measure[]> {
  const compared = contenders.filter(({ name }) => name !== floorName);
  const callRounds = Math.ceil(rounds / 4);
  const samples = comparisons.map(() => new Samples(compared.map(({ name }) => name)));
  const turns = sampleInTurns(compared, callRounds, async (contender, round) => {
    showProgress(`calls, round ${round} of ${callRounds}: ${contender.name}`);
    const side = contender.name === referenceName ? "reference" : "ours";
    const workloads = comparisons.map((comparison) => comparison[side]);
    return { name: contender.name, times: await sampleWorkloads(contender, workloads, signal) };
  });
  for await (const { name, times } of turns) {
    for (const [index, ms] of times.entries()) {
      samples[index]?.add(name, comparisons[index]?.unit === "calls/s" ? 1_000 / ms : ms);
    }
  }
  return comparisons.flatMap(({ title, unit }, index) => {
    const gathered = samples[index];
    return gathered ? [gathered.toMeasure(`${title}, ${unit}`, unit === "ms" ? 2 : 0)] : [];
  });
}

function toReport(measures: FilesystemMeasures): SuiteReport {
  const { start, memory, compared, grep } = measures;
  const targets = toTargets(measures);
  const tables = [
    ...[start, memory].map((measure) => formatMeasure(measure, floorName)),
    ...compared.map((measure) => formatMeasure(measure, referenceName)),
    ...(grep ? [formatMeasure(grep, grep.summaries.keys().next().value ?? oursName)] : []),
    targets.length === 0 ? "no targets: ours did not run" : formatTargets(targets),
  ];
  const all = [start, memory, ...compared, ...(grep ? [grep] : [])];
  return {
    text: tables.join("\n\n"),
    data: { measures: all.map(toPlainMeasure), targets: targets.map(toPlainTarget) },
  };
}
