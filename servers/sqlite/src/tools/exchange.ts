import { readdirSync } from "node:fs";

import { Fault, type PathGuard } from "@suite/server-kit/domain";

import type { Progress } from "../domain/protocol.ts";
import type { SqliteContext, SqliteState } from "../state.ts";

/** The directories for files, or how to get one. */
export function requireExchange({ exchange }: SqliteState): PathGuard {
  if (exchange) return exchange;
  throw new Fault("unsupported", "This server has no directory for files.", {
    hint: "The operator can name one with --exchange DIR.",
  });
}

const MOST_LISTED = 20;

/** The files that could have been meant. */
export function listFiles({ roots }: PathGuard): readonly string[] {
  const files = roots.flatMap((root) =>
    readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map(({ name }) => name),
  );
  return files.toSorted().slice(0, MOST_LISTED);
}

export const toProgress =
  ({ progress }: Pick<SqliteContext, "progress">) =>
  ({ done, total, message }: Progress): void =>
    progress(done, total, message);
