import { readdirSync, readFileSync } from "node:fs";

import { codeOf } from "../errors/code-of.ts";

/** Whether a process, or any member of a process group if `pid` is negative, is still running. Zombies are not. */
export function isRunning(pid: number): boolean {
  // Windows has no process groups, and no negative ids.
  if (!exists(process.platform === "win32" ? Math.abs(pid) : pid)) return false;
  if (!hasProc()) return true;
  // A zombie keeps its PID until its parent reaps it, which never happens in a container without an init.
  const hasEnded = pid > 0 ? readStat(String(pid))?.hasEnded : hasGroupEnded(-pid);
  // Unknown counts as running, because locks are removed based on this, unless it was reaped meanwhile.
  return hasEnded === undefined ? exists(pid) : !hasEnded;
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    // EPERM: it runs as another user.
    return codeOf(thrown) === "EPERM";
  }
}

/** When a running process began, as the system counts it: ids are reused. Undefined if not known. */
export function startOf(pid: number): string | undefined {
  const stat = readStat(String(pid));
  return stat?.hasEnded ? undefined : stat?.start;
}

/** Undefined if no member of the group is found. */
function hasGroupEnded(group: number): boolean | undefined {
  const stats = listProcesses().flatMap((pid) => readStat(pid) ?? []);
  const members = stats.filter((stat) => stat.group === group);
  return members.length === 0 ? undefined : members.every(({ hasEnded }) => hasEnded);
}

/** Elsewhere /proc is a folder that anybody may make, on Windows on every drive. */
const hasProc = (): boolean => process.platform === "linux";

/** Empty if /proc is not available. */
export function listProcesses(): readonly string[] {
  if (!hasProc()) return [];
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

interface ProcessStat {
  /** Name of its program, cut to 15 bytes. */
  readonly name: string;
  readonly hasEnded: boolean;
  readonly parent: number;
  readonly group: number;
  readonly start: string | undefined;
}

export function readStat(pid: string): ProcessStat | undefined {
  if (!hasProc()) return undefined;
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name may contain any character, even ")".
    const end = text.lastIndexOf(")");
    const name = text.slice(text.indexOf("(") + 1, end);
    const fields = text.slice(end + 2).split(" ");
    const [state = "", parent, group] = fields;
    return {
      name,
      hasEnded: "ZX".includes(state),
      parent: Number(parent),
      group: Number(group),
      start: fields[19],
    };
  } catch {
    return undefined;
  }
}
