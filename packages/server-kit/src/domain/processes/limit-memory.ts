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

let own: number | undefined;

/** Of this process, and so of those that it starts. Read once: git is started for every call, often several times. */
function ownLimit(): number {
  try {
    own ??= Number(
      /^Max data size +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1] ?? Infinity,
    );
  } catch {
    own = Infinity;
  }
  return own;
}
