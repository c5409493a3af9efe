import type { AdmittedStatement } from "../../sql-policy/admit.ts";
import type { ProgramFacts } from "../../sql-policy/opcodes.ts";
import type { DatabaseConnection, StatementObserver } from "../connection.ts";
import { type RecordingLimits, RowRecorder, type RowChanges } from "./recorder.ts";
import { OF_VIRTUAL, type SchemaChange, SchemaRecorder } from "./schema-recorder.ts";

/** What one transaction changed. */
export interface RecordedChange extends RowChanges {
  readonly schema?: SchemaChange;
  /** Why it cannot be undone: then nothing else is here. */
  readonly reason?: string;
}

/** Records one transaction after the other on a connection that writes. */
export class ChangeRecorder implements StatementObserver {
  readonly #connection: DatabaseConnection;
  readonly #rows: RowRecorder;
  readonly #schema: SchemaRecorder;
  #changesBefore = 0;
  #writesVirtual = false;

  constructor(connection: DatabaseConnection, limits: RecordingLimits) {
    this.#connection = connection;
    this.#rows = new RowRecorder(connection, limits);
    this.#schema = new SchemaRecorder(connection, this.#rows, limits);
    connection.observer = this;
  }

  begin(): void {
    this.#rows.begin(this.#connection.schemaVersion);
    this.#schema.end();
    this.#changesBefore = this.#totalChanges();
    this.#writesVirtual = false;
  }

  before(admitted: AdmittedStatement, facts: ProgramFacts | undefined): void {
    if (admitted.kind === "schema") {
      if (facts === undefined) this.#schema.before(admitted);
    } else if (facts) {
      this.#writesVirtual ||= facts.writesVirtual;
      this.#rows.watchPages(facts.writes, admitted.text, (table) => this.#schema.covers(table));
    }
  }

  /** Before rows of this table are changed by a statement of our own. */
  watch(table: string): void {
    this.#rows.watchTable(table);
  }

  /** A statement failed, and the transaction goes on without it. */
  doubt(): void {
    this.#rows.doubt();
  }

  /** Nothing if everything is as it was. */
  finish(): RecordedChange | undefined {
    const unrecorded = this.#totalChanges() - this.#changesBefore - this.#rows.events;
    // Tables that are kept as a whole count, too, once the schema changes.
    if (this.#schema.isChanging ? this.#writesVirtual : unrecorded > 0) this.#rows.refuse(OF_VIRTUAL);
    const schema = this.#schema.finish();
    const { reason } = this.#rows;
    if (reason !== undefined) return { reason, tables: [], rows: [] };
    const changes = this.#rows.finish();
    if (!schema && changes.rows.length === 0) return undefined;
    return { ...changes, ...(schema && { schema }) };
  }

  ended(how: "COMMIT" | "ROLLBACK"): void {
    this.#rows.end(how);
    this.#schema.end();
  }

  #totalChanges(): number {
    return Number(this.#connection.value("SELECT total_changes()"));
  }
}
