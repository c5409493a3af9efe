import {
  EVENTS,
  isSame,
  recordingTriggers,
  type RowImage,
  rowOf,
  shapeOf,
  type TableShape,
} from "./table-shape.ts";
import type { SqlValue } from "../../values/cell.ts";
import type { DatabaseConnection } from "../connection.ts";
import { isInexact } from "../page.ts";

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

/** All rows that a statement touched, however often. */
interface TouchedRow {
  readonly before: RowImage | undefined;
  after: RowImage | undefined;
  /** It may have been replaced since. */
  isUnsure: boolean;
}

interface RecordedTable {
  readonly shape: TableShape;
  readonly rows: Map<SqlValue, TouchedRow>;
  isWatched: boolean;
  /** Rows that others replace are recorded too, which costs a search for each row. */
  findsReplaced: boolean;
}

/** More are not kept for one change. */
export interface RecordingLimits {
  readonly rows: number;
  readonly bytes: number;
}

/** A row takes memory besides its values. */
const ROW_BYTES = 100;

/**
 * Records the rows that statements change, those changed by triggers and foreign keys included: by triggers of its own on the
 * connection, which no other connection and no statement from outside can see, and which write nothing.
 */
export class RowRecorder {
  readonly #connection: DatabaseConnection;
  readonly #limits: RecordingLimits;
  readonly #tables = new Map<string, RecordedTable>();
  /** No number is given twice, so that what remains of a lost trigger is told apart. */
  readonly #byNumber = new Map<number, RecordedTable>();
  readonly #byPage = new Map<number, RecordedTable>();
  readonly #triggers = new Set<string>();
  #numbers = 0;
  #schemaVersion: number | undefined;
  /** Triggers were made or dropped in this transaction: a rollback would undo that. */
  #isFresh = false;
  #events = 0;
  #kept = { rows: 0, bytes: 0 };
  /** Why the rows cannot be put back. */
  #reason: string | undefined;
  #isUnsure = false;
  #replaces = false;

