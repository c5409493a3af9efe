import { Fault } from "@suite/server-kit/domain";

import type { NamedDatabase } from "../domain/databases.ts";
import type { WriteResult } from "../domain/protocol/statements.ts";
import { admit, type AdmittedStatement, toolFor } from "../domain/sql-policy/admit.ts";
import type { SqliteState } from "../state.ts";

/** Writes to one database run one after another, so that none waits for another's lock. */
export const databaseTargets = (
  { database }: { readonly database?: string | undefined },
  { databases }: SqliteState,
): string[] => [databases.get(database).name];

export type SchemaTool = "create_table" | "alter_or_drop";
type WritingTool = "write_query" | "execute_batch" | SchemaTool;

/** Each tool takes only its own statements, so that excluding a tool excludes what it does. */
export function requireStatement(
  sql: string,
  tool: WritingTool,
  { databases }: SqliteState,
): AdmittedStatement {
  const admitted = admit(sql, { access: "write", allowDdl: databases.allowDdl });
  const right = toolFor(admitted);
  if (right === tool || (right === "write_query" && tool === "execute_batch")) return admitted;
  throw new Fault("invalid_input", `${tool} does not run ${admitted.verb}.`, { hint: `Use ${right}.` });
}

type Counts = Pick<WriteResult, "changes" | "furtherChanges">;

/** The `changed` of a result. */
export const changedBy = ({ name }: NamedDatabase, done: readonly Counts[]): string[] =>
  done.some(({ changes, furtherChanges }) => changes + furtherChanges > 0) ? [name] : [];
