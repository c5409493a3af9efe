import { statSync } from "node:fs";
import { resolve } from "node:path";

import { ExitError } from "../exit.ts";

/**
 * A directory that the operator named, absolute. One that is not there would make every call fail, in words that help nobody.
 * `option` is what it was given with, if that was not an argument.
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
