import { createHash } from "node:crypto";
import { serialize } from "node:v8";
import type { AdmittedStatement } from "../../sql-policy/admit.ts";
import { keywordOf, nameOf } from "../../sql-policy/tokens.ts";
import type { DatabaseConnection } from "../connection.ts";
import { findTable } from "../tables.ts";
import { Budget, sizeOf } from "./budget.ts";
import { type RowImage, rowsOf, shapeOf, type TableShape } from "./table-shape.ts";

/** A table, index, view or trigger, as the schema has it. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The table it belongs to: of a table, itself. */
  readonly table: string;
  readonly sql: string;
}

/** All rows of a table. */
export interface TableImage {
  readonly shape: TableShape;
  readonly rows: readonly RowImage[];
  /** The last number that AUTOINCREMENT gave. */
  readonly sequence?: bigint;
}

/** What is different in the schema, with everything that belongs to the tables that are. */
export interface SchemaChange {
  readonly before: readonly SchemaObject[];
  readonly after: readonly SchemaObject[];
  /** Of the tables in `before`. */
  readonly images: readonly TableImage[];
  /** Of the rows of each table in `after`. */
  readonly digests: readonly (readonly [table: string, digest: string])[];
}

const CHILDREN = `
  SELECT DISTINCT t.name FROM sqlite_schema t, temp.pragma_foreign_key_list(t.name) k
  WHERE t.type = 'table' AND k."table" = ? COLLATE NOCASE`;

/** What one transaction changes in the schema: tables that a statement may change are copied before it does. */
export class SchemaRecorder {
  /** Tables that are kept as a whole. */
  readonly #covered = new Set<string>();
  readonly #connection: DatabaseConnection;
  readonly #budget: Budget;
  readonly #images: TableImage[] = [];
  #before: readonly SchemaObject[] | undefined;

  constructor(connection: DatabaseConnection, budget: Budget) {
    this.#connection = connection;
    this.#budget = budget;
  }

  get isChanging(): boolean {
    return this.#before !== undefined;
  }

