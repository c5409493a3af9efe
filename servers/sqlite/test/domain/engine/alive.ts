import { readFileSync } from "node:fs";

export const isAlive = (pid: number | undefined): boolean => {
  try {
    process.kill(pid ?? 0, 0);
    return true;
  } catch {
    return false;
  }
};

/** How long a process has worked, in hundredths of a second. Where the system does not tell, it always does. */
export function workOf(pid: number | undefined): number {
  if (process.platform !== "linux") return performance.now() / 10;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
