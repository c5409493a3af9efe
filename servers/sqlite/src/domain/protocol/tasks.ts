import type { BadRow, ColumnTypes, MixedColumn } from "../transfer/field.ts";
import type { Format } from "../transfer/format.ts";
import type { Cell } from "../values/cell.ts";
import type { SqlParams } from "../values/params.ts";
import type { Author, Kept, RowPage } from "./statements.ts";

export interface BackupArgs {
  readonly to: string;
}

export type TableKind = "table" | "view" | "virtual";

export interface TableName {
  /** As the schema spells it. */
  readonly name: string;
  readonly kind: TableKind;
}

export interface Selected {
  /** As the schema spells it. */
  readonly table: string;
  readonly sql: string;
}

export interface TableSummary extends TableName {
  readonly columns: number;
  /** As far as it was counted. */
  readonly rows?: number;
  /** There are more rows than were counted. */
  readonly more?: true;
}

export interface TableList {
  readonly tables: readonly TableSummary[];
  readonly truncated: boolean;
}

export interface ListArgs {
  /** Only tables after this name. */
  readonly after?: string | undefined;
  readonly limit: number;
  readonly counted: boolean;
}

export interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly not_null?: true;
  readonly default?: string;
  /** Its place in the primary key, from 1. */
  readonly primary_key?: number;
  /** Left out for BINARY. */
  readonly collate?: string;
  /** Its expression, and whether it is virtual or stored. */
  readonly generated?: string;
  readonly hidden?: true;
}

export interface TableInfo extends TableName, Pick<TableSummary, "rows" | "more"> {
  readonly sql?: string;
  /** STRICT, WITHOUT ROWID */
  readonly options?: string;
  /** Why it cannot be used: a view that no longer fits its tables, a virtual table without its module. */
  readonly broken?: string;
  readonly columns: readonly ColumnInfo[];
  /** The expression of each CHECK. */
  readonly checks: readonly string[];
  readonly indexes: readonly IndexInfo[];
  readonly foreign_keys: readonly ForeignKey[];
  readonly triggers: readonly { readonly name: string; readonly sql: string }[];
  readonly sample?: RowPage;
}

export interface DescribeArgs {
  /** All tables if omitted. */
  readonly tables?: readonly string[] | undefined;
  /** Rows of each table. */
  readonly sample: number;
  /** Characters for all tables together. */
  readonly budget: number;
}

export interface Described {
  readonly tables: readonly TableInfo[];
  /** Those that did not fit. */
  readonly omitted: readonly string[];
  /** There are more tables, not even named in `omitted`. */
  readonly more: boolean;
}

export interface IndexInfo {
  /** Missing for a constraint. */
  readonly name?: string;
  readonly unique?: true;
  /** Names, or expressions. With COLLATE if that is not the column's, and DESC. */
  readonly columns: readonly string[];
  /** Only rows for which this holds are in it. */
  readonly where?: string;
}

export interface ForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  /** Missing for the primary key. */
  readonly references?: readonly string[];
  /** Left out for NO ACTION. */
  readonly on_update?: string;
  readonly on_delete?: string;
}

export interface ExplainArgs {
  readonly sql: string;
  readonly params?: SqlParams | undefined;
}

export interface PlanStep {
  readonly detail: string;
  readonly steps?: readonly PlanStep[];
}

/** A table that is read from end to end. */
export interface FullScan {
  readonly table: string;
  readonly rows?: number;
  /** There are more rows than were counted. */
  readonly more?: true;
}

export interface QueryPlan {
  readonly steps: readonly PlanStep[];
  readonly full_scans: readonly FullScan[];
  /** What SQLite sorts or groups in a temporary B-tree, for lack of an index. */
  readonly sorts: readonly string[];
  /** Indexes that SQLite builds for this one run. */
  readonly automatic_indexes: readonly string[];
}

export interface ExportArgs {
  readonly from:
    | { readonly table: string }
    | { readonly sql: string; readonly params?: SqlParams | undefined };
  readonly format: Format;
}

export interface Exported {
  readonly rows: number;
  /** Columns with text that is not UTF-8, or with the replacement character: only a blob would show which. */
  readonly inexact: readonly string[];
}

export interface ImportArgs {
  readonly table: string;
  readonly dryRun: boolean;
  /** Makes the table with these columns: all that the file has. */
  readonly create?: ColumnTypes;
  /** Leaves out rows that the table does not take. */
  readonly skipBad: boolean;
  readonly decimal: "." | ",";
  readonly author?: Author | undefined;
}

export interface Imported extends Kept {
  readonly table: string;
  readonly rows: number;
  /** What the file's columns are in the table. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The first rows, as they are stored. */
  readonly sample: readonly (readonly Cell[])[];
  /** Columns of the file that the table computes itself. */
  readonly ignored: readonly string[];
  /** The first word in each column for numbers. */
  readonly mixed: readonly MixedColumn[];
  readonly skipped: number;
  readonly reasons: readonly BadRow[];
}

export interface ProfileArgs {
  readonly table: string;
  readonly columns?: readonly string[] | undefined;
}

/** How many values are in each of equal steps. */
export interface Histogram {
  readonly from: number;
  readonly to: number;
  readonly counts: readonly number[];
}

export interface ColumnProfile {
  readonly column: string;
  readonly nulls: number;
  readonly distinct: number;
  /** How many values there are of each storage class: a column may hold several, whatever it is declared as. */
  readonly types: { readonly [type: string]: number };
  readonly min: Cell;
  readonly max: Cell;
  /** Of numbers only. */
  readonly mean?: number;
  /** Of numbers only. */
  readonly histogram?: Histogram;
  /** The most frequent values. */
  readonly top: readonly { readonly value: Cell; readonly count: number }[];
}

export interface Profile {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly ColumnProfile[];
  /** There are more columns. */
  readonly truncated: boolean;
}