  constructor(connection: DatabaseConnection, limits: RecordingLimits) {
    this.#connection = connection;
    this.#limits = limits;
    connection.define((...given) => this.#take(given));
  }

  /** Rows that were inserted, updated or deleted since the beginning, each time they were. */
  get events(): number {
    return this.#events;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  begin(schemaVersion: number | undefined): void {
    if (schemaVersion !== this.#schemaVersion) {
      this.dropTriggers();
      this.#tables.clear();
    }
    this.#schemaVersion = schemaVersion;
    this.#events = 0;
    this.#kept = { rows: 0, bytes: 0 };
    this.#reason = undefined;
    this.#isUnsure = false;
    this.#forgetRows();
  }

  /** The transaction is over. */
  end(how: "COMMIT" | "ROLLBACK"): void {
    if (this.#isFresh && how === "ROLLBACK") {
      this.dropTriggers();
      this.#schemaVersion = undefined;
    }
    this.#isFresh = false;
    this.#forgetRows();
  }

  /** The tables may be about to change, or have changed. What was recorded stays. */
  dropTriggers(): void {
    for (const name of this.#triggers) this.#connection.own(`DROP TRIGGER IF EXISTS temp.${name}`).run();
    // One whose table another program dropped cannot be dropped, until there is a table of that name again.
    const left = this.#connection.own("SELECT name FROM sqlite_temp_schema WHERE type = 'trigger'").all();
    this.#triggers.clear();
    for (const [name] of left) this.#triggers.add(String(name));
    for (const table of this.#tables.values()) table.isWatched = table.findsReplaced = false;
    this.#byNumber.clear();
    this.#byPage.clear();
    this.#isFresh = true;
  }

  /** Before a statement that may write to these pages. */
  watchPages(pages: ReadonlySet<number>, text: string, isCovered: (table: string) => boolean): void {
    if (this.#byPage.size === 0) this.#replaces = this.#mayReplaceAnywhere();
    const replaces = this.#replaces || REPLACE.test(text);
    for (const page of pages) {
      const table = this.#byPage.get(page) ?? this.#watchPage(page, isCovered);
      if (table) this.#byPage.set(page, table);
      if (table && replaces && !table.findsReplaced) {
        table.findsReplaced = true;
        this.#install(table, "replaced");
      }
    }
  }

  watchTable(name: string): void {
    const known = this.#tables.get(name);
    const shape = known?.shape ?? shapeOf(this.#connection, name);
    if (!shape || known?.isWatched) return;
    const table = known ?? { shape, rows: new Map(), isWatched: false, findsReplaced: false };
    this.#tables.set(name, table);
    table.isWatched = true;
    this.#install(table, "rows");
  }

  /** A statement failed, and SQLite took back what it had done so far. */
  doubt(): void {
    this.#isUnsure = true;
  }

  refuse(reason: string): void {
    this.#reason ??= reason;
    this.#forgetRows();
  }

  #forgetRows(): void {
    for (const { rows } of this.#tables.values()) rows.clear();
  }

  /** The rows of a table as they were at the beginning, given those it has now. */
  *beforeChanges(name: string, now: Iterable<RowImage>): Generator<RowImage> {
    const table = this.#tables.get(name);
    for (const row of now) if (!table?.rows.has(keyOf(table.shape, row))) yield row;
    for (const { before } of table?.rows.values() ?? []) if (before) yield before;
    table?.rows.clear();
  }

  /** Those rows that are different now. */
  finish(): RowChanges {
    const tables: TableShape[] = [];
    const changed: RowChange[] = [];
    for (const { shape, rows } of this.#tables.values()) {
      const table = tables.length;
      for (const row of rows.values()) {
        const { before, isUnsure } = row;
        const image = before ?? row.after;
        const after =
          (isUnsure || this.#isUnsure) && image ? rowOf(this.#connection, shape, image) : row.after;
        if (!isSame(before, after))
          changed.push({ table, ...(before && { before }), ...(after && { after }) });
      }
      if (changed.at(-1)?.table === table) tables.push(shape);
    }
    return { tables, rows: changed };
  }

  #mayReplaceAnywhere(): boolean {
    return Boolean(this.#connection.value("SELECT 1 FROM sqlite_schema WHERE sql LIKE '%replace%' LIMIT 1"));
  }

  #watchPage(page: number, isCovered: (table: string) => boolean): RecordedTable | undefined {
    const name = this.#connection.value(
      "SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?",
      BigInt(page),
    );
    if (typeof name !== "string" || isCovered(name)) return undefined;
    this.watchTable(name);
    const table = this.#tables.get(name);
    if (!table && !name.startsWith("sqlite_")) this.refuse(NOT_TOLD_APART);
    return table;
  }

  #install(table: RecordedTable, part: "rows" | "replaced"): void {
    this.#numbers += 1;
    this.#byNumber.set(this.#numbers, table);
    for (const [name, sql] of recordingTriggers(this.#connection, table.shape, this.#numbers, part)) {
      this.#connection.own(sql).run();
      this.#triggers.add(name);
    }
    this.#isFresh = true;
  }

  #take([number, kind, ...values]: SqlValue[]): void {
    const table = this.#byNumber.get(Number(number));
    const event = Number(kind);
    if (event !== EVENTS.mayReplace) this.#events += 1;
    if (!table || this.#reason !== undefined) return;
    const width = table.shape.columns.length;
    if (event === EVENTS.insert) this.#touch(table, undefined, values);
    else if (event === EVENTS.delete) this.#touch(table, values, undefined);
    else if (event === EVENTS.mayReplace) this.#touch(table, values, values).isUnsure = true;
    else {
      const [before, after] = [values.slice(0, width), values.slice(width)];
      this.#touch(table, before, undefined);
      this.#touch(table, undefined, after);
    }
  }

  #touch(table: RecordedTable, before: RowImage | undefined, after: RowImage | undefined): TouchedRow {
    const image = before ?? after ?? [];
    const key = keyOf(table.shape, image);
    let row = table.rows.get(key);
    if (row) {
      this.#count(after);
    } else {
      row = { before, after, isUnsure: false };
      table.rows.set(key, row);
      this.#kept.rows += 1;
      this.#count(image);
    }
    row.after = after;
    row.isUnsure = false;
    return row;
  }

  #count(image: RowImage | undefined): void {
    if (!image) return;
    const { rows, bytes } = this.#limits;
    this.#kept.bytes += sizeOf(image);
    if (image.some(isInexact)) this.refuse(INEXACT);
    if (this.#kept.rows > rows) this.refuse(tooManyRows(rows));
    if (this.#kept.bytes > bytes) this.refuse(toTooLarge(bytes));
  }
}

const REPLACE = /replace/i;
export const NOT_TOLD_APART = "a table has rows that cannot be told apart, or very many columns";
export const INEXACT = "it has text that is not UTF-8, or the character U+FFFD";
export const tooManyRows = (rows: number): string => `it changes more than ${rows.toLocaleString("en")} rows`;
export const toTooLarge = (bytes: number): string =>
  `its rows take more than the ${Math.floor(bytes / 1024 / 1024)} MiB that are kept of one change`;

export function sizeOf(image: RowImage): number {
  let bytes = ROW_BYTES;
  for (const value of image)
    bytes += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
  return bytes;
}

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
