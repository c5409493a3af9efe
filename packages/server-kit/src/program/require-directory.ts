import { statSync } from "node:fs";
import { resolve } from "node:path";

import { ExitError } from "../exit.ts";

/**
 * The absolute path of a directory that the operator named. Fails at the start if it does not exist: otherwise every call would
 * fail with an unhelpful error. `option` is the flag it was given with; undefined for a positional argument.
 */
export function requireDirectory(given: string, option?: string): string {
  const path = resolve(given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return path;
  const what = option === undefined ? given : `${option} ${given}`;
  throw new ExitError("configuration", found ? `${what} is not a directory` : `${what} does not exist`, {
    hint: "Name directories that exist.",
  });
}
