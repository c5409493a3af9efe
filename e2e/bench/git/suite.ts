import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { deadlineMs, drive, type Driven, shakeHands } from "../core/driving.ts";
import { type ToolCall, toolsList, toToolCall } from "../core/messages.ts";
import { bundleServer } from "../measure/bundle.ts";
import { BenchFailure } from "../measure/failure.ts";
import { sampleInTurns } from "../measure/interleave.ts";
import { formatMeasure, type Measure, Samples, toPlainMeasure } from "../measure/measure.ts";
import { pump, toRequests } from "../measure/pump.ts";
import { readResidentMemory } from "../measure/resident-memory.ts";
import { type BenchTarget, formatTargets, toPlainTarget } from "../measure/target.ts";
import { hasText, sampleWorkloads, type Workload } from "../servers/tool-calls.ts";
import type { SuiteOptions, SuiteReport } from "../suite.ts";
import { UsageError } from "../../support/usage.ts";
import { type BenchRepository, makeRepository } from "./repository.ts";

const FLOOR = "floor";
/** Not a server at all: a process per command. */
const PLAIN = "git";
const PEER = "@cyanheads/git-mcp-server";
const OURS = "ours";

const resolveFile = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier));

/** Git on a large repository: ours beside plain git, and a peer. All in fresh processes. */
export async function runGitSuite(options: SuiteOptions): Promise<SuiteReport> {
  if (options.only !== undefined) throw new UsageError("--only has no meaning here: all are compared");
  options.showProgress("making a repository");
  const size = options.quick ? 2_000 : 20_000;
  const repository = makeRepository(options.folder, size, size, !options.quick);
  const floor = fileURLToPath(new URL("../core/servers/floor.js", import.meta.url));
  const servers: readonly Driven[] = [
    {
      name: FLOOR,
      script: await bundleServer(floor, options.folder, { commonJsInside: false, external: [] }),
    },
    { name: PEER, script: resolveFile(PEER) },
    {
      name: OURS,
      script: join(dirname(resolveFile("@suite/server-git/package.json")), "dist/main.js"),
      args: ["--all-tools", repository.root],
    },
  ];
  const starts = await measureStarts(servers, repository, options);
  const called = servers.filter(({ name }) => name !== FLOOR);
  const compared = await measureCalls(called, toComparisons(repository, options.quick), repository, options);
  const memory = options.quick ? [] : [await measureLargeDiff(called, repository, options)];
  const targets = toTargets(starts, compared, memory);
  const tables = [
    ...starts.map((measure) => formatMeasure(measure, measure.summaries.has(FLOOR) ? FLOOR : PEER)),
    ...compared.map((measure) => formatMeasure(measure, PLAIN)),
    ...memory.map((measure) => formatMeasure(measure, PEER)),
    formatTargets(targets),
  ];
  const measures = [...starts, ...compared, ...memory].map(toPlainMeasure);
  return { text: tables.join("\n\n"), data: { measures, targets: targets.map(toPlainTarget) } };
}

const statusOf = (name: string, { root }: BenchRepository): ToolCall => ({
  name: "git_status",
  arguments: name === PEER ? { path: root } : {},
});

/** From the spawn to the list of tools, and to the first status. */
async function measureStarts(
  servers: readonly Driven[],
  repository: BenchRepository,
  { rounds, signal, showProgress }: SuiteOptions,
): Promise<readonly Measure[]> {
  const names = servers.map(({ name }) => name);
  const [list, first] = [new Samples(names), new Samples(names.filter((name) => name !== FLOOR))];
  const turns = sampleInTurns(servers, rounds, async (server, round) => {
    showProgress(`starts, round ${round} of ${rounds}: ${server.name}`);
    const spawnedAt = performance.now();
    return drive(server, signal, async (running) => {
      await shakeHands(running, "legacy");
      const listed = await pump(running, toRequests([toolsList]), { window: 1, deadlineMs });
      const times = { name: server.name, listMs: listed.doneAt - spawnedAt, firstMs: Number.NaN };
      if (server.name === FLOOR) return times;
      const request = toRequests([toToolCall(2, statusOf(server.name, repository))]);
      const { doneAt } = await pump(running, request, { window: 1, deadlineMs });
      return { ...times, firstMs: doneAt - spawnedAt };
    });
  });
  for await (const { name, listMs, firstMs } of turns) {
    list.add(name, listMs);
    if (name !== FLOOR) first.add(name, firstMs);
  }
  return [list.toMeasure("spawn to tools/list, ms", 1), first.toMeasure("spawn to the first status, ms", 1)];
}

interface GitComparison {
  readonly title: string;
  readonly plain: readonly string[];
  readonly found: string;
  readonly ours: ToolCall;
  readonly peer: ToolCall["arguments"];
}

