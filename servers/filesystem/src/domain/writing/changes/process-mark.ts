import { readFileSync, readlinkSync } from "node:fs";
import { getPriority, hostname, platform } from "node:os";

import { isObject, startOf } from "@suite/server-kit/domain";
import { attempt } from "../../attempt.ts";

/** Identifies a process, so that others can find out whether it is still running. */
export interface ProcessMark {
  readonly pid: number;
  /** Its start time, if known: process ids are reused. */
  readonly start: string;
  /** Machine, boot and container: process ids are valid only there. */
  readonly host: string;
}

export function createProcessMark(pid: number): ProcessMark {
  return { pid, start: startOf(pid) ?? "", host: describeHost() };
}

/** "unknown": it is on another machine or in another container, or its start time is not known. */
export function stateOf(mark: ProcessMark, own: ProcessMark): "alive" | "dead" | "unknown" {
  if (isSameProcess(mark, own)) return "alive";
  if (mark.host !== own.host) return "unknown";
  if (mark.start !== "") return startOf(mark.pid) === mark.start ? "alive" : "dead";
  return exists(mark.pid) ? "unknown" : "dead";
}

/** A process in an unknown state, such as one on another machine, counts as dead after this time. */
const PATIENCE_MS = 10 * 60_000;

/** Whether the owner of something that is `age` milliseconds old is gone. */
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

function describeHost(): string {
  // Elsewhere /proc is a folder that anybody may make.
  if (platform() !== "linux") return hostname();
  const boot = attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim());
  const namespace = attempt(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, namespace].filter((part) => part !== undefined).join(" ");
}

/** Without using `process`: getPriority throws if there is no such process. */
function exists(pid: number): boolean {
  return attempt(() => getPriority(pid)) !== undefined;
}
