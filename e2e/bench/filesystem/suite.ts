import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { homeOf } from "../../support/installed.ts";
import { type Measure, toReport } from "../measure/measure.ts";
import { callRoundsOf, measureInTurns } from "../measure/turns.ts";
import { FLOOR, ours, OURS, prepareFloor } from "../servers/contenders.ts";
import { type Driven, measureStarts } from "../servers/driving.ts";
import { sampleWorkloads, type Workload } from "../servers/tool-calls.ts";
import { BenchFailure, type SuiteOptions } from "../suite.ts";
import { makeFiles, needle } from "./files.ts";
import { toComparisons } from "./workloads.ts";

const REFERENCE = "reference";
/** A program made for nothing but searching. Its own start counts: that is how one would run it. */
const RIPGREP = "rg";

const execute = promisify(execFile);

/** Files: ours beside the reference server, and beside a program that does nothing but search. */
export async function run(options: SuiteOptions): Promise<string> {
  options.showProgress("making files");
  const files = await makeFiles(options.folder, options.quick ? [10_000] : [10_000, 100_000]);
  const reference = join(homeOf("@modelcontextprotocol/server-filesystem"), "dist/index.js");
  const own = ours("filesystem", [files.root]);
  const servers = [{ name: REFERENCE, script: reference, args: [files.root] }, own];
  const starts = await measureStarts([await prepareFloor(options.folder), ...servers], FLOOR, options);
  const comparisons = toComparisons(files, options.quick);
  const compared = await measureInTurns(
    comparisons.map(({ title, unit, atLeast }) => ({
      title: `${title}, ${unit}`,
      digits: unit === "ms" ? 2 : 0,
      baseline: REFERENCE,
      targets:
        atLeast === undefined
          ? []
          : [{ per: REFERENCE, ...(unit === "ms" ? { atMost: 1 / atLeast } : { atLeast }) }],
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
  const [tree] = files.trees;
  return toReport([...starts, ...compared, ...(tree ? [await measureGrep(own, tree, options)] : [])]);
}

/** One text in all files of a tree. Without ripgrep, ours alone. */
async function measureGrep(
  own: Driven,
  [size, path]: readonly [number, string],
  options: SuiteOptions,
): Promise<Measure> {
  const expected = size / 100;
  const workload: Workload = {
    call: {
      name: "search_content",
      arguments: { path, pattern: needle, limit: 10_000, max_bytes: 1_000_000 },
    },
    check: ({ structuredContent }) => structuredContent?.["matches"] === expected,
    warmUp: 1,
    measured: 3,
    window: 1,
  };
  const isInstalled = await execute(RIPGREP, ["--version"]).then(
    () => true,
    () => false,
  );
  const figure = {
    title: `one text in ${size.toLocaleString("en-US")} files, ms`,
    digits: 1,
    baseline: RIPGREP,
    targets: [{ per: RIPGREP, atMost: 3 }],
  };
  const [measure] = await measureInTurns(
    [figure],
    [...(isInstalled ? [RIPGREP] : []), OURS].map((name) => ({ name })),
    { ...options, rounds: callRoundsOf(options), what: "one text" },
    async ({ name }) =>
      name === OURS ? sampleWorkloads(own, [workload], options.signal) : [await timeRipgrep()],
  );
  return measure;

  async function timeRipgrep(): Promise<number> {
    const beganAt = performance.now();
    const args = ["--line-number", "--fixed-strings", needle, path];
    const { stdout } = await execute(RIPGREP, args, { signal: options.signal });
    const ms = performance.now() - beganAt;
    const found = stdout.trimEnd().split("\n").length;
    if (found !== expected) throw new BenchFailure(`${RIPGREP} found ${found} lines of ${expected}`);
    return ms;
  }
}
