import type { DatabaseConnection } from "./connection.ts";
import { isSqliteError, toCodedFault, toConstraintFault } from "./sqlite-error.ts";
import type { ConnectionPool } from "./connection-pool.ts";

/**
 * All of the work or nothing. The lock is taken at the start: a transaction that began by reading could later find that
 * somebody else wrote, and would have to fail. `undone` sees the result of a dry run once everything is as it was.
 */
export function transact<T>(
  pool: ConnectionPool,
  dryRun: boolean,
  work: (connection: DatabaseConnection) => T,
  undone: (connection: DatabaseConnection, result: T) => T = (_, result) => result,
): T {
  const connection = pool.takeWriter();
  connection.assertSettings("write");
  try {
    const end = begin(connection, dryRun);
    const result = work(connection);
    return end(() => undone(connection, result)) ?? result;
  } catch (thrown) {
    connection.end("ROLLBACK");
    throw isSqliteError(thrown) ? (toConstraintFault(thrown) ?? toCodedFault(thrown)) : thrown;
  }
}

/** Begins to write, and gives how to end it: a dry run fails where the commit would have, and is undone. */
export function begin(
  connection: DatabaseConnection,
  dryRun: boolean,
): <T>(undone?: () => T) => T | undefined {
  connection.begin("IMMEDIATE");
  if (!dryRun) {
    return () => {
      connection.end("COMMIT");
      return undefined;
    };
  }
  const before = countDeferred(connection);
  connection.own("SAVEPOINT dry_run").run();
  return (undone) => {
    if (countDeferred(connection) > before) throw new DeferredKeyError();
    connection.own("ROLLBACK TO dry_run").run();
    const result = undone?.();
    connection.end("ROLLBACK");
    return result;
  };
}

/** What SQLite would say to the commit. */
class DeferredKeyError extends Error {
  readonly code = "SQLITE_CONSTRAINT_FOREIGNKEY";

  constructor() {
    super("FOREIGN KEY constraint failed");
  }
}

/** Rows whose foreign key points nowhere, in tables that leave such keys to the commit: it fails where there are more by then. */
function countDeferred(connection: DatabaseConnection): number {
  const tables = connection.own(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%deferred%'",
  );
  const counts = tables.all().map(([table]) => {
    try {
      return Number(connection.value("SELECT count(*) FROM temp.pragma_foreign_key_check(?)", table ?? null));
    } catch {
      // A key that does not fit its target: statements that touch it fail by themselves.
      return 0;
    }
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
