import { readFileSync } from "node:fs";

import { findProgram } from "./find-program.ts";

/**
 * What to put before a command so that it gets at most so much memory (what it allocates, not the files that it maps). Node
 * cannot set limits, so prlimit of util-linux does. Empty if this is not possible, or a lower limit is in force.
 */
export function limitMemory(
  bytes: number,
  env: { readonly [name: string]: string | undefined },
): readonly string[] {
  const program = process.platform === "linux" ? findProgram("prlimit", env) : undefined;
  return program === undefined || ownLimit() <= bytes ? [] : [program, `--data=${bytes}`];
}

/** Of this process, and so of those that it starts. */
function ownLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    return Number(/^Max data size +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
