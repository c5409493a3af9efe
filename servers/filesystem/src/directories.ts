import { statSync } from "node:fs";
import { resolve } from "node:path";

import { ExitError } from "@suite/server-kit/program";

/** A directory as it was given, absolute. One that is not there would make every call fail in words that help nobody. */
export function toDirectory(given: string): string {
  const path = resolve(given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new ExitError("configuration", `${given} is no directory`, { hint: "Name directories that exist." });
}
