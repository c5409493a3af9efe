import { createHash } from "node:crypto";
import { serialize } from "node:v8";
import type { AdmittedStatement } from "../../sql-policy/admit.ts";
import { keywordOf, nameOf, quoteName } from "../../sql-policy/tokens.ts";
import type { DatabaseConnection } from "../connection.ts";
import { isInexact } from "../page.ts";
import { findTable } from "../tables.ts";
import {
  INEXACT,
  NOT_TOLD_APART,
  type RecordingLimits,
  type RowRecorder,
  sizeOf,
  toTooLarge,
  tooManyRows,
} from "./recorder.ts";
import { type RowImage, shapeOf, type TableShape } from "./table-shape.ts";

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

/** Keeps what statements change in the schema: tables that they may change are copied before they do. */
export class SchemaRecorder {
  /** Tables that are kept as a whole. */
  readonly #covered = new Set<string>();
  readonly #connection: DatabaseConnection;
  readonly #limits: RecordingLimits;
  readonly #rows: RowRecorder;
  #before: readonly SchemaObject[] | undefined;
  #images: TableImage[] = [];

  constructor(connection: DatabaseConnection, rows: RowRecorder, limits: RecordingLimits) {
    this.#connection = connection;
    this.#rows = rows;
    this.#limits = limits;
  }

  get isChanging(): boolean {
    return this.#before !== undefined;
  }

  /** Whether the rows of a table need not be recorded: it is kept as a whole, or was made since. */
  covers(table: string): boolean {
    const before = this.#before;
    return before !== undefined && (this.#covered.has(table) || !before.some(({ name }) => name === table));
  }

  /** The transaction is over: what was kept of it takes memory. */
  end(): void {
    this.#covered.clear();
    this.#before = undefined;
    this.#images = [];
  }

  /** Before a statement that changes the schema. */
  before(admitted: AdmittedStatement): void {
    this.#before ??= objectsOf(this.#connection);
    this.#rows.dropTriggers();
    const known = new Set(this.#before.map(({ table }) => table));
    for (const name of tablesAtStake(this.#connection, admitted)) {
      if (!this.#covered.has(name) && known.has(name)) this.#keepTable(name);
    }
  }

  /** Nothing if the schema is as it was. */
  finish(): SchemaChange | undefined {
    if (!this.#before) return undefined;
    const now = objectsOf(this.#connection);
    // The same words in the schema may stand for another table: it was dropped and made again, or altered twice.
    const refilled = new Set(now.map(({ name }) => name).filter((name) => this.#isRefilled(name)));
    const before = withBelongings(this.#before, now, refilled);
    const after = withBelongings(now, this.#before, refilled);
    if (before.length === 0 && after.length === 0) return undefined;
    const tables = [...before, ...after].filter(({ type }) => type === "table");
    const kept = new Set(this.#images.map(({ shape }) => shape.name));
    if (tables.some(({ sql }) => VIRTUAL.test(sql))) this.#rows.refuse(OF_VIRTUAL);
    else if (before.some(({ type, name }) => type === "table" && !kept.has(name)))
      this.#rows.refuse(NOT_TOLD_APART);
    if (this.#rows.reason !== undefined) return undefined;
    const digests = after
      .filter(({ type }) => type === "table")
      .map(({ name }) => [name, this.#digestOf(name)] as const);
    return { before, after, images: this.#images, digests };
  }

  #keepTable(name: string): void {
    this.#covered.add(name);
    if (this.#rows.reason !== undefined) return;
    const shape = shapeOf(this.#connection, name);
    if (!shape) return this.#rows.refuse(NOT_TOLD_APART);
    const rows = [...this.#rows.beforeChanges(name, this.#bounded(shape))];
    const sequence = sequenceOf(this.#connection, name);
    this.#images.push({ shape, rows, ...(sequence !== undefined && { sequence }) });
  }

  /** Whether the rows of a table that was kept are others now. */
  #isRefilled(name: string): boolean {
    const image = this.#images.find(({ shape }) => shape.name === name);
    return image !== undefined && digestRows(image.rows) !== this.#digestOf(name);
  }

  #digestOf(name: string): string {
    const shape = shapeOf(this.#connection, name);
    if (!shape) this.#rows.refuse(NOT_TOLD_APART);
    return shape ? digestRows(this.#bounded(shape)) : "";
  }

  /** No more than may be kept. */
  *#bounded(shape: TableShape): Generator<RowImage> {
    let [count, bytes] = [0, 0];
    for (const row of rowsOf(this.#connection, shape)) {
      count += 1;
      bytes += sizeOf(row);
      if (count > this.#limits.rows) this.#rows.refuse(tooManyRows(this.#limits.rows));
      if (bytes > this.#limits.bytes) this.#rows.refuse(toTooLarge(this.#limits.bytes));
      if (row.some(isInexact)) this.#rows.refuse(INEXACT);
      if (this.#rows.reason !== undefined) return;
      yield row;
    }
  }
}

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

/** Those that the others do not have, tables with other rows, and all that go when their tables go. */
function withBelongings(
  own: readonly SchemaObject[],
  others: readonly SchemaObject[],
  refilled: ReadonlySet<string>,
): SchemaObject[] {
  const known = new Map(others.map((object) => [object.name, object]));
  const isOwn = (object: SchemaObject): boolean => {
    const other = known.get(object.name);
    return !other || !isSameObject(object, other);
  };
  const tables = new Set(
    own.flatMap((object) =>
      object.type === "table" && (isOwn(object) || refilled.has(object.name)) ? [object.name] : [],
    ),
  );
  return own.filter((object) => tables.has(object.table) || isOwn(object));
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

export function rowsOf(
  connection: DatabaseConnection,
  { name, columns, keys }: TableShape,
): IterableIterator<RowImage> {
  const list = columns.map(quoteName);
  const order = list.slice(0, keys).join();
  return connection.own(`SELECT ${list.join()} FROM main.${quoteName(name)} ORDER BY ${order}`).iterate();
}

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