  /** Whether the rows of a table need not be recorded: it is kept as a whole, or was made since. */
  covers(table: string): boolean {
    const before = this.#before;
    return before !== undefined && (this.#covered.has(table) || !before.some(({ name }) => name === table));
  }

  /** Before a statement that changes the schema. Gets the rows of a table as they were at first, given those of now. */
  before(
    admitted: AdmittedStatement,
    atFirst: (table: string, now: Iterable<RowImage>) => Iterable<RowImage>,
  ): void {
    this.#before ??= objectsOf(this.#connection);
    const known = new Set(this.#before.map(({ table }) => table));
    for (const name of tablesAtStake(this.#connection, admitted)) {
      if (this.#covered.has(name) || !known.has(name)) continue;
      this.#covered.add(name);
      const shape = shapeOf(this.#connection, name);
      if (!shape) this.#budget.refuse(NOT_TOLD_APART);
      if (!shape || this.#budget.reason !== undefined) continue;
      const rows = [...atFirst(name, this.#budget.taking(rowsOf(this.#connection, shape)))];
      const sequence = sequenceOf(this.#connection, name);
      this.#images.push({ shape, rows, ...(sequence !== undefined && { sequence }) });
    }
  }

  /** Nothing if the schema is as it was. */
  finish(): SchemaChange | undefined {
    if (!this.#before) return undefined;
    const now = objectsOf(this.#connection);
    const kept = new Set(this.#images.map(({ shape }) => shape.name));
    const before = withBelongings(this.#before, now, kept);
    const after = withBelongings(now, this.#before, kept);
    const tables = [...before, ...after].filter(({ type }) => type === "table");
    if (tables.some(({ sql }) => VIRTUAL.test(sql))) this.#budget.refuse(OF_VIRTUAL);
    if (before.some(({ type, name }) => type === "table" && !kept.has(name)))
      this.#budget.refuse(NOT_TOLD_APART);
    if (before.length + after.length === 0 || this.#budget.reason !== undefined) return undefined;
    const digests = after
      .filter(({ type }) => type === "table")
      .map(({ name }) => [name, this.#digestOf(name)] as const);
    return { before, after, images: this.#images, digests };
  }

  #digestOf(name: string): string {
    const shape = shapeOf(this.#connection, name);
    const budget = new Budget(this.#budget.limits);
    const digest = shape && digestRows(budget.taking(rowsOf(this.#connection, shape)));
    const reason = shape ? budget.reason : NOT_TOLD_APART;
    if (reason !== undefined) this.#budget.refuse(reason);
    return digest ?? "";
  }
}

export const NOT_TOLD_APART = "a table has rows that cannot be told apart, or very many columns";
const VIRTUAL = /^\s*CREATE\s+VIRTUAL\b/i;
export const OF_VIRTUAL = "it changes a virtual table, or one of SQLite's own";

export const objectsOf = (connection: DatabaseConnection): SchemaObject[] =>
  connection
    .own(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .all()
    .map(([type, name, table, sql]) => ({
      type: String(type),
      name: String(name),
      table: String(table),
      sql: String(sql),
    }));

export const isSameObject = (one: SchemaObject, other: SchemaObject): boolean =>
  one.type === other.type && one.name === other.name && one.table === other.table && one.sql === other.sql;

/** Those that the others do not have, tables that are kept, and all that go when their tables go. */
function withBelongings(
  own: readonly SchemaObject[],
  others: readonly SchemaObject[],
  kept: ReadonlySet<string>,
): SchemaObject[] {
  const changed = own.filter((object) => !others.some((other) => isSameObject(object, other)));
  const tables = new Set([...kept, ...changed.flatMap(({ type, name }) => (type === "table" ? [name] : []))]);
  return own.filter((object) => tables.has(object.table) || changed.includes(object));
}

/** The tables that a statement may change or drop, as the schema spells them. */
function tablesAtStake(
  connection: DatabaseConnection,
  { verb, tokens, verbAt }: AdmittedStatement,
): string[] {
  const words = tokens.slice(verbAt + 1);
  if ((verb !== "DROP" && verb !== "ALTER") || keywordOf(words[0]) !== "TABLE") return [];
  const at = words[2]?.text === "." ? 3 : 1;
  const named = nameOf(verb === "DROP" ? words.at(-1) : words[at]);
  const found = named === undefined ? undefined : findTable(connection, named);
  if (!found) return [];
  const isRenamed = verb === "ALTER" && words.some((word) => keywordOf(word) === "RENAME");
  return [...new Set([found.name, ...(isRenamed ? childrenOf(connection, found.name) : [])])];
}

/** The tables whose foreign keys point to a table. */
export const childrenOf = (connection: DatabaseConnection, table: string): string[] =>
  connection
    .own(CHILDREN)
    .all(table)
    .map(([name]) => String(name));

const BYTES_A_DIGEST = 64 * 1024;

/** Many rows at a time: each `serialize` takes about 5 KiB, which Node gives back long after. */
export function digestRows(rows: Iterable<RowImage>): string {
  const hash = createHash("sha256");
  let [some, bytes]: [RowImage[], number] = [[], 0];
  for (const row of rows) {
    some.push(row);
    bytes += sizeOf(row);
    if (bytes < BYTES_A_DIGEST) continue;
    hash.update(serialize(some));
    [some, bytes] = [[], 0];
  }
  return hash.update(serialize(some)).digest("base64");
}

function sequenceOf(connection: DatabaseConnection, table: string): bigint | undefined {
  if (connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") === undefined)
    return undefined;
  const sequence = connection.value("SELECT seq FROM sqlite_sequence WHERE name = ?", table);
  return typeof sequence === "bigint" ? sequence : undefined;
}
