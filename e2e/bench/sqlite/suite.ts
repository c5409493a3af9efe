import Database from "better-sqlite3";

import { type Measure, toReport } from "../measure/measure.ts";
import { callRoundsOf, measureInTurns } from "../measure/turns.ts";
import { FLOOR, prepareFloor } from "../servers/contenders.ts";
import { type Driven, measureStarts } from "../servers/driving.ts";
import { sampleWorkloads } from "../servers/tool-calls.ts";
import type { SuiteOptions } from "../suite.ts";
import { DIRECT, PEER, prepareServers } from "./contenders.ts";
import { makeDatabase, manyRows } from "./database.ts";
import { type SqliteComparison, toComparisons, toPipelined } from "./workloads.ts";

/** Databases: ours beside better-sqlite3 called in the same process, beside a plain server on the official SDK, and a peer. */
export async function run(options: SuiteOptions): Promise<string> {
  options.showProgress("making a database");
  const file = makeDatabase(options.folder, options.quick ? manyRows / 10 : manyRows);
  const servers = await prepareServers(file, options.signal, options.showProgress);
  const floor = await prepareFloor(options.folder);
  const starts = await measureStarts([floor, ...servers], FLOOR, options);
  const compared = await measureComparisons(servers, toComparisons(options.quick), file, options);
  const pipelined = await measurePipelined(servers, options);
  return toReport([...starts, ...compared, pipelined]);
}

function measureComparisons(
  servers: readonly Driven[],
  comparisons: readonly SqliteComparison[],
  file: string,
  options: SuiteOptions,
): Promise<readonly Measure[]> {
  return measureInTurns(
    comparisons.map(({ title, targets = [] }) => ({
      title: `${title}, ms`,
      digits: 3,
      baseline: DIRECT,
      targets,
    })),
    [{ name: DIRECT }, ...servers],
    { ...options, rounds: callRoundsOf(options), what: "calls" },
    async ({ name }) => {
      const server = servers.find((candidate) => candidate.name === name);
      if (!server) return timeDirectly(file, comparisons);
      const workloads = comparisons.map(({ servers: able }) => able.get(name));
      const doable = workloads.filter((workload) => workload !== undefined);
      const times = (await sampleWorkloads(server, doable, options.signal)).values();
      return workloads.map((workload) => workload && times.next().value);
    },
  );
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

async function measurePipelined(servers: readonly Driven[], options: SuiteOptions): Promise<Measure> {
  const workloads = toPipelined(options.quick);
  const [measure] = await measureInTurns(
    [
      {
        title: "point query pipelined, calls/s",
        digits: 0,
        baseline: PEER,
        targets: [{ per: PEER, atLeast: 1 }],
      },
    ],
    servers,
    { ...options, rounds: callRoundsOf(options), what: "pipelined" },
    async (server) => {
      const workload = workloads.get(server.name);
      const times = await sampleWorkloads(server, workload ? [workload] : [], options.signal);
      return times.map((ms) => 1_000 / ms);
    },
  );
  return measure;
}
