import type { AdmittedStatement } from "../../sql-policy/admit.ts";
import { type ProgramFacts, RECORDING } from "../../sql-policy/opcodes.ts";
import { quoteName } from "../../sql-policy/tokens.ts";
import type { SqlValue } from "../../values/cell.ts";
import type { DatabaseConnection, StatementObserver } from "../connection.ts";
import { Budget, type RecordingLimits } from "./budget.ts";
import { NOT_TOLD_APART, OF_VIRTUAL, type SchemaChange, SchemaRecorder } from "./schema-recorder.ts";
import { finderOf, isSame, type RowImage, rowsOf, shapeOf, type TableShape } from "./table-shape.ts";

/** A row before and after a change; it was not there, or is not there any more, where there is nothing. */
export interface RowChange {
  /** Its place in the list of tables. */
  readonly table: number;
  readonly before?: RowImage;
  readonly after?: RowImage;
}

export interface RowChanges {
  readonly tables: readonly TableShape[];
  readonly rows: readonly RowChange[];
}

/** What one transaction changed. */
export interface RecordedChange extends RowChanges {
  readonly schema?: SchemaChange;
  /** Why it cannot be undone: then nothing else is here. */
  readonly reason?: string;
}

/** A row that a statement touched, however often, as it was at first: of one that was not there, the key. */
interface TouchedRow {
  readonly image: RowImage;
  readonly wasThere: boolean;
}

interface RecordedTable {
  readonly shape: TableShape;
  readonly number: number;
  readonly rows: Map<SqlValue, TouchedRow>;
  isWatched: boolean;
  /** Whether rows may be replaced by what no statement says. */
  replaces?: boolean;
  /** Rows that others replace are recorded too. */
  findsReplaced: boolean;
}

/**
 * Records what one transaction changes. Rows, those that triggers and foreign keys change included, are recorded by triggers of
 * its own on the connection, which no other connection and no statement from outside can see, and which write nothing. What
 * became of the rows is read at the end.
 */
export class ChangeRecorder implements StatementObserver {
  readonly #connection: DatabaseConnection;
  readonly #budget: Budget;
  readonly #schema: SchemaRecorder;
  readonly #tables: RecordedTable[] = [];
  readonly #byPage = new Map<number, RecordedTable>();
  readonly #triggers = new Set<string>();
  readonly #changesBefore: number;
  /** Rows that were inserted, updated or deleted, each time they were. */
  #events = 0;
  #writesVirtual = false;
  #isOwn = false;

  constructor(connection: DatabaseConnection, limits: RecordingLimits) {
    this.#connection = connection;
    this.#budget = new Budget(limits);
    this.#schema = new SchemaRecorder(connection, this.#budget);
    this.#changesBefore = this.#totalChanges();
    connection.observer = this;
  }

  before(admitted: AdmittedStatement, facts: ProgramFacts | undefined): void {
    if (admitted.kind === "schema") {
      if (facts === undefined) this.#beforeSchema(admitted);
    } else if (facts) {
      this.#writesVirtual ||= facts.writesVirtual;
      this.#watchPages(facts.writes, admitted.text);
    }
  }

  /** Rows are about to be changed by statements of our own, which need no triggers: each row is told. */
  beginOwn(): void {
    this.#dropTriggers();
    this.#isOwn = true;
  }

  /** A row that is about to change: as it is, or the key of one that will be there. */
  touch(shape: TableShape, image: RowImage, wasThere: boolean): void {
    this.#touch(this.#tableOf(shape), image, wasThere);
  }

