import { statSync } from "node:fs";
import { resolve } from "node:path";

import { codeOf } from "../errors/code-of.ts";
import { ExitError } from "../exit.ts";

/**
 * The absolute path of a directory that the operator named. Fails at the start if it does not exist: otherwise every call would
 * fail with an unhelpful error. `option` is the flag it was given with; undefined for a positional argument.
 */
export function requireDirectory(given: string, option?: string): string {
  const path = resolve(given);
  const problem = findProblem(path);
  if (problem === undefined) return path;
  const what = option === undefined ? given : `${option} ${given}`;
  throw new ExitError("configuration", `${what} ${problem}`, { hint: "Name directories that exist." });
}

function findProblem(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return "does not exist";
    return found.isDirectory() ? undefined : "is not a directory";
  } catch (thrown) {
    return `cannot be read (${String(codeOf(thrown))})`;
  }
}
