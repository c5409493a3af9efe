import { readdirSync, readlinkSync } from "node:fs";

import { codeOf } from "../errors/code-of.ts";
import { isWithin } from "../paths/roots.ts";
import { listProcesses, readStat } from "./is-running.ts";

/**
 * Of the given files, those that no other process uses: none has them open, and the program runs in none of the folders.
 * This process and its descendants do not count. Empty if that cannot be determined.
 */
export function findUnheld(
  files: readonly string[],
  program: string,
  folders: readonly string[],
): readonly string[] {
  const pids = listProcesses();
  if (pids.length === 0) return [];
  const held = new Set<string>();
  for (const pid of pids) {
    const stat = readStat(pid);
    if (!stat || stat.hasEnded || isOwn(pid, stat)) continue;
    const isProgram = stat.name === program || stat.name.startsWith(`${program}-`);
    if (isProgram && worksIn(pid, folders)) return [];
    for (const file of listOpen(pid)) held.add(file);
  }
  return files.filter((file) => !held.has(file));
}

/** This process, its children, and the members of their process groups. */
const isOwn = (
  pid: string,
  { parent, group }: { readonly parent: number; readonly group: number },
): boolean => [Number(pid), parent, readStat(String(group))?.parent].includes(process.pid);

function worksIn(pid: string, folders: readonly string[]): boolean {
  try {
    const place = readlinkSync(`/proc/${pid}/cwd`);
    return folders.some((folder) => isWithin(place, folder));
  } catch (thrown) {
    // It runs as another user and hides its directory: it may be there.
    return codeOf(thrown) === "EACCES";
  }
}

function listOpen(pid: string): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((fd) => {
      try {
        return [readlinkSync(`${folder}/${fd}`)];
      } catch {
        return [];
      }
    });
  } catch {
    // It has ended, or runs as another user.
    return [];
  }
}
