import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { buildProgram } from "./programs/build.ts";

const run = promisify(execFile);
const program = await buildProgram("crash-points");

/** Where it is in memory, nothing waits for a disk. */
const fast = existsSync("/dev/shm") ? { TMPDIR: "/dev/shm" } : {};

async function runProgram(...args: string[]): Promise<unknown> {
  const options = { env: { ...process.env, ...fast }, timeout: 240_000, maxBuffer: 1e8 };
  return JSON.parse((await run(process.execPath, [program, ...args], options)).stdout);
}

const scenarios = (await runProgram()) as string[];

it.each(scenarios)("a change that is ended at any step on the disk is recovered: %s", async (scenario) => {
  const { ends, problems } = (await runProgram(scenario)) as { ends: number; problems: unknown[] };
  expect(problems.slice(0, 3)).toEqual([]);
  expect(ends).toBeGreaterThan(8);
});
