import type { ChildProcess } from "node:child_process";

/** Ends a process and what it started, at once: it may ignore anything gentler. What moved to a group of its own escapes. */
export function killTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === "win32") return killWindowsTree(child, pid);
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // No such group: the process was started in ours, or all of them are gone.
    child.kill("SIGKILL");
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
