import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { needs } from "@suite/core/testing";
import { afterEach, describe, expect, it } from "vitest";

import { isRunning, startOf } from "../../../src/domain/processes/is-running.ts";
import { waitUntil } from "./processes.ts";

const started: ChildProcess[] = [];
afterEach(() => started.splice(0).forEach((child) => child.kill("SIGKILL")));

/** Runs a command whose parent never asks what became of it, and says its number. */
async function startOrphan(command: string): Promise<number> {
  const parent = spawn("sh", ["-c", `${command} >/dev/null & echo $!; exec sleep 60`]);
  started.push(parent);
  const [line] = (await once(parent.stdout, "data")) as [Buffer];
  return Number(line.toString());
}

describe("a process is running", () => {
  needs(it, "/proc")("until it ends", async () => {
    const child = spawn("sleep", ["60"]);
    started.push(child);
    const pid = child.pid ?? 0;
    expect(isRunning(pid)).toBe(true);
    expect(startOf(pid)).toMatch(/^\d+$/);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isRunning(pid)).toBe(false);
    expect(startOf(pid)).toBeUndefined();
  });

  needs(it, "a shell")("until it ends, though nobody asks what became of it", async () => {
    const pid = await startOrphan("sleep 60");
    expect(isRunning(pid)).toBe(true);
    process.kill(pid, "SIGKILL");
    await waitUntil(() => !isRunning(pid), "it to end");
  });
});

needs(it, "setsid")(
  "a group is running until all of it has ended, though nobody asks what became of it",
  async () => {
    const leader = await startOrphan("setsid sh -c 'sleep 60 & exit'");
    await waitUntil(() => !isRunning(leader), "the leader to end");
    expect(isRunning(-leader)).toBe(true);
    process.kill(-leader, "SIGKILL");
    await waitUntil(() => !isRunning(-leader), "all of it to end");
  },
);

needs(it, "setsid")("a group that has ended does not run again while its parent reaps it", async () => {
  for (let round = 0; round < 20; round += 1) {
    const parent = spawn("sh", ["-c", "setsid sleep 60 & echo $!; wait"]);
    started.push(parent);
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const group = -Number(line.toString());
    await waitUntil(() => isRunning(group), "it to have its group");
    process.kill(group, "SIGKILL");
    await waitUntil(() => !isRunning(group), "it to end");
    for (let looks = 0; looks < 50; looks += 1) expect(isRunning(group)).toBe(false);
  }
});
