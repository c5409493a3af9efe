import { countOf, Fault } from "@suite/server-kit/domain";
import type { DatabaseConnection, PreparedStatement } from "../connection.ts";
import { isSqliteError, toCodedFault, toConstraintFault } from "../sqlite-error.ts";
import type { TaskContext } from "../task.ts";
import type { ConnectionPool } from "../connection-pool.ts";
import { begin } from "../transaction.ts";
import { quoteShort } from "../../values/cite.ts";
import { quoteName } from "../../sql-policy/tokens.ts";
import {
  type BadRow,
  type Field,
  type RowGroup,
  toStoredValue,
  type MixedColumn,
  isNumeric,
  wordAmongNumbers,
} from "../../transfer/field.ts";
import { type Cell, type SqlValue, toCell } from "../../values/cell.ts";
import { chooserOf, type ColumnChooser, columnsOf, type TableColumn } from "./columns.ts";
import type { ImportArgs, Imported, TableName } from "../../protocol/tasks.ts";
import { findTable, requireTable } from "../tables.ts";

/** Rows that the caller streams in, all of them or none. */
export async function importTask(args: ImportArgs, context: TaskContext): Promise<Imported> {
  const { pool, input, progress } = context;
  const connection = pool.takeWriter();
  connection.assertSettings("write");
  let importing: TableImport | undefined;
  try {
    const end = begin(pool, connection, args);
    importing = new TableImport(pool, connection, args);
    for await (const groups of input) {
      for (const group of groups) importing.add(group);
      progress({ done: importing.rows, message: countOf(importing.rows, "row") });
    }
    const result = importing.toResult();
    importing = undefined;
    return end(result);
  } catch (thrown) {
    connection.end("ROLLBACK");
    throw toImportFault(thrown, importing?.current ?? 0);
  }
}

const SAMPLE_ROWS = 3;
const SAMPLE_CELL_BYTES = 500;
const MOST_REASONS = 5;
const MOST_INSERTS = 20;

interface ImportTarget extends TableName {
  readonly known: readonly TableColumn[];
  readonly choose: ColumnChooser;
}

interface ChosenColumn extends TableColumn {
  readonly at: number;
}

class TableImport {
  rows = 0;
  /** The number of the row that is being added, from 1. */
  current = 0;
  readonly #ignored = new Set<string>();
  /** Columns with numbers. */
  readonly #numeric = new Set<string>();
  readonly #words = new Map<string, MixedColumn>();
  readonly #reasons: BadRow[] = [];
  #skipped = 0;
  /** By name: lines of JSON may have other ones each, in any order. */
  readonly #columns = new Map<string, TableColumn>();
  /** Those with the columns of the file alone, which are faster: most files need one. */
  readonly #inserts = new Set<string>();
  readonly #sample: ReadonlyMap<string, Cell>[] = [];
  readonly #pool: ConnectionPool;
  readonly #connection: DatabaseConnection;
  readonly #args: ImportArgs;
  #table: ImportTarget | undefined;

  constructor(pool: ConnectionPool, connection: DatabaseConnection, args: ImportArgs) {
    this.#pool = pool;
    this.#connection = connection;
    this.#args = args;
    if (!args.create) this.#table = this.#open(args.table);
    else if (findTable(connection, args.table)) {
      throw new Fault("conflict", `There is a table ${JSON.stringify(args.table)} already.`, {
        hint: "Leave out create to add rows to it.",
      });
    } else pool.admit(`CREATE TABLE ${quoteName(args.table)} (a)`, "write");
  }

