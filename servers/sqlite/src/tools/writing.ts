import { Fault } from "@suite/server-kit/domain";

import type { NamedDatabase } from "../domain/databases.ts";
import { admit, type AdmittedStatement } from "../domain/sql-policy/admit.ts";
import type { SqliteState } from "../state.ts";

/** Writes to one database run one after the other: none has to wait for the lock of another. */
export const databaseTargets = (
  { database }: { readonly database?: string | undefined },
  { databases }: SqliteState,
): string[] => [databases.get(database).name];

export type SchemaTool = "create_table" | "alter_or_drop";
type WritingTool = "write_query" | "execute_batch" | SchemaTool;

/** An operator who leaves out one of the tools that write leaves out what only that one does. */
export function requireStatement(
  sql: string,
  tool: WritingTool,
  { databases }: SqliteState,
): AdmittedStatement {
  const admitted = admit(sql, { access: "write", allowDdl: databases.allowDdl });
  const { kind, verb } = admitted;
  const right = kind === "rows" ? "write_query" : verb === "CREATE" ? "create_table" : "alter_or_drop";
  if (right === tool || (right === "write_query" && tool === "execute_batch")) return admitted;
  throw new Fault("invalid_input", `${verb} is not for ${tool}.`, { hint: `Use ${right}.` });
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
