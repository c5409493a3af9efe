import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";

import type { Driven } from "../core/driving.ts";
import { bundleServer } from "../measure/bundle.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { measureStarts } from "../measure/starts.ts";
import { formatTargets, type Target, toPlainTarget } from "../measure/target.ts";
import { sampleServerStart, sampleWorkloads } from "../servers/tool-calls.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../usage.ts";
import { makeDatabase, manyRows } from "./database.ts";
import { type Comparison, toComparisons, toPipelined } from "./workloads.ts";

const FLOOR = "floor";
const DIRECT = "better-sqlite3";
const PEER = "SDK v1";
const OURS = "ours";

const { resolve } = createRequire(import.meta.url);

/** Databases: ours beside better-sqlite3 called in the same process, and beside a plain server on the official SDK. */
export async function runSqliteSuite(options: SuiteOptions): Promise<SuiteReport> {
  if (options.only !== undefined) throw new UsageError("--only has no meaning here: all three are compared");
  options.showProgress("making a database");
  const file = makeDatabase(options.folder, options.quick ? manyRows / 10 : manyRows);
  const servers = await prepareServers(options.folder, file);
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

async function prepareServers(folder: string, file: string): Promise<Driven[]> {
  const floor = fileURLToPath(new URL("../core/servers/floor.js", import.meta.url));
  const packageFile = (name: string, path: string): string =>
    join(dirname(resolve(`${name}/package.json`)), path);
  return [
    { name: FLOOR, script: await bundleServer(floor, folder, { commonJsInside: false, external: [] }) },
    { name: PEER, script: fileURLToPath(new URL("servers/sdk-v1.js", import.meta.url)), args: [file] },
    { name: OURS, script: packageFile("@suite/server-sqlite", "dist/main.js"), args: [file] },
  ];
}

async function measureComparisons(
  servers: readonly Driven[],
  comparisons: readonly Comparison[],
  file: string,
  { rounds, signal, showProgress }: SuiteOptions,
): Promise<readonly Measure[]> {
  const names = [DIRECT, ...servers.map(({ name }) => name)];
  const samples = comparisons.map(() => new Samples(names));
  const callRounds = Math.ceil(rounds / 4);
  const turns = sampleInTurns(names, callRounds, async (name, round) => {
    showProgress(`calls, round ${round} of ${callRounds}: ${name}`);
    const server = servers.find((candidate) => candidate.name === name);
    const side = name === PEER ? "peer" : "ours";
    const workloads = comparisons.map((comparison) => comparison[side]);
    return {
      name,
      times: server ? await sampleWorkloads(server, workloads, signal) : timeDirectly(file, comparisons),
    };
  });
  for await (const { name, times } of turns) {
    for (const [index, ms] of times.entries()) samples[index]?.add(name, ms);
  }
  return comparisons.flatMap(({ title }, index) => samples[index]?.toMeasure(`${title}, ms`, 3) ?? []);
}

function timeDirectly(file: string, comparisons: readonly Comparison[]): readonly number[] {
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
  const samples = new Samples(servers.map(({ name }) => name));
  const workloads = toPipelined(quick);
  const callRounds = Math.ceil(rounds / 4);
  const turns = sampleInTurns(servers, callRounds, async (server, round) => {
    showProgress(`pipelined, round ${round} of ${callRounds}: ${server.name}`);
    const workload = server.name === PEER ? workloads.peer : workloads.ours;
    return { name: server.name, times: await sampleWorkloads(server, [workload], signal) };
  });
  for await (const { name, times } of turns) samples.add(name, 1_000 / (times[0] ?? Number.NaN));
  return samples.toMeasure("point query pipelined, calls/s", 0);
}

/** What a call costs beyond SQLite itself is the same in milliseconds whatever the query, so that is what is bounded. */
function toTargets(start: Measure, compared: readonly Measure[], pipelined: Measure): Target[] {
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
      wanted: { atLeast: 5 },
    },
  ];
}
