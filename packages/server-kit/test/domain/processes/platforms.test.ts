import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { needs } from "@suite/core/testing";
import { expect, it, onTestFinished, vi } from "vitest";

import { isRunning, listProcesses, startOf } from "../../../src/domain/processes/is-running.ts";
import { killTree } from "../../../src/domain/processes/kill-tree.ts";
import { limitMemory } from "../../../src/domain/processes/limit-memory.ts";

/** What the code sees where it asks for its platform; the system stays what it is. */
function pretend(platform: NodeJS.Platform): void {
  const { platform: before } = process;
  Object.defineProperty(process, "platform", { value: platform });
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: before }));
}

function startSleeper(): ChildProcess {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

needs(it, "a shell").each(["darwin", "win32"] as const)(
  "on %s, without /proc, the system's answer counts",
  async (platform) => {
    pretend(platform);
    const child = startSleeper();
    const pid = child.pid ?? 0;
    expect([isRunning(process.pid), isRunning(pid)]).toEqual([true, true]);
    // Where there are no groups, it is asked for by itself.
    expect(isRunning(-pid)).toBe(platform === "win32");
    // Somebody else may have made a folder of that name.
    expect([listProcesses(), startOf(pid)]).toEqual([[], undefined]);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isRunning(pid)).toBe(false);
    expect(limitMemory(1, process.env)).toEqual([]);
  },
);

needs(it, "signals")(
  "on macOS, a process is killed with its group or, where it has none, by itself",
  async () => {
    pretend("darwin");
    const child = startSleeper();
    killTree(child);
    await expect(once(child, "exit")).resolves.toEqual([null, "SIGKILL"]);
  },
);

needs(it, "a shell")(
  "on Windows, taskkill is the system's, whatever lies in the working directory",
  async () => {
    pretend("win32");
    const found = process.getBuiltinModule("node:child_process");
    const started = vi.spyOn(found, "spawnSync").mockImplementation(() => ({ status: 0 }) as never);
    onTestFinished(() => started.mockRestore());
    vi.stubEnv("SystemRoot", String.raw`D:\Windows`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const child = startSleeper();
    killTree(child);
    await once(child, "exit");
    expect(started.mock.calls).toEqual([
      [
        String.raw`D:\Windows\System32\taskkill.exe`,
        ["/pid", String(child.pid), "/t", "/f"],
        { stdio: "ignore", windowsHide: true, timeout: 5000 },
      ],
    ]);
    // An id may belong to another process by now.
    killTree(child);
    expect(started).toHaveBeenCalledTimes(1);
  },
);
