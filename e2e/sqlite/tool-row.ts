import type { ToolRow } from "../support/tool-rows.ts";

/** Where rows happen: a shop of its own for each, and a folder for files. */
export interface ShopScene {
  readonly file: string;
  readonly exchange: string;
}

/** A call of a tool of the SQLite server. */
export interface SqliteRow extends ToolRow<ShopScene> {
  /** Files that are there in advance, in the folder for files. */
  readonly files?: Readonly<Record<string, string>>;
  /** What is in the database afterwards: rows, by the query that finds them. */
  readonly rows?: Readonly<Record<string, readonly (readonly unknown[])[]>>;
  /** What is in the folder for files afterwards, where it is text; null where there must be nothing. */
  readonly written?: Readonly<Record<string, unknown>>;
}
