import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { Fault } from "@suite/server-kit/domain";
import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { checkProgram, type Instruction, type ProgramFacts, RECORDING } from "../sql-policy/opcodes.ts";
import { type TableWalk, walkOf } from "../sql-policy/walk.ts";
import type { Column, SqlValue } from "../values/cell.ts";
import type { Binding } from "../values/params.ts";
import { refusePragmas, SETTINGS, type ConnectionUse } from "./settings.ts";
import { StatementCache } from "./statement-cache.ts";

export type Row = SqlValue[];
type DriverStatement = Database.Statement<unknown[], Row>;

export interface PreparedStatement extends ProgramFacts {
  readonly statement: DriverStatement;
  /** None where it returns no rows. */
  readonly columns: readonly Column[];
}

/** Observes one transaction. */
export interface StatementObserver {
  /** Before a statement runs. */
  before(admitted: AdmittedStatement, facts: ProgramFacts | undefined): void;
  /** What its own triggers tell. */
  take(told: readonly SqlValue[]): void;
}

interface Cached extends PreparedStatement {
  readonly schemaVersion: number;
}

/** Loads the native code early, before it is known which database to open. */
export function loadSqlite(): void {
  try {
    new Database(":memory:").close();
  } catch {
    // Opening a database will report the failure.
  }
}

/** A connection to the database, and the only place where SQL meets SQLite. */
export class DatabaseConnection {
  readonly use: ConnectionUse;
  readonly identity: string | undefined;
  readonly #database: Database.Database;
  readonly #statements = new StatementCache<Cached>();
  readonly #own = new StatementCache<DriverStatement>();
  /** The version in this transaction, once it was read: no other process can change it meanwhile. */
  #schemaVersion: number | undefined;
  /** The schema version of the cached statements. */
  #keptFor: number | undefined;
  /** Of this transaction. */
  observer: StatementObserver | undefined;
  #guarded: { readonly pages: ReadonlySet<number>; readonly schemaVersion: number | undefined } | undefined;

