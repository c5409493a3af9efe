import { readdirSync, readFileSync } from "node:fs";

/** The processes that a process has started, and those that they have. Linux tells. */
export function descendantsOf(pid: number): readonly number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(fieldsOf(pid)[1]);
  } catch {
    return undefined;
  }
}

/** The most memory that it ever had, in MiB. */
export function peakOf(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Ended with all its threads, and its locks with it, if not yet forgotten by whoever started it. */
export function isGone(pid: number): boolean {
  try {
    const isZombie = fieldsOf(pid)[0] === "Z";
    return isZombie && readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return true;
  }
}

/** Ticks of the processor that it has taken. */
export function cpuOf(pid: number): number {
  try {
    const fields = fieldsOf(pid);
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}

/** Behind the name, which may have anything in it: the state, the parent, … */
function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

export async function until(holds: () => boolean, what: string, patienceMs = 30_000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`${what} did not come about in ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
