import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { Driven } from "../core/driving.ts";
import { BenchFailure } from "../measure/failure.ts";
import { callRoundsOf, measureInTurns } from "../measure/interleave.ts";
import type { Measure } from "../measure/measure.ts";
import { sampleWorkloads, type Workload } from "../servers/tool-calls.ts";
import type { SuiteOptions } from "../suite.ts";
import { needle } from "./files.ts";

export const ripgrepName = "rg";

/** Programs made for nothing else. Their own start counts: that is how one would run them. */
const programs: ReadonlyMap<string, readonly string[]> = new Map([
  [ripgrepName, ["--line-number", "--fixed-strings"]],
  ["grep", ["--recursive", "--line-number", "--fixed-strings"]],
]);

const run = promisify(execFile);

/** One text in all files of a tree; what is not installed here is left out. */
export async function measureGrep(
  ours: Driven,
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
  const installed = await findInstalled();
  const title = `one text in ${size.toLocaleString("en-US")} files, ms`;
  const [measure] = await measureInTurns(
    [{ title, digits: 1, baseline: installed[0] ?? ours.name }],
    [...installed.map((name) => ({ name })), ours],
    { ...options, rounds: callRoundsOf(options), what: "grep" },
    async ({ name }) =>
      name === ours.name ? sampleWorkloads(ours, [workload], options.signal) : [await time(name)],
  );
  return measure;

  async function time(name: string): Promise<number> {
    const beganAt = performance.now();
    const { stdout } = await run(name, [...(programs.get(name) ?? []), needle, path], {
      signal: options.signal,
    });
    const ms = performance.now() - beganAt;
    const found = stdout.trimEnd().split("\n").length;
    if (found !== expected) throw new BenchFailure(`${name} found ${found} lines of ${expected}`);
    return ms;
  }
}

async function findInstalled(): Promise<readonly string[]> {
  const found = await Promise.all(
    [...programs.keys()].map((name) =>
      run(name, ["--version"]).then(
        () => [name],
        () => [],
      ),
    ),
  );
  return found.flat();
}
