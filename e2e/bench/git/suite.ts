import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { type Measure, Samples, toReport } from "../measure/measure.ts";
import { pump, toRequests } from "../measure/pump.ts";
import { readResidentMemory } from "../measure/server-process.ts";
import { callRoundsOf, measureInTurns } from "../measure/turns.ts";
import { FLOOR, ours, prepareFloor } from "../servers/contenders.ts";
import { deadlineMs, drive, type Driven, shakeHands } from "../servers/driving.ts";
import { type ToolCall, toolsList, toToolCall } from "../servers/messages.ts";
import { hasText, sampleWorkloads, type Workload } from "../servers/tool-calls.ts";
import { BenchFailure, type SuiteOptions } from "../suite.ts";
import { type BenchRepository, makeRepository } from "./repository.ts";

/** Not a server at all: a process per command. */
const PLAIN = "git";
const PEER = "@cyanheads/git-mcp-server";

/** Git on a large repository: ours beside plain git, and a peer. All in fresh processes. */
export async function run(options: SuiteOptions): Promise<string> {
  options.showProgress("making a repository");
  const size = options.quick ? 2_000 : 20_000;
  const repository = makeRepository(options.folder, size, size, !options.quick);
  const called: readonly Driven[] = [
    { name: PEER, script: fileURLToPath(import.meta.resolve(PEER)) },
    ours("git", ["--all-tools", repository.root]),
  ];
  const starts = await measureStarts([await prepareFloor(options.folder), ...called], repository, options);
  const compared = await measureCalls(called, toComparisons(repository, options.quick), repository, options);
  const memory = options.quick ? [] : [await measureLargeDiff(called, repository, options)];
  return toReport([...starts, ...compared, ...memory]);
}

const statusOf = (name: string, { root }: BenchRepository): ToolCall => ({
  name: "git_status",
  arguments: name === PEER ? { path: root } : {},
});

/** From the spawn to the list of tools, and to the first status. */
function measureStarts(
  servers: readonly Driven[],
  repository: BenchRepository,
  options: SuiteOptions,
): Promise<readonly Measure[]> {
  const figures = [
    {
      title: "spawn to tools/list, ms",
      digits: 1,
      baseline: FLOOR,
      targets: [{ per: FLOOR, atMost: 1.3 }],
    },
    { title: "spawn to the first status, ms", digits: 1, baseline: PEER },
  ];
  return measureInTurns(figures, servers, { ...options, what: "starts" }, (server) => {
    const spawnedAt = performance.now();
    return drive(server, options.signal, async (running) => {
      await shakeHands(running);
      const listed = await pump(running, toRequests([toolsList]), { window: 1, deadlineMs });
      if (server.name === FLOOR) return [listed.doneAt - spawnedAt];
      const request = toRequests([toToolCall(2, statusOf(server.name, repository))]);
      const first = await pump(running, request, { window: 1, deadlineMs });
      return [listed.doneAt - spawnedAt, first.doneAt - spawnedAt];
    });
  });
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

function measureCalls(
  servers: readonly Driven[],
  comparisons: readonly GitComparison[],
  { root }: BenchRepository,
  options: SuiteOptions,
): Promise<readonly Measure[]> {
  const counts = { warmUp: 1, measured: options.quick ? 3 : 10, window: 1 };
  return measureInTurns(
    comparisons.map(({ title }) => ({
      title: `${title}, ms`,
      digits: 1,
      baseline: PLAIN,
      targets: [{ beyond: PLAIN, atMost: 15 }],
    })),
    [{ name: PLAIN }, ...servers],
    { ...options, rounds: callRoundsOf(options), what: "calls" },
    async ({ name }) => {
      const server = servers.find((candidate) => candidate.name === name);
      if (!server) return comparisons.map((comparison) => timePlain(root, comparison, counts.measured));
      const workloads = comparisons.map(({ ours: call, peer, found }): Workload => ({
        call:
          name === PEER
            ? { name: PEER_TOOLS[call.name] ?? call.name, arguments: { path: root, ...peer } }
            : call,
        check: hasText(found),
        ...counts,
      }));
      return sampleWorkloads(server, workloads, options.signal);
    },
  );
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
      await shakeHands(running);
      const request = toRequests([toToolCall(2, { name: "git_diff", arguments: args })]);
      await pump(running, request, { window: 1, deadlineMs });
      samples.add(server.name, readResidentMemory(running.pid));
    });
  }
  const title = "resident memory after a diff of 100 MB, MiB";
  return samples.toMeasure({ title, digits: 1, baseline: PEER, targets: [{ atMost: 120 }] });
}
