import type { Author, Kept } from "../protocol/statements.ts";
import type { DatabaseConnection } from "./connection.ts";
import { isSqliteError, toCodedFault, toConstraintFault } from "./sqlite-error.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { brokenKeys, isOfKey, withKeys } from "./foreign-keys.ts";
import { foretell, keepChange } from "./undo/keeping.ts";
import { undoOf } from "./undo/pool-undo.ts";
import type { NewChange } from "./undo/undo-list.ts";

export interface ChangeOptions {
  readonly dryRun: boolean;
  /** Without one, the change is not kept for undo. */
  readonly author?: Author | undefined;
  /** What it takes back, once that is known. */
  readonly undoing?: () => Partial<NewChange>;
}

type Undone<T> = (connection: DatabaseConnection, result: T) => T;
type End = <T extends object>(result: T, undone?: Undone<T>) => T & Kept;

/**
 * All of the work or nothing. The write lock is taken at the start: a transaction that began by reading would fail if another
 * process wrote meanwhile. `undone` gets the result of a dry run once its changes are rolled back.
 */
export function transact<T extends object>(
  pool: ConnectionPool,
  options: ChangeOptions,
  work: (connection: DatabaseConnection) => T,
  undone?: Undone<T>,
): T & Kept {
  const connection = pool.takeWriter();
  connection.assertSettings("write");
  // What it takes back was allowed once: it is checked at the end, and must have no effects of its own.
  if (options.undoing) connection.ignoreForeignKeys();
  try {
    const end = begin(pool, connection, options);
    return end(work(connection), undone);
  } catch (thrown) {
    // A commit that fails leaves the transaction open.
    const keys = isOfKey(thrown) && connection.inTransaction ? brokenKeys(connection) : [];
    connection.end("ROLLBACK");
    throw isSqliteError(thrown) ? withKeys(toConstraintFault(thrown) ?? toCodedFault(thrown), keys) : thrown;
  }
}

/** Begins a write and returns a function that ends it. A dry run fails if the commit would have, and is rolled back. */
export function begin(
  pool: ConnectionPool,
  connection: DatabaseConnection,
  { dryRun, author, undoing }: ChangeOptions,
): End {
  connection.begin("IMMEDIATE");
  undoOf(pool).settle(connection);
  const recorder = author && undoOf(pool).record(connection);
  if (dryRun) {
    const before = countDeferred(connection);
    connection.own("SAVEPOINT dry_run").run();
    return (result, undone) => {
      const kept = foretell(recorder?.finish());
      if (countDeferred(connection) > before) throw new DeferredKeyError();
      connection.own("ROLLBACK TO dry_run").run();
      const shown = undone?.(connection, result) ?? result;
      connection.end("ROLLBACK");
      return { ...shown, ...kept };
    };
  }
  return (result) => {
    const change = recorder?.finish();
    const given = author && { ...author, ...undoing?.() };
    const keeping = change && given && keepChange(() => undoOf(pool).list(), change, given);
    try {
      connection.end("COMMIT");
    } catch (thrown) {
      keeping?.drop();
      throw thrown;
    }
    return { ...result, ...keeping?.confirm() };
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
  return tables.all().reduce((sum, [table]) => sum + countViolations(connection, String(table)), 0);
}

/** Rows of a table that violate its foreign keys. */
export function countViolations(connection: DatabaseConnection, table: string): number {
  try {
    return Number(connection.value("SELECT count(*) FROM temp.pragma_foreign_key_check(?)", table));
  } catch {
    // The key does not match the table it refers to: statements that use it fail anyway.
    return 0;
  }
}
