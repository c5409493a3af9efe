import { readdirSync, readFileSync } from "node:fs";

// Linux tells of every process in /proc. What is asked of one that is gone is nothing, not an error.

/** The processes that a process has started, and that still run. */
export const childrenOf = (pid: number): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);

/** Those, and those that they have. */
export const descendantsOf = (pid: number): readonly number[] =>
  childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);

function parentOf(pid: number): number | undefined {
  const [state, parent] = fieldsOf(pid);
  return state === undefined || state === "Z" ? undefined : Number(parent);
}

/** The most memory that it ever had, in MiB. */
export function peakOf(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readProcess(pid, "status"))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Ended with all its threads, and its locks with it, if not yet forgotten by whoever started it. */
export function isGone(pid: number): boolean {
  const [state] = fieldsOf(pid);
  if (state !== "Z") return state === undefined;
  try {
    return readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return true;
  }
}

/** Ticks of the processor that it has taken. */
export const cpuOf = (pid: number): number => ticksIn(fieldsOf(pid));

/** Those of its main thread alone. */
export const mainThreadCpuOf = (pid: number): number => ticksIn(fieldsOf(pid, `task/${pid}/stat`));

const ticksIn = (fields: readonly string[]): number => Number(fields[11] ?? 0) + Number(fields[12] ?? 0);

/** Behind the name, which may have anything in it: the state, the parent, … */
function fieldsOf(pid: number, file = "stat"): readonly string[] {
  const stat = readProcess(pid, file);
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

const POWERS = "-dac_override,-dac_read_search";

/** A command for which permissions hold: root alone may read and write anything. It stays root, so that it can read itself. */
export const underPermissions = (command: readonly string[]): readonly string[] =>
  process.getuid?.() === 0
    ? ["setpriv", `--bounding-set=${POWERS}`, `--inh-caps=${POWERS}`, ...command]
    : command;
