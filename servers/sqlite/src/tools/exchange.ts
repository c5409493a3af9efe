import { statSync } from "node:fs";

import { Fault, type PathGuard } from "@suite/server-kit/domain";

import type { NamedDatabase } from "../domain/databases.ts";
import type { Progress } from "../domain/protocol.ts";
import type { SqliteContext, SqliteState } from "../state.ts";

/** The directories for files, or how to get one. */
export function requireExchange({ exchange }: SqliteState): PathGuard {
  if (exchange) return exchange;
  throw new Fault("unsupported", "This server has no directory for files.", {
    hint: "The operator can name one with --exchange DIR.",
  });
}

export const toProgress =
  ({ progress }: Pick<SqliteContext, "progress">) =>
  ({ done, total, message }: Progress): void =>
    progress(done, total, message);

/** Nobody may read a file made of a database who may not read the database. Its owner may write it all the same. */
export function statsOf({ file, engine }: NamedDatabase): { readonly size: number; readonly mode: number } {
  const stats = engine.isMemory ? undefined : statSync(file, { throwIfNoEntry: false });
  return { size: stats?.size ?? 0, mode: ((stats?.mode ?? 0) & 0o666) | 0o600 };
}
