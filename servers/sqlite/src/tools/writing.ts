import type { NamedDatabase } from "../domain/databases.ts";
import type { WriteResult } from "../domain/protocol/statements.ts";
import { admit, type AdmittedStatement, requireTool, type WritingTool } from "../domain/sql-policy/admit.ts";
import type { SqliteState } from "../state.ts";

/** Writes to one database run one after another, so that none waits for another's lock. */
export const databaseTargets = (
  { database }: { readonly database?: string | undefined },
  { databases }: SqliteState,
): string[] => [databases.get(database).name];

export function requireStatement(
  sql: string,
  tool: WritingTool,
  { databases }: SqliteState,
): AdmittedStatement {
  const admitted = admit(sql, { access: "write", allowDdl: databases.allowDdl });
  requireTool(admitted, tool);
  return admitted;
}

type Counts = Pick<WriteResult, "changes" | "furtherChanges">;

/** The `changed` of a result. */
export const changedBy = ({ name }: NamedDatabase, done: readonly Counts[]): string[] =>
  done.some(({ changes, furtherChanges }) => changes + furtherChanges > 0) ? [name] : [];
