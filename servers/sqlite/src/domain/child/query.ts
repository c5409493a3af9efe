import type { Admitted } from "../gate/admit.ts";
import type { KeyPlace } from "../protocol.ts";
import type { Binding } from "../values/params.ts";
import type { Connection } from "./connection.ts";
import { expired } from "./expired.ts";
import { type Bound, prepareRest } from "./keyset.ts";
import type { RowSource } from "./page.ts";
import { isSqliteError } from "./sqlite-error.ts";
import type { Session } from "./session.ts";

/** A statement with its values, from its first row or from behind a key. */
export interface Asked {
  readonly admitted: Admitted;
  readonly binding: Binding;
  readonly after?: KeyPlace;
}

/** A query that runs: a snapshot of the database until it is closed. */
export interface Query extends RowSource {
  readonly connection: Connection;
  /** The whole statement, also where only the rest of it runs. */
  readonly bound: Bound;
}

const REPAIRABLE = new Set([
  "SQLITE_READONLY_ROLLBACK",
  "SQLITE_READONLY_RECOVERY",
  "SQLITE_READONLY_CANTINIT",
]);

/** Begins to read on a connection of its own; nothing is fetched yet. `undefined` where connection `id` is gone. */
export function openQuery(session: Session, asked: Asked, id?: number): Query | undefined {
  const connection = openSnapshot(session, id);
  if (!connection) return undefined;
  return startOrClose(session, connection, asked);
}

function startOrClose(session: Session, connection: Connection, asked: Asked): Query {
  try {
    return startQuery(session, connection, asked);
  } catch (thrown) {
    closeSnapshot(session, connection);
    throw thrown;
  }
}

function startQuery(session: Session, connection: Connection, { admitted, binding, after }: Asked): Query {
  const bound = { admitted, binding, prepared: connection.prepare(admitted, binding) };
  const running = after ? prepareRest(session, connection, bound, after) : bound;
  if (!running) throw expired("the order of the table was changed");
  const iterator = running.prepared.statement.iterate(...running.binding);
  return { connection, bound, columns: bound.prepared.columns, pending: undefined, iterator };
}

/** For several looks at the same state of the database: at its schema, at samples, at plans. */
export function inSnapshot<T>(session: Session, work: (connection: Connection) => T): T {
  const connection = openSnapshot(session) as Connection;
  try {
    return work(connection);
  } finally {
    closeSnapshot(session, connection);
  }
}

function openSnapshot(session: Session, id?: number): Connection | undefined {
  try {
    return beginSnapshot(session, id);
  } catch (thrown) {
    if (session.options.mode === "read" || !isSqliteError(thrown) || !REPAIRABLE.has(thrown.code))
      throw thrown;
    // A process was killed while it wrote. Whoever may write repairs that by looking.
    session.closeIdle();
    session.takeWriter().value("SELECT count(*) FROM sqlite_schema");
    return beginSnapshot(session, id);
  }
}

function beginSnapshot(session: Session, id: number | undefined): Connection | undefined {
  const connection = session.takeReader(id);
  try {
    connection?.assertSettings("read");
    connection?.begin("DEFERRED");
    return connection;
  } catch (thrown) {
    if (connection) closeSnapshot(session, connection);
    throw thrown;
  }
}

/** Of the snapshot: another one after every commit, which the same connection can compare. */
export const versionOf = (session: Session, { connection }: Query): number =>
  session.isMemory ? session.commits : Number(connection.value("PRAGMA data_version"));

/** From where it was asked for, in the same snapshot. */
export function rewindQuery(session: Session, { iterator, connection }: Query, asked: Asked): Query {
  iterator.return?.();
  return startOrClose(session, connection, asked);
}

export function closeQuery(session: Session, { connection, iterator }: Query): void {
  iterator.return?.();
  closeSnapshot(session, connection);
}

function closeSnapshot(session: Session, connection: Connection): void {
  connection.end("COMMIT");
  session.giveBack(connection);
}