function toComparisons({ busy }: BenchRepository, quick: boolean): readonly GitComparison[] {
  const last = quick ? 1_999 : 19_999;
  const format = "--format=%H %P %an %ae %aI %D %s %b";
  return [
    {
      title: "status",
      plain: ["status", "--porcelain=v2", "--branch"],
      found: "untracked.txt",
      ours: { name: "git_status", arguments: {} },
      peer: {},
    },
    {
      title: "log 50",
      plain: ["log", "-50", format],
      found: `change number ${last}`,
      ours: { name: "git_log", arguments: { max_count: 50 } },
      peer: { maxCount: 50 },
    },
    {
      title: "log 50 by path",
      plain: ["log", "-50", format, "--", busy],
      found: "change number",
      ours: { name: "git_log", arguments: { max_count: 50, paths: [busy] } },
      peer: { maxCount: 50, filePath: busy },
    },
    {
      title: "diff of the work tree",
      plain: ["diff"],
      found: "changed 2",
      ours: { name: "git_diff_unstaged", arguments: {} },
      peer: {},
    },
    {
      title: "blame",
      plain: ["blame", "--porcelain", busy],
      found: "line 0 of",
      ours: { name: "git_blame", arguments: { path: busy } },
      peer: { filePath: busy },
    },
  ];
}

const PEER_TOOLS: { readonly [ours: string]: string } = { git_diff_unstaged: "git_diff" };

async function measureCalls(
  servers: readonly Driven[],
  comparisons: readonly GitComparison[],
  { root }: BenchRepository,
  { rounds, quick, signal, showProgress }: SuiteOptions,
): Promise<readonly Measure[]> {
  const names = [PLAIN, ...servers.map(({ name }) => name)];
  const samples = comparisons.map(() => new Samples(names));
  const counts = { warmUp: 1, measured: quick ? 3 : 10, window: 1 };
  const callRounds = Math.ceil(rounds / 4);
  const turns = sampleInTurns(names, callRounds, async (name, round) => {
    showProgress(`calls, round ${round} of ${callRounds}: ${name}`);
    const server = servers.find((candidate) => candidate.name === name);
    if (!server)
      return { name, times: comparisons.map((comparison) => timePlain(root, comparison, counts.measured)) };
    const workloads = comparisons.map(({ ours, peer, found }): Workload => ({
      call:
        name === PEER
          ? { name: PEER_TOOLS[ours.name] ?? ours.name, arguments: { path: root, ...peer } }
          : ours,
      check: hasText(found),
      ...counts,
    }));
    return { name, times: await sampleWorkloads(server, workloads, signal) };
  });
  for await (const { name, times } of turns) times.forEach((ms, at) => samples[at]?.add(name, ms));
  return comparisons.map(({ title }, at) => (samples[at] as Samples).toMeasure(`${title}, ms`, 1));
}

function timePlain(root: string, { plain, found }: GitComparison, times: number): number {
  let total = 0;
  for (let count = 0; count <= times; count += 1) {
    const beganAt = performance.now();
    const { stdout } = spawnSync("git", plain, { cwd: root, maxBuffer: 2 ** 28 });
    if (!stdout.includes(found)) throw new BenchFailure(`git ${plain.join(" ")} did not find ${found}`);
    // The first one warms the disk up.
    if (count > 0) total += performance.now() - beganAt;
  }
  return total / times;
}

/** A diff of 100 MB is asked for once; what matters is what it leaves in memory. */
async function measureLargeDiff(
  servers: readonly Driven[],
  { root, large }: BenchRepository,
  { signal }: SuiteOptions,
): Promise<Measure> {
  const samples = new Samples(servers.map(({ name }) => name));
  for (const server of servers) {
    const args =
      server.name === PEER
        ? { path: root, target: `${large}~1`, source: large }
        : { target: `${large}~1..${large}` };
    await drive(server, signal, async (running) => {
      await shakeHands(running, "legacy");
      const request = toRequests([toToolCall(2, { name: "git_diff", arguments: args })]);
      await pump(running, request, { window: 1, deadlineMs });
      samples.add(server.name, await readResidentMemory(running.pid));
    });
  }
  return samples.toMeasure("resident memory after a diff of 100 MB, MiB", 1);
}

function toTargets(
  [list]: readonly Measure[],
  compared: readonly Measure[],
  [memory]: readonly Measure[],
): BenchTarget[] {
  const of = (measure: Measure | undefined, name: string): number =>
    measure?.summaries.get(name)?.median ?? Number.NaN;
  return [
    { what: "tools/list vs floor", measured: of(list, OURS) / of(list, FLOOR), wanted: { atMost: 1.3 } },
    ...compared.map((measure) => ({
      what: `${measure.title.replace(", ms", "")} beyond plain git`,
      measured: of(measure, OURS) - of(measure, PLAIN),
      unit: " ms",
      wanted: { atMost: 15 },
    })),
    ...(memory
      ? [{ what: "memory after 100 MB", measured: of(memory, OURS), unit: " MiB", wanted: { atMost: 120 } }]
      : []),
  ];
}