  #touch({ shape, rows }: RecordedTable, image: RowImage, wasThere: boolean): void {
    if (this.#budget.reason !== undefined) return;
    const key = keyOf(shape, image);
    if (rows.has(key)) return;
    this.#budget.take(image);
    // What is not kept is let go at once: it may be larger than all that may be kept.
    if (this.#budget.reason === undefined) rows.set(key, { image, wasThere });
  }

  /** What a trigger tells. */
  take([number, what, ...image]: readonly SqlValue[]): void {
    if ((Number(what) & EVENT) > 0) this.#events += 1;
    const table = this.#tables[Number(number)];
    if (table) this.#touch(table, image, (Number(what) & WAS_THERE) > 0);
  }

  /** Nothing if everything is as it was. The triggers are gone then. */
  finish(): RecordedChange | undefined {
    this.#dropTriggers();
    const unrecorded = this.#totalChanges() - this.#changesBefore - this.#events;
    // Tables that are kept as a whole count, too, once the schema changes.
    const isVirtual = this.#schema.isChanging ? this.#writesVirtual : unrecorded > 0 && !this.#isOwn;
    if (isVirtual) this.#budget.refuse(OF_VIRTUAL);
    const schema = this.#schema.finish();
    const changes = this.#changes();
    const { reason } = this.#budget;
    if (reason !== undefined) return { reason, tables: [], rows: [] };
    return schema || changes.rows.length > 0 ? { ...changes, ...(schema && { schema }) } : undefined;
  }

  #totalChanges(): number {
    return Number(this.#connection.value("SELECT total_changes()"));
  }

  /** Those rows that are different now. */
  #changes(): RowChanges {
    const tables: TableShape[] = [];
    const changed: RowChange[] = [];
    for (const { shape, rows } of this.#tables) {
      if (rows.size === 0) continue;
      const find = finderOf(this.#connection, shape);
      const table = tables.length;
      for (const { image, wasThere } of rows.values()) {
        if (this.#budget.reason !== undefined) break;
        const before = wasThere ? image : undefined;
        const after = find(image);
        if (isSame(before, after)) continue;
        if (after) this.#budget.take(after, 0);
        changed.push({ table, ...(before && { before }), ...(after && { after }) });
      }
      if (changed.at(-1)?.table === table) tables.push(shape);
    }
    return { tables, rows: changed };
  }

  #beforeSchema(admitted: AdmittedStatement): void {
    this.#dropTriggers();
    this.#schema.before(admitted, (name, now) => this.#beforeChanges(name, now));
  }

  /** The rows of a table as they were at the beginning, given those it has now. */
  *#beforeChanges(name: string, now: Iterable<RowImage>): Generator<RowImage> {
    const table = this.#named(name);
    for (const row of now) if (!table?.rows.has(keyOf(table.shape, row))) yield row;
    for (const { image, wasThere } of table?.rows.values() ?? []) if (wasThere) yield image;
    table?.rows.clear();
  }

  #dropTriggers(): void {
    for (const name of this.#triggers) this.#connection.own(`DROP TRIGGER temp.${name}`).run();
    this.#triggers.clear();
    for (const table of this.#tables) table.isWatched = table.findsReplaced = false;
    this.#byPage.clear();
  }

  #watchPages(pages: ReadonlySet<number>, text: string): void {
    for (const page of pages) {
      const table = this.#byPage.get(page) ?? this.#watchPage(page);
      if (!table) continue;
      this.#byPage.set(page, table);
      if (table.findsReplaced) continue;
      table.replaces ??= this.#replacesByItself(table.shape);
      if (table.replaces || REPLACE.test(text)) this.#findReplaced(table);
    }
  }

