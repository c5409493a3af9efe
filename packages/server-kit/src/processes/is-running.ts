import { readdirSync, readFileSync } from "node:fs";

import { codeOf } from "../errors/code-of.ts";

/** Whether a process does anything still, or a group of them where the number is negative. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    // A process of somebody else may not be signalled, and runs all the same.
    return codeOf(thrown) === "EPERM";
  }
  // One that has ended keeps its number until its parent asks, which in a container without an init is never.
  return process.platform !== "linux" || (pid > 0 ? hasNotEnded(pid) : hasRunningMember(-pid));
}

/** Unknown counts as running: locks are taken away by this. */
function hasNotEnded(pid: number): boolean {
  const stat = readStat(String(pid));
  return stat === undefined || !stat.hasEnded;
}

function hasRunningMember(group: number): boolean {
  const stats = listProcesses().flatMap((pid) => readStat(pid) ?? []);
  const members = stats.filter((stat) => stat.group === group);
  return members.length === 0 || members.some(({ hasEnded }) => !hasEnded);
}

/** None where they are hidden. */
export function listProcesses(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

interface ProcessStat {
  /** Of its program, cut to 15 bytes. */
  readonly name: string;
  readonly hasEnded: boolean;
  readonly parent: number;
  readonly group: number;
}

export function readStat(pid: string): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name may have any character in it, a closing parenthesis too.
    const end = text.lastIndexOf(")");
    const name = text.slice(text.indexOf("(") + 1, end);
    const [state = "", parent, group] = text.slice(end + 2).split(" ");
    return { name, hasEnded: "ZX".includes(state), parent: Number(parent), group: Number(group) };
  } catch {
    return undefined;
  }
}
