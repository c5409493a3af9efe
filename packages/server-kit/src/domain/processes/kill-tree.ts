import type { ChildProcess } from "node:child_process";
import { win32 } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { isRunning } from "./is-running.ts";

/** Kills a process and its descendants with SIGKILL. Descendants that moved to another process group escape. */
export function killTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") return killWindowsTree(child, pid);
  signalTree(child, pid, "SIGKILL");
}

const GRACE_MS = 500;
const LOOK_MS = 5;

/** Sends SIGTERM first, so that they can clean up, then kills. Returns whether a kill was necessary. */
export async function endTree(child: ChildProcess): Promise<boolean> {
  const { pid } = child;
  if (pid === undefined) return false;
  if (process.platform !== "win32") {
    signalTree(child, pid, "SIGTERM");
    for (const start = performance.now(); performance.now() - start < GRACE_MS; await sleep(LOOK_MS)) {
      if (!isRunning(-pid)) return false;
    }
  }
  killTree(child);
  return true;
}

function signalTree(child: ChildProcess, pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // No such group: the process was started in our group, or all members are gone.
    child.kill(signal);
  }
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Nothing else is done meanwhile. */
const TASKKILL_MS = 5000;

/** Windows has no process groups. Synchronous, because it is also called from the "exit" handler. */
function killWindowsTree(child: ChildProcess, pid: number): void {
  if (hasEnded(child)) return;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  // By its name, Windows would look for it in the working directory first.
  const taskkill = win32.join(
    process.env["SystemRoot"] ?? String.raw`C:\Windows`,
    "System32",
    "taskkill.exe",
  );
  const limits = { stdio: "ignore", windowsHide: true, timeout: TASKKILL_MS } as const;
  spawnSync(taskkill, ["/pid", String(pid), "/t", "/f"], limits);
  child.kill("SIGKILL");
}
