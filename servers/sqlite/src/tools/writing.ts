import { Fault } from "@suite/server-kit/domain";

import type { NamedDatabase } from "../domain/databases.ts";
import { admit, type Admitted, type Family } from "../domain/gate/admit.ts";
import type { SqliteState } from "../state.ts";

/** Writes to one database run one after the other: none has to wait for the lock of another. */
export const databaseTargets = (
  { database }: { readonly database?: string | undefined },
  { databases }: SqliteState,
): string[] => [databases.get(database).name];

/** An operator who leaves out one of the tools that write leaves out what only that one does. */
export function requireFamily(sql: string, wanted: Family, { databases }: SqliteState): Admitted {
  const admitted = admit(sql, { level: "write", allowDdl: databases.allowDdl });
  if (admitted.family === wanted) return admitted;
  const [does, tool] =
    wanted === "rows" ? (["the schema", "create_table"] as const) : (["rows", "write_query"] as const);
  throw new Fault("invalid_input", `${admitted.verb} changes ${does}.`, { hint: `Use ${tool}.` });
}

const SCHEMA_VERBS = new Set(["CREATE", "ALTER", "DROP", "REINDEX", "ANALYZE"]);

interface Done {
  readonly verb: string;
  readonly changes: number;
  readonly furtherChanges: number;
}

/** What a result lists as changed. */
export const changedBy = ({ name }: NamedDatabase, done: readonly Done[]): string[] =>
  done.some(({ verb, changes, furtherChanges }) => changes + furtherChanges > 0 || SCHEMA_VERBS.has(verb))
    ? [name]
    : [];
