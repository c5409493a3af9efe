import type { DatabaseConnection } from "./connection.ts";
import { isSqliteError, toCodedFault, toConstraintFault } from "./sqlite-error.ts";
import type { ConnectionPool } from "./connection-pool.ts";

/**
 * All of the work or nothing. The write lock is taken at the start: a transaction that began by reading would fail if another
 * process wrote meanwhile. `undone` gets the result of a dry run once its changes are rolled back.
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

/** Begins a write and returns a function that ends it. A dry run fails if the commit would have, and is rolled back. */
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

/** The error that the commit would raise. */
class DeferredKeyError extends Error {
  readonly code = "SQLITE_CONSTRAINT_FOREIGNKEY";

  constructor() {
    super("FOREIGN KEY constraint failed");
  }
}

/** Rows that violate a foreign key, in tables with deferred keys: the commit fails if there are more than before. */
function countDeferred(connection: DatabaseConnection): number {
  const tables = connection.own(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%deferred%'",
  );
  const counts = tables.all().map(([table]) => {
    try {
      return Number(connection.value("SELECT count(*) FROM temp.pragma_foreign_key_check(?)", table ?? null));
    } catch {
      // The key does not match the table it refers to: statements that use it fail anyway.
      return 0;
    }
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
