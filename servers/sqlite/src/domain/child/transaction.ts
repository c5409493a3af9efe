import type { Connection } from "./connection.ts";
import { isSqliteError, toCodedFault } from "./sqlite-error.ts";
import { toConstraintFault } from "./constraint.ts";
import type { Session } from "./session.ts";

/**
 * All of the work or nothing. The lock is taken at the start: a transaction that began by reading could later find that
 * somebody else wrote, and would have to fail.
 */
export function transact<T>(session: Session, dryRun: boolean, work: (connection: Connection) => T): T {
  const connection = session.takeWriter();
  connection.assertSettings("write");
  try {
    connection.begin("IMMEDIATE");
    const result = work(connection);
    connection.end(dryRun ? "ROLLBACK" : "COMMIT");
    return result;
  } catch (thrown) {
    connection.end("ROLLBACK");
    throw isSqliteError(thrown) ? (toConstraintFault(thrown) ?? toCodedFault(thrown)) : thrown;
  }
}
