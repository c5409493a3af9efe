import { statSync } from "node:fs";

import { Fault, type PathGuard } from "@suite/server-kit/domain";

import type { NamedDatabase } from "../domain/databases.ts";
import type { Progress } from "../domain/protocol/statements.ts";
import type { SqliteContext, SqliteState } from "../state.ts";

/** The exchange directories; throws if there are none. */
export function requireExchange({ exchange }: SqliteState): PathGuard {
  if (exchange) return exchange;
  throw new Fault("unsupported", "This server has no exchange directory.", {
    hint: "The operator can name one with --exchange DIR.",
  });
}

export const toProgress =
  ({ progress }: Pick<SqliteContext, "progress">) =>
  ({ done, total, message }: Progress): void =>
    progress(done, total, message);

/** A file gets the permissions of its database, so that nobody else can read it; its owner can always write it. */
export function statsOf({ file, engine }: NamedDatabase): { readonly size: number; readonly mode: number } {
  const stats = engine.isMemory ? undefined : statSync(file, { throwIfNoEntry: false });
  return { size: stats?.size ?? 0, mode: ((stats?.mode ?? 0) & 0o666) | 0o600 };
}