  constructor(file: string, use: ConnectionUse, busyTimeoutMs: number, create: boolean) {
    this.use = use;
    if (file.trim() !== file) {
      // better-sqlite3 would cut the spaces off, and open another file.
      throw new Fault("unsupported", "Names of databases cannot begin or end with a space.");
    }
    this.#database =
      use === "memory"
        ? new Database(":memory:")
        : new Database(file, { readonly: use === "read", fileMustExist: !create, timeout: busyTimeoutMs });
    try {
      this.identity = use === "memory" ? undefined : identityOf(file);
      for (const setting of SETTINGS[use].once) this.#database.pragma(setting);
      this.#database.defaultSafeIntegers(true);
      refusePragmas(this.#database);
      // For the triggers of the recording: nothing else may call it.
      const options = { varargs: true, directOnly: true, safeIntegers: true };
      const told = (...values: unknown[]): void => this.observer?.take(values as SqlValue[]);
      if (use !== "read") this.#database.function(RECORDING, options, told);
    } catch (thrown) {
      this.#database.close();
      throw thrown;
    }
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** The schema was changed by statements of our own. */
  forgetSchema(): void {
    // A statement that changes it changes the version; and after a rollback, the next change reuses that version for another schema.
    this.#schemaVersion = this.#keptFor = undefined;
  }

  begin(kind: "DEFERRED" | "IMMEDIATE"): void {
    this.own(`BEGIN ${kind}`).run();
    // The first read takes the snapshot of a deferred transaction. It also makes SQLite notice changes of the schema:
    // otherwise EXPLAIN and column names would still be those of the old one.
    this.own("SELECT 1 FROM sqlite_schema LIMIT 0").get();
    this.#schemaVersion = Number(this.value("PRAGMA schema_version"));
    if (this.#schemaVersion === this.#keptFor) return;
    // SQLite re-prepares statements only when they run; until then they have the columns of the old schema.
    this.#own.clear();
    this.#statements.clear();
    this.#keptFor = this.#schemaVersion;
  }

  /** Some failures have ended the transaction already. */
  end(how: "COMMIT" | "ROLLBACK"): void {
    if (this.inTransaction) this.own(how).run();
    this.observer = undefined;
  }

  /** Before every call, so that whatever a call did to the connection ends with it. */
  assertSettings(use: Exclude<ConnectionUse, "memory">): void {
    // These settings take effect when prepared. Running them too would expire every cached statement.
    for (const setting of SETTINGS[use].always) this.#database.prepare(`PRAGMA ${setting}`);
  }

  /** Whether foreign keys are checked with the commit only, also by statements that were prepared before. */
  deferForeignKeys(isDeferred: boolean): void {
    this.#database.pragma(`defer_foreign_keys = ${isDeferred ? "ON" : "OFF"}`);
  }

  /** Until the settings are asserted again. */
  ignoreForeignKeys(): void {
    this.#database.prepare("PRAGMA foreign_keys = OFF");
  }

  /**
   * Our own SQL, never text from outside. Names in it go through `quoteName`, values are bound. Pragmas are read as tables of
   * `temp`, which has no tables: in `main`, a table of the database called `pragma_…` would take their place.
   */
  own(sql: string): DriverStatement {
    const kept = this.#own.get(sql);
    if (kept) return kept;
    const statement = this.#database.prepare<unknown[], Row>(sql);
    if (statement.reader) statement.raw(true);
    this.#own.keep(sql, statement);
    return statement;
  }

  /** The first value of the first row. */
  value(sql: string, ...params: SqlValue[]): SqlValue | undefined {
    return this.own(sql).get(...params)?.[0];
  }

  /**
   * The second half of the policy. Inside a transaction only: there the schema cannot change between the check and the
   * run, so a statement that was checked against the same schema need not be checked again.
   */
  prepare(admitted: AdmittedStatement, binding: Binding): PreparedStatement {
    if (!this.inTransaction) throw new Error("Statements are prepared inside a transaction");
    const schemaVersion = (this.#schemaVersion ??= Number(this.value("PRAGMA schema_version")));
    if (admitted.kind === "schema") {
      this.observer?.before(admitted, undefined);
      this.forgetSchema();
    }
    const kept = this.#statements.get(admitted.text);
    if (kept?.schemaVersion === schemaVersion && !kept.statement.busy) {
      this.observer?.before(admitted, kept);
      return kept;
    }
    const statement = this.#database.prepare<unknown[], Row>(admitted.text);
    if (admitted.kind === "read" && !(statement.reader && statement.readonly)) {
      throw new Fault("permission_denied", "The statement is refused: it would do more than read.");
    }
    const facts = this.#check(admitted, binding);
    this.observer?.before(admitted, facts);
    const columns = statement.reader ? columnsOf(statement.raw(true)) : [];
    const prepared = { statement, columns, schemaVersion, ...facts };
    this.#statements.keep(admitted.text, prepared);
    return prepared;
  }

  /** The query plan, without running the statement: rows of id, parent, an unused number and text. */
  plan(admitted: AdmittedStatement, binding: Binding): Row[] {
    this.#check(admitted, binding);
    const plan = this.#database.prepare<unknown[], Row>(`EXPLAIN QUERY PLAN ${innerText(admitted)}`);
    return plan.raw(true).all(...binding);
  }

  /** The tables that the statement would open, directly or through an index. */
  tablesOpened(admitted: AdmittedStatement, binding: Binding): ReadonlySet<string> {
    const program = [...this.#program(admitted, binding)];
    const pages = program.flatMap(([, opcode, , page]) => (/^Open(Read|Write)$/.test(opcode) ? [page] : []));
    const owner = this.own("SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?");
    return new Set(pages.map((page) => String(owner.get(page)?.[0])));
  }

  /**
   * SQLite's error for the beginning of a statement that was admitted and failed. It is prepared, never run; preparing an
   * admitted statement has no effect.
   */
  complaint(beginning: string): string | undefined {
    try {
      this.#database.prepare(beginning);
      return undefined;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : undefined;
    }
  }

  /** For these values: SQLite may choose another plan for others, and re-prepares the statement by itself. */
  walk(admitted: AdmittedStatement, binding: Binding): TableWalk | undefined {
    return walkOf([...this.#program(admitted, binding)]);
  }

  #check(admitted: AdmittedStatement, binding: Binding): ProgramFacts {
    // First: a failure between creating the iterator and its loop would leave the connection busy.
    const guarded = this.#guardedPages();
    return checkProgram(this.#program(admitted, binding), admitted.kind, guarded);
  }

  /** An iterator: a statement with many values compiles to a million instructions. */
  #program(admitted: AdmittedStatement, binding: Binding): Iterable<Instruction> {
    const explained = this.#database.prepare<unknown[], Instruction>(`EXPLAIN ${innerText(admitted)}`);
    return explained
      .raw(true)
      .safeIntegers(false)
      .iterate(...binding);
  }

  /** Root pages of the statistics of ANALYZE, which steer the planner: no statement may change them. */
  #guardedPages(): ReadonlySet<number> {
    if (this.use === "read") return new Set();
    if (this.#schemaVersion === undefined || this.#guarded?.schemaVersion !== this.#schemaVersion) {
      const pages = this.own(
        "SELECT rootpage FROM sqlite_schema WHERE name GLOB 'sqlite_stat[0-9]*' AND rootpage > 0",
      );
      const found = new Set(pages.all().map(([page]) => Number(page)));
      this.#guarded = { pages: found, schemaVersion: this.#schemaVersion };
    }
    return this.#guarded.pages;
  }

  close(): void {
    this.#database.close();
  }

  /** For what better-sqlite3 does without a statement: backups. */
  get handle(): Pick<Database.Database, "backup"> {
    return this.#database;
  }
}

const columnsOf = (statement: DriverStatement): Column[] =>
  statement.columns().map(({ name, type }) => ({ name, type }));

/** The statement itself, without the EXPLAIN [QUERY PLAN] that may precede it. */
function innerText({ text, tokens, explain }: AdmittedStatement): string {
  const start = tokens[0]?.start ?? 0;
  const inner = { plan: tokens[3], program: tokens[1], none: tokens[0] }[explain ?? "none"];
  return text.slice((inner?.start ?? start) - start);
}

/** Changes when another file takes the name: a connection would keep using the old one. */
export function identityOf(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}
