import type { ToolContext } from "@suite/server-kit";
import * as v from "valibot";

import type { NamedDatabase } from "../domain/databases.ts";
import type { Author, Kept, WriteResult } from "../domain/protocol/statements.ts";
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

/** Result fields of every tool that changes a database. */
export const keptOutput = { undo: v.exactOptional(v.string()), cannot_undo: v.exactOptional(v.string()) };

interface KeptOutput {
  readonly undo?: string;
  readonly cannot_undo?: string;
}

export const toKept = ({ undo, cannotUndo }: Kept): KeptOutput => ({
  ...(undo !== undefined && { undo }),
  ...(cannotUndo !== undefined && { cannot_undo: cannotUndo }),
});

/** The last sentence about a change. */
export const howToUndo = ({ undo }: KeptOutput): string => (undo === undefined ? "" : ` Undo id ${undo}.`);

export const noteKept = (
  { cannot_undo: reason }: KeptOutput,
  isDryRun: boolean | undefined,
): string | false => reason !== undefined && `It ${isDryRun ? "could not" : "cannot"} be undone: ${reason}.`;

/** For the list of changes. */
export const toAuthor = (
  { principal }: Pick<ToolContext<SqliteState>, "principal">,
  tool: string,
  summary: string,
): Author => ({ tool, summary, principal });

type Counts = Pick<WriteResult, "changes" | "furtherChanges">;

/** The `changed` of a result. */
export const changedBy = ({ name }: NamedDatabase, done: readonly Counts[]): string[] =>
  done.some(({ changes, furtherChanges }) => changes + furtherChanges > 0) ? [name] : [];
