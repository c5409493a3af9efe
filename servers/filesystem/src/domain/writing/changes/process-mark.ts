import { readFileSync, readlinkSync } from "node:fs";
import { getPriority, hostname } from "node:os";

import { isObject } from "@suite/server-kit/domain";

/** Says which process something belongs to, so that others can tell whether it is still at work. */
export interface ProcessMark {
  readonly pid: number;
  /** When it began, where the system says so: process ids are used again. */
  readonly start: string;
  /** Process ids mean something on this machine, since its start, in this container. */
  readonly host: string;
}

export function createProcessMark(pid: number): ProcessMark {
  return { pid, start: startOf(pid) ?? "", host: describeHost() };
}

/** "unknown": it is on another machine, or in another container. Only time can tell then. */
export function stateOf(mark: ProcessMark, own: ProcessMark): "alive" | "dead" | "unknown" {
  if (isSameProcess(mark, own)) return "alive";
  if (mark.host !== own.host) return "unknown";
  if (mark.start !== "") return startOf(mark.pid) === mark.start ? "alive" : "dead";
  return exists(mark.pid) ? "unknown" : "dead";
}

/** Whoever cannot be asked, on another machine say, is given this long. */
const PATIENCE_MS = 10 * 60_000;

/** Whether nobody comes back for what was left so many milliseconds ago. */
export function isAbandonedBy(mark: ProcessMark, own: ProcessMark, age: number): boolean {
  const state = stateOf(mark, own);
  return state === "dead" || (state === "unknown" && age > PATIENCE_MS);
}

export const isSameProcess = (a: ProcessMark, b: ProcessMark): boolean =>
  a.pid === b.pid && a.start === b.start && a.host === b.host;

export function isProcessMark(data: unknown): data is ProcessMark {
  if (!isObject(data)) return false;
  const { pid, start, host } = data;
  return Number.isSafeInteger(pid) && typeof start === "string" && typeof host === "string";
}

/** Field 22 of /proc/PID/stat. The name of the program comes before it, and may hold spaces and brackets. */
function startOf(pid: number): string | undefined {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie has ended: it only waits for its parent to notice.
  return "ZX".includes(fields?.[0] ?? "") ? undefined : fields?.[19];
}

function describeHost(): string {
  const boot = read(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim());
  const namespace = read(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, namespace].filter((part) => part !== undefined).join(" ");
}

/** Without touching `process`: any question about a process that is not there fails. */
function exists(pid: number): boolean {
  return read(() => getPriority(pid)) !== undefined;
}

function read<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
