import { Fault } from "@suite/server-kit/domain";
import type { Connection } from "../connection.ts";
import { toConstraintFault } from "../constraint.ts";
import { isSqliteError, toCodedFault } from "../sqlite-error.ts";
import type { TaskContext } from "../task.ts";
import type { Session } from "../session.ts";
import { begin } from "../transaction.ts";
import { quoteName } from "../../gate/tokens.ts";
import { type RowGroup, toStoredValue } from "../../transfer/field.ts";
import type { SqlValue } from "../../values/cell.ts";
import { chooseColumns, columnsOf, type TableColumn } from "./columns.ts";
import { requireTable } from "./objects.ts";

export interface ImportArgs {
  readonly table: string;
  readonly dryRun: boolean;
}

export interface Imported {
  readonly table: string;
  readonly rows: number;
  /** Columns of the file that the table computes itself. */
  readonly ignored: readonly string[];
}

/** Rows that the caller streams in, all of them or none. */
export async function importTask({ table, dryRun }: ImportArgs, context: TaskContext): Promise<Imported> {
  const { session, input, progress } = context;
  const connection = session.takeWriter();
  connection.assertSettings("write");
  let importing: TableImport | undefined;
  try {
    const end = begin(connection, dryRun);
    importing = new TableImport(session, connection, table);
    for await (const groups of input) {
      for (const group of groups as readonly RowGroup[]) importing.add(group);
      progress({ done: importing.rows, message: `${importing.rows} rows` });
    }
    const { name, rows, ignored } = importing;
    importing = undefined;
    end();
    return { table: name, rows, ignored: [...ignored] };
  } catch (thrown) {
    connection.end("ROLLBACK");
    throw toImportFault(thrown, importing?.current ?? 0);
  }
}

class TableImport {
  readonly name: string;
  readonly ignored = new Set<string>();
  rows = 0;
  /** The number of the row that is being added, from 1. */
  current = 0;
  readonly #session: Session;
  readonly #connection: Connection;
  readonly #known: readonly TableColumn[];

  constructor(session: Session, connection: Connection, given: string) {
    this.#session = session;
    this.#connection = connection;
    this.name = requireTable(connection, given).name;
    this.#known = columnsOf(connection, this.name);
  }

  add({ columns: names, rows }: RowGroup): void {
    this.current = this.rows + 1;
    const columns = chooseColumns(this.name, this.#known, names);
    requireOnce(columns);
    for (const { name, isGenerated } of columns) if (isGenerated) this.ignored.add(name);
    const kept = columns.flatMap((column, at) => (column.isGenerated ? [] : [{ ...column, at }]));
    const run = this.#prepare(kept.map(({ name }) => name));
    for (const row of rows) {
      this.current = this.rows + 1;
      run(kept.map(({ name, affinity, at }) => toStoredValue(row[at] ?? null, affinity, name)));
      this.rows += 1;
    }
  }

  /** Through the gate like any other statement: a table may have triggers. */
  #prepare(names: readonly string[]): (values: readonly SqlValue[]) => void {
    const columns = `(${names.map(quoteName).join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
    const sql = `INSERT INTO ${quoteName(this.name)} ${names.length === 0 ? "DEFAULT VALUES" : columns}`;
    const admitted = this.#session.admit(sql, "write");
    const { statement } = this.#connection.prepare(admitted, [names.map(() => null), {}]);
    return (values) => void statement.run(values);
  }
}

function requireOnce(columns: readonly TableColumn[]): void {
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice) throw new Fault("invalid_input", `The file has two columns for ${JSON.stringify(twice.name)}.`);
}

function toImportFault(thrown: unknown, row: number): unknown {
  const fault = isSqliteError(thrown) ? (toConstraintFault(thrown) ?? toCodedFault(thrown)) : thrown;
  if (!(fault instanceof Fault) || row === 0) return fault;
  const { code, message, hint, retryable } = fault;
  return new Fault(code, `Row ${row} cannot be imported, so nothing was. ${message}`, {
    retryable,
    ...(hint === undefined ? {} : { hint }),
    details: { ...fault.details, row },
    cause: thrown,
  });
}
