import type { Author, Kept, RowPage } from "./statements.ts";

/** A change as it is listed. */
export interface KeptChange {
  readonly id: string;
  readonly time: string;
  readonly tool: string;
  readonly summary: string;
  readonly tables: readonly string[];
  /** How many rows were changed; of tables that were changed as a whole, none is counted. */
  readonly rows: number;
  /** Why it cannot be undone. */
  readonly reason?: string;
}

export interface ListChangesArgs {
  readonly only?: string | undefined;
  readonly limit: number;
}

export interface UndoRequest {
  /** The id of a change, or "last". */
  readonly id: string;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Only changes of this caller. */
  readonly only?: string | undefined;
  readonly author: Author;
}

/** Rows of one table that are put back, and the first of them. */
export interface UndoneRows {
  readonly table: string;
  readonly rows: number;
  readonly sample: Omit<RowPage, "next">;
}

export interface Undone extends Kept {
  readonly undone: KeptChange;
  /** In a dry run. */
  readonly results: readonly UndoneRows[];
}

export interface ChangeList {
  readonly changes: readonly KeptChange[];
  readonly truncated: boolean;
}
