import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { BenchFailure } from "./failure.ts";

/** Resident memory of a live process in MiB. */
export async function readResidentMemory(pid: number): Promise<number> {
  const kibibytes = process.platform === "linux" ? await readProcStatus(pid) : await askPs(pid);
  if (!(kibibytes > 0)) throw new BenchFailure(`cannot read the resident memory of process ${pid}`);
  return kibibytes / 1024;
}

async function readProcStatus(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1]);
}

async function askPs(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)], { timeout: 10_000 });
  return Number(stdout.trim());
}
