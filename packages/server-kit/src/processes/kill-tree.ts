import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

import { isRunning } from "./is-running.ts";

/** Ends a process and what it started, at once: it may ignore anything gentler. What moved to a group of its own escapes. */
export function killTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") return killWindowsTree(child, pid);
  signalTree(child, pid, "SIGKILL");
}

const GRACE_MS = 500;
const LOOK_MS = 5;

/** Asks them to end first, so that they put away what nobody else knows of. Whether one of them had to be killed. */
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
    // No such group: the process was started in ours, or all of them are gone.
    child.kill(signal);
  }
}

export const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

/** Windows knows no groups. Blocks until it is done, since nothing is done later in a process that exits. */
function killWindowsTree(child: ChildProcess, pid: number): void {
  if (hasEnded(child)) return;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
  child.kill("SIGKILL");
}
