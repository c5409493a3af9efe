import { statSync } from "node:fs";
import { resolve } from "node:path";

import { codeOf } from "../../domain/errors/code-of.ts";
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

/** In few words: a table of them, as results have, would delay every start. */
function findProblem(path: string, what: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory()) return undefined;
    return `${what} ${stats ? "is not a directory" : "does not exist"}`;
  } catch (thrown) {
    const named = what.replaceAll("\0", String.raw`\0`);
    return `${named} cannot be used (${String(codeOf(thrown))})`;
  }
}
