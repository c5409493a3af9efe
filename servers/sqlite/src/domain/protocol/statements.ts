import { isCount, isText, type PlaceCheck } from "@suite/server-kit/domain";
import type { RowGroup } from "../transfer/field.ts";
import type { Cell, Column } from "../values/cell.ts";
import type { Param, SqlParams } from "../values/params.ts";

/** `read` never changes the file; `write` changes an existing one; `create` makes it where it is missing. */
export type AccessMode = "read" | "write" | "create";

/** Which file, and what may be done with it. Everything the worker needs to know. */
export interface OpenOptions {
  /** An absolute path, or `:memory:`. */
  readonly file: string;
  readonly mode: AccessMode;
  readonly allowDdl: boolean;
  /** How long a statement waits for another process's lock. */
  readonly busyTimeoutMs: number;
  /** The worker ends itself beyond this; it starts at about 50 MB. */
  readonly memoryBytes: number;
  /** How long changes can be taken back; nothing is kept without it. */
  readonly undo?: { readonly days: number } | undefined;
}

/** Upper limits of a page; the worker has defaults. */
export interface PageLimits {
  readonly limit?: number;
  /** Of the whole page, approximately. */
  readonly maxBytes?: number;
  readonly maxCellBytes?: number;
}

export interface ReadRequest extends PageLimits {
  readonly sql: string;
  readonly params?: SqlParams | undefined;
  /** `next` of the page before, with the same `sql` and `params`. */
  readonly cursor?: CursorPlace | undefined;
}

/**
 * Where the next page begins: `skip` rows from the start, or after the row with these key values. A list, so that cursors stay
 * short. A forged one can do nothing that a query could not.
 */
export type CursorPlace = readonly [skip: number] | readonly [skip: number, key: string, ...values: Param[]];

export const isCursorPlace: PlaceCheck<CursorPlace> = (value): value is CursorPlace => {
  const [skip, key, ...values] = Array.isArray(value) ? (value as unknown[]) : [];
  return isCount(skip) && (key === undefined || isText(key)) && !values.some(Array.isArray);
};

export interface RowPage {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** More rows follow, even if there is no cursor for them. */
  readonly truncated: boolean;
  readonly next?: CursorPlace;
}

/** Who made a change, for the list of changes. */
export interface Author {
  readonly tool: string;
  /** What was done, in words. */
  readonly summary: string;
  /** Where callers are known by name. */
  readonly principal?: string | undefined;
}

/** What became of a change: its id for undo, or why it cannot be undone. Neither, if nothing was changed or is kept. */
export interface Kept {
  readonly undo?: string;
  readonly cannotUndo?: string;
}

export interface WriteRequest extends Omit<PageLimits, "limit"> {
  readonly sql: string;
  readonly params?: SqlParams | undefined;
  /** Runs the statement and rolls it back. */
  readonly dryRun?: boolean;
  /** Rolls back unless exactly this many rows change. */
  readonly expectedRows?: number | undefined;
  /** How many of the rows that were written or deleted to show: those of RETURNING, or the first ones. */
  readonly sample?: number;
  readonly author?: Author | undefined;
}

interface WriteOutcome {
  readonly verb: string;
  /** By the statement itself. */
  readonly changes: number;
  /** By triggers and foreign keys on top of that. */
  readonly furtherChanges: number;
  /** The rowid of the last inserted row. */
  readonly lastInsertRowid?: number | { readonly $int: string };
  /** Rows as inserted or updated, or as they were before they were deleted. */
  readonly sample?: RowPage;
  /** Rows that went with a table. */
  readonly dropped?: number;
}

export interface WriteResult extends WriteOutcome, Kept {
  readonly dryRun: boolean;
}

export interface BatchRequest extends Pick<WriteRequest, "maxBytes" | "maxCellBytes" | "sample" | "author"> {
  readonly statements: readonly { readonly sql: string; readonly params?: SqlParams | undefined }[];
  readonly dryRun?: boolean;
  readonly expectedRows?: number | undefined;
  /** Tools whose statements it may have besides those that change rows. */
  readonly schemaTools?: readonly ("create_table" | "alter_or_drop")[];
}

/** Statements that follow each other and did the same: each of them changed so many rows. */
export interface BatchStep extends WriteOutcome {
  readonly statements: number;
}

export interface BatchResult extends Kept {
  readonly results: readonly BatchStep[];
  readonly changes: number;
  readonly dryRun: boolean;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** What a task streams out: the text of an export. */
export type Chunk = string;
/** What is streamed in to a task: the rows of an import. */
export type Portion = readonly RowGroup[];
