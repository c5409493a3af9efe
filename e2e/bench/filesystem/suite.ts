import { join } from "node:path";

import { homeOf } from "../../support/installed.ts";
import type { Driven } from "../core/driving.ts";
import { callRoundsOf, measureInTurns } from "../measure/interleave.ts";
import type { Measure } from "../measure/measure.ts";
import { toReport } from "../measure/report.ts";
import { measureStarts } from "../measure/starts.ts";
import { chooseContenders, FLOOR, ours, OURS, prepareFloor } from "../servers/contenders.ts";
import { sampleWorkloads } from "../servers/tool-calls.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { makeFiles } from "./files.ts";
import { measureGrep } from "./grep.ts";
import { REFERENCE, toTargets } from "./targets.ts";
import { type FilesystemComparison, toComparisons } from "./workloads.ts";

const sizes = [10_000, 100_000];
const quickSizes = [10_000];

/** Files: ours beside the reference server, and beside programs that do nothing but search. */
export async function run(options: SuiteOptions): Promise<SuiteReport> {
  const names = chooseContenders(options.only, [FLOOR, REFERENCE, OURS]);
  options.showProgress("making files");
  const files = await makeFiles(options.folder, options.quick ? quickSizes : sizes);
  const servers = toServers(files.root).filter(({ name }) => names.includes(name));
  const floor = await prepareFloor(options.folder);
  const [start, memory] = await measureStarts([floor, ...servers], FLOOR, options);
  const compared = await measureComparisons(servers, toComparisons(files, options.quick), options);
  const searching = servers.find(({ name }) => name === OURS);
  const [tree] = files.trees;
  const grep = searching && tree && (await measureGrep(searching, tree, options));
  return toReport([start, memory, ...compared, ...(grep ? [grep] : [])], toTargets(start, compared, grep));
}

/** Every server as its users run it. */
const toServers = (root: string): readonly Driven[] => [
  {
    name: REFERENCE,
    script: join(homeOf("@modelcontextprotocol/server-filesystem"), "dist/index.js"),
    args: [root],
  },
  ours("filesystem", [root]),
];

function measureComparisons(
  servers: readonly Driven[],
  comparisons: readonly FilesystemComparison[],
  options: SuiteOptions,
): Promise<readonly Measure[]> {
  return measureInTurns(
    comparisons.map(({ title, unit }) => ({
      title: `${title}, ${unit}`,
      digits: unit === "ms" ? 2 : 0,
      baseline: REFERENCE,
    })),
    servers,
    { ...options, rounds: callRoundsOf(options), what: "calls" },
    async (server) => {
      const side = server.name === REFERENCE ? "reference" : "ours";
      const workloads = comparisons.map((comparison) => comparison[side]);
      const times = await sampleWorkloads(server, workloads, options.signal);
      return times.map((ms, at) => (comparisons[at]?.unit === "calls/s" ? 1_000 / ms : ms));
    },
  );
}