  add({ columns: names, from, rows, bad = [] }: RowGroup): void {
    for (const row of bad) this.#skip(row);
    if (names.length === 0 && rows.length === 0) return;
    // A header alone makes no table.
    if (rows.length === 0 && this.#args.create) return;
    const target = (this.#table ??= this.#create());
    this.current = this.rows + this.#skipped + 1;
    const columns = target.choose(names);
    requireOnce(columns);
    for (const { name, isGenerated } of columns) if (isGenerated) this.#ignored.add(name);
    const kept = columns.flatMap((column, at) => (column.isGenerated ? [] : [{ ...column, at }]));
    for (const column of kept) this.#columns.set(column.name, column);
    const insert = this.#prepareInsert(target, kept);
    for (const [at, row] of rows.entries()) {
      this.current = this.rows + this.#skipped + 1;
      // A dry run shows what the columns would make of the values.
      const isShown = this.#args.dryRun && this.#sample.length < SAMPLE_ROWS;
      const add = isShown && target.kind === "table" ? this.#prepareShown(target, kept) : insert;
      this.#addRow({ record: from + at, fields: row }, kept, add);
    }
  }

  toResult(): Imported {
    const { name } = this.#table ?? { name: this.#args.table };
    const columns = [...this.#columns.values()];
    return {
      table: name,
      rows: this.rows,
      columns: columns.map(({ name: column, type }) => ({ name: column, type })),
      sample: this.#sample.map((row) => columns.map((column) => row.get(column.name) ?? null)),
      ignored: [...this.#ignored],
      // SQLite takes unknown types, such as JSON, for numeric ones: words are odd there only beside numbers.
      mixed: columns.flatMap(({ name: column, type }) =>
        this.#numeric.has(column) || /INT|REAL|FLOA|DOUB|\bNUM|\bDEC/i.test(type)
          ? (this.#words.get(column) ?? [])
          : [],
      ),
      skipped: this.#skipped,
      reasons: this.#reasons,
    };
  }

  #addRow(
    { record, fields }: { readonly record: number; readonly fields: readonly Field[] },
    columns: readonly ChosenColumn[],
    insert: Insert,
  ): void {
    const { skipBad, decimal } = this.#args;
    try {
      const values = columns.map(({ name, affinity, at }) =>
        toStoredValue(fields[at] ?? null, affinity, name, decimal),
      );
      const stored = insert.run(values);
      if (!stored) {
        this.#skip({ record, reason: "The table ignored it." });
        return;
      }
      this.rows += 1;
      for (const [at, { name, affinity }] of columns.entries()) {
        const value = values[at] ?? null;
        if (!this.#numeric.has(name) && isNumeric(value, affinity)) this.#numeric.add(name);
        const word = wordAmongNumbers(value, affinity);
        if (word !== undefined && !this.#words.has(name))
          this.#words.set(name, { name, value: word, record });
      }
      if (this.#sample.length < SAMPLE_ROWS) {
        const cells = stored.map((value) => toCell(value, SAMPLE_CELL_BYTES));
        this.#sample.push(new Map(cells.map((cell, at) => [insert.gives[at] ?? "", cell])));
      }
    } catch (thrown) {
      const fault = toFault(thrown);
      // A constraint may end the whole transaction, and a failure may be of the file: then nothing can be left out.
      const isOfRow = fault instanceof Fault && ["invalid_input", "conflict"].includes(fault.code);
      if (!skipBad || !isOfRow || !this.#connection.inTransaction) throw thrown;
      this.#skip({ record, reason: fault.message });
    }
  }

  #skip(row: BadRow): void {
    this.#skipped += 1;
    if (this.#reasons.length < MOST_REASONS) this.#reasons.push(row);
  }

  #open(given: string): ImportTarget {
    const table = requireTable(this.#connection, given, "create: true makes it.");
    const known = columnsOf(this.#connection, table.name);
    return { ...table, known, choose: chooserOf(table.name, known) };
  }

  #create(): ImportTarget {
    const columns = (this.#args.create ?? []).map(([name, type]) => `${quoteName(name)} ${type}`);
    if (columns.length === 0) throw new Fault("invalid_input", "The file names no columns.");
    this.#prepare(`CREATE TABLE ${quoteName(this.#args.table)} (${columns.join(", ")})`).run();
    return this.#open(this.#args.table);
  }

  /** After the first few, rows with other columns each share a statement: it sets those without a default to NULL. */
  #prepareInsert({ name: table, kind, known }: ImportTarget, columns: readonly ChosenColumn[]): Insert {
    const gives = columns.map(({ name }) => name);
    const places = new Map(gives.map((name, place) => [name, place]));
    const own = toInsert(table, columns);
    if (this.#inserts.size < MOST_INSERTS) this.#inserts.add(own);
    const set = this.#inserts.has(own)
      ? columns
      : known.filter(({ name, isGenerated, hasDefault }) => places.has(name) || !(isGenerated || hasDefault));
    const placesOfSet = set.map(({ name }) => places.get(name) ?? -1);
    const statement = this.#prepare(toInsert(table, set), set.length);
    const run: Insert["run"] = (values) => {
      const { changes } = statement.run(placesOfSet.map((place) => values[place] ?? null));
      // SQLite counts no changes by way of a view.
      return changes > 0 || kind !== "table" ? values : undefined;
    };
    return { gives, run };
  }

  /** With the defaults of columns that others have. Views and virtual tables do not say what they keep. */
  #prepareShown({ name: table, known }: ImportTarget, columns: readonly ChosenColumn[]): Insert {
    const gives = known.map(({ name }) => name);
    const returning = gives.map(quoteName).join(", ");
    const statement = this.#prepare(`${toInsert(table, columns)} RETURNING ${returning}`, columns.length);
    return { gives, run: (values) => statement.get(values) };
  }

  /** Through the policy like any other statement: a table may have triggers. */
  #prepare(sql: string, parameters = 0): PreparedStatement["statement"] {
    const admitted = this.#pool.admit(sql, "write");
    return this.#connection.prepare(admitted, [Array<null>(parameters).fill(null), {}]).statement;
  }
}

interface Insert {
  /** The columns of what it gives. */
  readonly gives: readonly string[];
  /** Gives what is stored, or nothing where a conflict or a trigger left the row out, which is no failure. */
  readonly run: (values: readonly SqlValue[]) => readonly SqlValue[] | undefined;
}

function toInsert(table: string, columns: readonly TableColumn[]): string {
  const names = columns.map(({ name }) => quoteName(name));
  const values = `(${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  return `INSERT INTO ${quoteName(table)} ${names.length === 0 ? "DEFAULT VALUES" : values}`;
}

function requireOnce(columns: readonly TableColumn[]): void {
  const seen = new Set<TableColumn>();
  const twice = columns.find((column) => seen.size === seen.add(column).size);
  if (twice) throw new Fault("invalid_input", `The file has two columns for ${quoteShort(twice.name)}.`);
}

const toFault = (thrown: unknown): unknown =>
  isSqliteError(thrown) ? (toConstraintFault(thrown, "INSERT") ?? toCodedFault(thrown)) : thrown;

function toImportFault(thrown: unknown, row: number): unknown {
  const fault = toFault(thrown);
  if (!(fault instanceof Fault) || row === 0) return fault;
  const { code, message, hint, retryable } = fault;
  return new Fault(code, `Row ${row} cannot be imported, so nothing was. ${message}`, {
    retryable,
    hint,
    details: { ...fault.details, row },
    cause: thrown,
  });
}
