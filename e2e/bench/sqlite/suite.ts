import Database from "better-sqlite3";

import type { Driven } from "../core/driving.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { measureStarts } from "../measure/starts.ts";
import { type BenchTarget, formatTargets, toPlainTarget } from "../measure/target.ts";
import { sampleServerStart, sampleWorkloads, type Workload } from "../servers/tool-calls.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";
import { DIRECT, FLOOR, OURS, PEER, prepareServers } from "./contenders.ts";
import { makeDatabase, manyRows } from "./database.ts";
import { type SqliteComparison, toComparisons, toPipelined } from "./workloads.ts";

/** Databases: ours beside better-sqlite3 called in the same process, beside a plain server on the official SDK, and a peer. */
export async function runSqliteSuite(options: SuiteOptions): Promise<SuiteReport> {
  if (options.only !== undefined) throw new UsageError("--only has no meaning here: all are compared");
  options.showProgress("making a database");
  const file = makeDatabase(options.folder, options.quick ? manyRows / 10 : manyRows);
  const servers = await prepareServers(options.folder, file, options.signal, options.showProgress);
  const { start, memory } = await measureStarts(servers, sampleServerStart, options);
  const comparisons = toComparisons(options.quick);
  const called = servers.filter(({ name }) => name !== FLOOR);
  const compared = await measureComparisons(called, comparisons, file, options);
  const pipelined = await measurePipelined(called, options);
  const targets = toTargets(start, compared, pipelined);
  const tables = [
    ...[start, memory].map((measure) => formatMeasure(measure, FLOOR)),
    ...compared.map((measure) => formatMeasure(measure, DIRECT)),
    formatMeasure(pipelined, PEER),
    formatTargets(targets),
  ];
  return {
    text: tables.join("\n\n"),
    data: {
      measures: [start, memory, ...compared, pipelined].map(toPlainMeasure),
      targets: targets.map(toPlainTarget),
    },
  };
}

async function measureComparisons(
  servers: readonly Driven[],
  comparisons: readonly SqliteComparison[],
  file: string,
  { rounds, signal, showProgress }: SuiteOptions,
): Promise<readonly Measure[]> {
  const samples = comparisons.map(({ servers: able }) => new Samples([DIRECT, ...able.keys()]));
  const names = [DIRECT, ...servers.map(({ name }) => name)];
  const callRounds = Math.ceil(rounds / 4);
  const turns = sampleInTurns(names, callRounds, async (name, round) => {
    showProgress(`calls, round ${round} of ${callRounds}: ${name}`);
    const server = servers.find((candidate) => candidate.name === name);
    const workloads = comparisons.flatMap(({ servers: able }) => able.get(name) ?? []);
    return {
      name,
      times: server ? await sampleWorkloads(server, workloads, signal) : timeDirectly(file, comparisons),
    };
  });
  for await (const { name, times } of turns) {
    const done = comparisons.flatMap(({ servers: able }, index) =>
      name === DIRECT || able.has(name) ? (samples[index] ?? []) : [],
    );
    for (const [at, ms] of times.entries()) done[at]?.add(name, ms);
  }
  return comparisons.flatMap(({ title }, index) => samples[index]?.toMeasure(`${title}, ms`, 3) ?? []);
}

function timeDirectly(file: string, comparisons: readonly SqliteComparison[]): readonly number[] {
  const database = new Database(file);
  try {
    return comparisons.map(({ direct, times }) => {
      direct(database);
      const beganAt = performance.now();
      for (let count = 0; count < times; count += 1) direct(database);
      return (performance.now() - beganAt) / times;
    });
  } finally {
    database.close();
  }
}

async function measurePipelined(
  servers: readonly Driven[],
  { rounds, quick, signal, showProgress }: SuiteOptions,
): Promise<Measure> {
  const workloads = toPipelined(quick);
  const samples = new Samples([...workloads.keys()]);
  const callRounds = Math.ceil(rounds / 4);
  const turns = sampleInTurns(servers, callRounds, async (server, round) => {
    showProgress(`pipelined, round ${round} of ${callRounds}: ${server.name}`);
    const workload = workloads.get(server.name) as Workload;
    return { name: server.name, times: await sampleWorkloads(server, [workload], signal) };
  });
  for await (const { name, times } of turns) samples.add(name, 1_000 / (times[0] ?? Number.NaN));
  return samples.toMeasure("point query pipelined, calls/s", 0);
}

/** What a call costs beyond SQLite itself is the same in milliseconds whatever the query, so that is what is bounded. */
function toTargets(start: Measure, compared: readonly Measure[], pipelined: Measure): BenchTarget[] {
  const of = ({ summaries }: Measure, name: string): number => summaries.get(name)?.median ?? Number.NaN;
  const [pointQuery] = compared;
  return [
    { what: "start vs floor", measured: of(start, OURS) / of(start, FLOOR), wanted: { atMost: 1.15 } },
    ...(pointQuery
      ? [
          {
            what: "a point query beyond better-sqlite3",
            measured: of(pointQuery, OURS) - of(pointQuery, DIRECT),
            unit: " ms",
            wanted: { atMost: 0.5 },
          },
        ]
      : []),
    {
      what: "pipelined vs the peer",
      measured: of(pipelined, OURS) / of(pipelined, PEER),
      wanted: { atLeast: 1 },
    },
  ];
}
