import { Fault } from "@suite/server-kit/domain";
import type { CursorPlace, RowPage, ReadRequest } from "../protocol/statements.ts";
import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { type Binding, toBinding } from "../values/params.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { DatabaseConnection, Row } from "./connection.ts";
import { type Bound, keyAfter, prepareRest } from "./keyset.ts";
import { createLookup, readerOf } from "./lookup.ts";
import { type RowSource, takePage } from "./page.ts";
import { isSqliteError } from "./sqlite-error.ts";
import { toStatementFault } from "./statement-error.ts";
import { refuseSuperJournal } from "./super-journal.ts";

/** A statement with its values, from its first row or from where a page ended. */
export interface AskedQuery {
  readonly admitted: AdmittedStatement;
  readonly binding: Binding;
  readonly from?: CursorPlace | undefined;
}

/** A running query: it holds a snapshot of the database until it is closed. */
export interface Query extends RowSource {
  readonly iterator: IterableIterator<Row>;
  readonly connection: DatabaseConnection;
  /** The original statement, even if only the rest of its rows is read. */
  readonly bound: Bound;
}

const REPAIRABLE = new Set([
  "SQLITE_READONLY_ROLLBACK",
  "SQLITE_READONLY_RECOVERY",
  "SQLITE_READONLY_CANTINIT",
]);

/** Begins to read on a connection of its own. */
export function openQuery(pool: ConnectionPool, asked: AskedQuery): Query {
  const connection = openSnapshot(pool);
  try {
    return startQuery(pool, connection, asked);
  } catch (thrown) {
    closeSnapshot(pool, connection);
    throw thrown;
  }
}

function startQuery(
  pool: ConnectionPool,
  connection: DatabaseConnection,
  { admitted, binding, from = [0] }: AskedQuery,
): Query {
  const bound = { admitted, binding, prepared: connection.prepare(admitted, binding) };
  const [skip, key] = from;
  const running = key === undefined ? bound : prepareRest(pool, connection, bound, from);
  if (!running) {
    throw new Fault("precondition_failed", "The result cannot be continued: the table's order was changed.", {
      hint: "Start again without the cursor.",
    });
  }
  const iterator = running.prepared.statement.iterate(...running.binding);
  for (let at = 0; at < skip && iterator.next().done !== true;) at += 1;
  return { connection, bound, columns: bound.prepared.columns, iterator };
}

/** For several reads of the same state of the database: schema, samples, plans. */
export function inSnapshot<T>(pool: ConnectionPool, work: (connection: DatabaseConnection) => T): T {
  const connection = openSnapshot(pool);
  try {
    return work(connection);
  } finally {
    closeSnapshot(pool, connection);
  }
}

/** To be closed with `closeSnapshot`. */
export function openSnapshot(pool: ConnectionPool): DatabaseConnection {
  try {
    return beginSnapshot(pool);
  } catch (thrown) {
    if (!isSqliteError(thrown) || !REPAIRABLE.has(thrown.code)) throw thrown;
    // First: the hint of `thrown` is to open the database with writing allowed.
    refuseSuperJournal(pool.options.file);
    if (pool.options.mode === "read") throw thrown;
    // A process was killed while it wrote. Any read by a writable connection repairs that.
    pool.closeIdle();
    pool.takeWriter().value("SELECT count(*) FROM sqlite_schema");
    return beginSnapshot(pool);
  }
}

function beginSnapshot(pool: ConnectionPool): DatabaseConnection {
  const connection = pool.takeReader();
  try {
    connection.assertSettings("read");
    connection.begin("DEFERRED");
    return connection;
  } catch (thrown) {
    closeSnapshot(pool, connection);
    throw thrown;
  }
}

export function closeQuery(pool: ConnectionPool, { connection, iterator }: Query): void {
  iterator.return?.();
  closeSnapshot(pool, connection);
}

export function closeSnapshot(pool: ConnectionPool, connection: DatabaseConnection): void {
  connection.end("COMMIT");
  pool.giveBack(connection);
}

/** One page of a query's result. */
export function read(pool: ConnectionPool, request: ReadRequest): RowPage {
  const { sql, params, cursor } = request;
  const admitted = pool.admit(sql, "read");
  try {
    const binding = toBinding(admitted.slots, params);
    const query = openQuery(pool, { admitted, binding, from: cursor });
    try {
      const page = takePage(query, request);
      const next = page.truncated ? placeBehind(pool, query, cursor, page.rows.length) : undefined;
      return next ? { ...page, next } : page;
    } finally {
      closeQuery(pool, query);
    }
  } catch (thrown) {
    throw toStatementFault(thrown, sql, createLookup(readerOf(pool)));
  }
}

/** By key if the query has one; otherwise by row count, unless the rows depend on random() or the time. */
function placeBehind(
  pool: ConnectionPool,
  { connection, bound, last }: Query,
  [skipped, ...key]: CursorPlace = [0],
  count: number,
): CursorPlace | undefined {
  const behind = last && keyAfter(pool, connection, bound, last);
  if (behind) return behind;
  return bound.prepared.volatile ? undefined : [skipped + count, ...key];
}
