import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { buildProgram } from "./programs/build.ts";

const run = promisify(execFile);
const program = await buildProgram("crash-points");

/** Where it is in memory, nothing waits for a disk. */
const fast = existsSync("/dev/shm") ? { TMPDIR: "/dev/shm" } : {};

it("recovers every change that is ended at any step it takes on the disk", async () => {
  const { stdout } = await run(process.execPath, [program], {
    env: { ...process.env, ...fast },
    timeout: 280_000,
    maxBuffer: 1e8,
  });
  const { ends, scenarios, problems } = JSON.parse(stdout) as {
    ends: number;
    scenarios: number;
    problems: unknown[];
  };
  expect(problems.slice(0, 3)).toEqual([]);
  expect(ends).toBeGreaterThan(scenarios * 40);
});