  /** Whatever a statement says, a constraint of the table or a trigger may have others make room. */
  #replacesByItself({ name }: TableShape): boolean {
    const found = this.#connection
      .own("SELECT sql FROM sqlite_schema WHERE (type = 'trigger' OR name = ?) AND sql LIKE '%replace%'")
      .all(name);
    return found.some(([sql]) => REPLACE.test(String(sql)));
  }

  #watchPage(page: number): RecordedTable | undefined {
    const sql = "SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?";
    const name = this.#connection.value(sql, BigInt(page));
    if (typeof name !== "string" || this.#schema.covers(name)) return undefined;
    const shape = this.#named(name)?.shape ?? shapeOf(this.#connection, name);
    if (!shape) {
      if (!name.startsWith("sqlite_")) this.#budget.refuse(NOT_TOLD_APART);
      return undefined;
    }
    const table = this.#tableOf(shape);
    if (table.isWatched) return table;
    table.isWatched = true;
    const [all, key] = [shape.columns, shape.columns.slice(0, shape.keys)];
    this.#install(table, "AFTER INSERT", [EVENT, "new", key]);
    this.#install(table, "AFTER DELETE", [EVENT | WAS_THERE, "old", all]);
    this.#install(table, "AFTER UPDATE", [EVENT | WAS_THERE, "old", all], [0, "new", key]);
    return table;
  }

  #named(name: string): RecordedTable | undefined {
    return this.#tables.find(({ shape }) => shape.name === name);
  }

  #tableOf(shape: TableShape): RecordedTable {
    const known = this.#named(shape.name);
    if (known) return known;
    const number = this.#tables.length;
    const table = {
      shape,
      number,
      rows: new Map<SqlValue, TouchedRow>(),
      isWatched: false,
      findsReplaced: false,
    };
    this.#tables.push(table);
    return table;
  }

  /**
   * SQLite tells triggers of rows that make room for others only where `recursive_triggers` is on. But then it tells the
   * database's own triggers too, and the statement would do something else.
   */
  #findReplaced(table: RecordedTable): void {
    const { shape } = table;
    table.findsReplaced = true;
    const searches = searchesFor(this.#connection, shape);
    if (!searches) return this.#touchAll(shape);
    // Several in one, with OR, would use no index.
    const told = searches.map((search): Told => {
      const from = ` FROM ${toName(shape)} AS suite_row WHERE ${search}`;
      return [WAS_THERE, "suite_row", shape.columns, from];
    });
    for (const when of ["BEFORE INSERT", "BEFORE UPDATE"]) this.#install(table, when, ...told);
  }

  #touchAll(shape: TableShape): void {
    const most = this.#budget.limits.rows;
    const some = `SELECT 1 FROM ${toName(shape)} LIMIT ${most + 1}`;
    if (Number(this.#connection.value(`SELECT count(*) FROM (${some})`)) > most)
      this.#budget.refuse(NOT_FOUND);
    for (const row of rowsOf(this.#connection, shape)) {
      if (this.#budget.reason !== undefined) break;
      this.touch(shape, row, true);
    }
  }

  /** A trigger that tells what happened, and these columns. */
  #install({ shape, number }: RecordedTable, when: string, ...told: readonly Told[]): void {
    const name = `${RECORDING}_${number}_${when.toLowerCase().replace(" ", "_")}`;
    const body = told.map(([what, side, columns, from = ""]) => {
      const values = columns.map((column) => `${side}.${quoteName(column)}`);
      return `SELECT ${RECORDING}(${number}, ${what}, ${values.join()})${from};`;
    });
    this.#connection
      .own(`CREATE TEMP TRIGGER ${name} ${when} ON ${toName(shape)} BEGIN ${body.join(" ")} END`)
      .run();
    this.#triggers.add(name);
  }
}

/** A row was changed, or only may be; the values are those from before, or the key of a new row. */
const [EVENT, WAS_THERE] = [1, 2];
type Told = readonly [what: number, side: string, columns: readonly string[], from?: string];

/** Not the function. */
const REPLACE = /replace(?!\s*\()/i;
const NOT_FOUND =
  "it may replace any row of a large table, which has a unique index on an expression or with a condition";

const toName = ({ name }: TableShape): string => `main.${quoteName(name)}`;

/** The rowid itself, or a text that no other key has. */
function keyOf({ keys }: TableShape, image: RowImage): SqlValue {
  const [only] = image;
  if (keys === 1 && typeof only === "bigint") return only;
  if (keys === 1 && typeof only === "string") return `text ${only}`;
  const parts = image.slice(0, keys).map((value) => {
    if (value instanceof Uint8Array) return ["blob", value.toString("base64")];
    return [typeof value, String(value)];
  });
  return JSON.stringify(parts);
}

const UNIQUE = `
  SELECT group_concat(printf('suite_row."%w" = new."%w" COLLATE "%w"', x.name, x.name, x.coll), ' AND '),
    max(l.partial OR x.cid = -2)
  FROM temp.pragma_index_list(?) l, temp.pragma_index_xinfo(l.name) x WHERE l."unique" AND x.key GROUP BY l.seq`;

/** Conditions of rows that one about to be written may replace. None where only SQLite can tell. */
function searchesFor(
  connection: DatabaseConnection,
  { name, columns, keys }: TableShape,
): readonly string[] | undefined {
  const key = columns.slice(0, keys).map(quoteName);
  const byKey = key.map((column) => `suite_row.${column} = new.${column} COLLATE BINARY`).join(" AND ");
  const indexes = connection.own(UNIQUE).all(name);
  if (indexes.some(([, isHidden]) => isHidden !== 0n)) return undefined;
  return [byKey, ...indexes.map(([search]) => String(search))];
}
