import { statSync } from "node:fs";
import { resolve } from "node:path";

import { describeProblem } from "../../domain/errors/to-fault.ts";
import { ExitError } from "../options/exit.ts";

/**
 * The absolute path of a directory that the operator named. Fails at the start if it does not exist: otherwise every call would
 * fail with an unhelpful error. `option` is the flag it was given with; undefined for a positional argument.
 */
export function requireDirectory(given: string, option?: string): string {
  const path = resolve(given);
  const problem = findProblem(path, option === undefined ? given : `${option} ${given}`);
  if (problem === undefined) return path;
  throw new ExitError("configuration", problem, { hint: "Name directories that exist." });
}

function findProblem(path: string, what: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : `${what} is not a directory`;
  } catch (thrown) {
    return describeProblem(thrown, what);
  }
}
