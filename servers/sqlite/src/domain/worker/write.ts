import { countOf, Fault } from "@suite/server-kit/domain";
import type {
  BatchRequest,
  BatchResult,
  RowPage,
  PageLimits,
  WriteRequest,
  WriteResult,
} from "../protocol/statements.ts";
import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { withReturning } from "../sql-policy/statement.ts";
import { nameOf, quoteName } from "../sql-policy/tokens.ts";
import { toInteger } from "../values/cell.ts";
import { citeAll } from "../values/cite.ts";
import type { Binding } from "../values/params.ts";
import { BatchShapes, type BoundStatement, toBound } from "./batch-shapes.ts";
import type { DatabaseConnection, PreparedStatement, Row } from "./connection.ts";
import { createLookup } from "./lookup.ts";
import { takePage } from "./page.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { toStatementFault } from "./statement-error.ts";
import { transact } from "./transaction.ts";
import { compareRows, previewUpdate, type UpdatePreview } from "./update-preview.ts";

type WriteOutcome = Omit<WriteResult, "dryRun">;

/** A statement with RETURNING is run by reading its rows, even if none are wanted. */
const NO_ROWS: PageLimits = { limit: 0 };

/** One statement in its own transaction, rolled back for a dry run or an unexpected number of rows. */
export function write(pool: ConnectionPool, request: WriteRequest): WriteResult {
  const { dryRun = false, expectedRows, sample = 0 } = request;
  const entry = toBound(pool, request);
  return transact<WriteResult & { readonly preview?: UpdatePreview }>(
    pool,
    dryRun,
    (connection) => {
      const isShown = dryRun && sample > 0 && !entry.admitted.returning;
      const preview = isShown ? previewUpdate(connection, entry.admitted, entry.binding) : undefined;
      const shown = preview ? { ...entry, admitted: preview.admitted } : entry;
      const following = findFollowing(connection, entry.admitted);
      const outcome = execute(connection, shown, sample > 0 ? { ...request, limit: sample } : undefined);
      checkExpected(expectedRows, outcome.changes);
      checkDropped(following, outcome);
      return { ...outcome, dryRun, ...(preview && { preview }) };
    },
    (connection, { preview, ...result }) =>
      preview && result.sample
        ? { ...result, sample: compareRows(connection, preview, result.sample, request) }
        : result,
  );
}

/** All of them or none. Each is checked as text before the first one runs. */
export function writeBatch(
  pool: ConnectionPool,
  { statements, dryRun = false, expectedRows }: BatchRequest,
): BatchResult {
  const shapes = new BatchShapes(pool);
  const entries = statements.map((statement, at) =>
    inBatch(at, statements.length, () => shapes.bind(statement)),
  );
  return transact(pool, dryRun, (connection) => {
    const results = entries.map((entry, at) =>
      inBatch(at, entries.length, () => execute(connection, entry, undefined)),
    );
    const changes = results.reduce((sum, result) => sum + result.changes, 0);
    checkExpected(expectedRows, changes);
    return { results, changes, dryRun };
  });
}

/** Works on the statement at this index of a batch. Its error says which statement it was. */
function inBatch<T>(at: number, count: number, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    const { code, message, retryable, retryAfterMs, hint } = thrown;
    throw new Fault(code, `Statement ${at + 1} of ${count} failed, so nothing was changed. ${message}`, {
      retryable,
      retryAfterMs,
      hint,
      details: { ...thrown.details, statement: at + 1 },
      cause: thrown,
    });
  }
}

function checkExpected(expected: number | undefined, changes: number): void {
  if (expected === undefined || expected === changes) return;
  throw new Fault(
    "conflict",
    `It would change ${countOf(changes, "row")}, ${countOf(expected, "was", "were")} expected. Nothing was changed.`,
    {
      hint: "Look at the rows with read_query, then correct the condition or expected_rows.",
      details: { expected, changes },
    },
  );
}

const MOST_TABLES = 10;
/** Keys of other tables whose rows are deleted or changed with those that they point to, and which rows do. */
const FOLLOWING = `
  SELECT t.name, group_concat(printf('"%w" IS NOT NULL', k."from"), ' AND ')
  FROM sqlite_schema t, temp.pragma_foreign_key_list(t.name) k
  WHERE t.type = 'table' AND k."table" = ? COLLATE NOCASE AND t.name <> ? COLLATE NOCASE
    AND k.on_delete NOT IN ('NO ACTION', 'RESTRICT')
  GROUP BY t.name, k.id`;

/** Other tables with rows that would go or change with a table. Asked before it is dropped: then nothing points to it. */
function findFollowing(
  connection: DatabaseConnection,
  { verb, tokens }: AdmittedStatement,
): readonly string[] {
  if (verb !== "DROP") return [];
  const table = nameOf(tokens.at(-1)) ?? "";
  const keys = connection
    .own(FOLLOWING)
    .all(table, table)
    .map((key) => key.map(String));
  const hasRows = ([name = "", condition]: readonly string[]): boolean =>
    connection.value(`SELECT 1 FROM ${quoteName(name)} WHERE ${condition} LIMIT 1`) !== undefined;
  return [...new Set(keys.filter(hasRows).map(([name = ""]) => name))];
}

/** SQLite deletes the rows of a table before it drops it, and foreign keys pass that on to other tables. */
function checkDropped(following: readonly string[], { furtherChanges }: WriteOutcome): void {
  // Without any, all changes are to rows of the table itself. With some, SQLite counts both together.
  if (following.length === 0 || furtherChanges === 0) return;
  throw new Fault(
    "conflict",
    `It would also delete or change rows of other tables by foreign keys (those of ${citeAll(following, MOST_TABLES)} point to it). Nothing was changed.`,
    {
      hint: "Use ALTER TABLE to change the table. To drop it, first delete its rows with write_query: dry_run counts those that go with them.",
      details: { tables: following.slice(0, MOST_TABLES) },
    },
  );
}

function execute(
  connection: DatabaseConnection,
  bound: BoundStatement,
  limits: PageLimits | undefined,
): WriteOutcome {
  try {
    return run(connection, bound, limits);
  } catch (thrown) {
    throw toStatementFault(
      thrown,
      bound.sql,
      createLookup((work) => work(connection)),
      bound.admitted.verb,
    );
  }
}

function run(
  connection: DatabaseConnection,
  { admitted, binding }: BoundStatement,
  limits: PageLimits | undefined,
): WriteOutcome {
  const before = totalOf(connection);
  const prepared = prepare(connection, admitted, binding, limits !== undefined);
  const sample = prepared.statement.reader ? takeSample(prepared, binding, limits ?? NO_ROWS) : undefined;
  const counts = sample ? countsOf(connection) : prepared.statement.run(...binding);
  const all = totalOf(connection) - before;
  // If nothing changed, SQLite still has the count of the statement before.
  const changes = all === 0 ? 0 : counts.changes;
  return {
    verb: admitted.verb,
    changes,
    furtherChanges: all - changes,
    // Otherwise SQLite still has another statement's rowid.
    ...(prepared.numbersRows && changes > 0
      ? { lastInsertRowid: toInteger(BigInt(counts.lastInsertRowid)) }
      : {}),
    ...(sample && limits ? { sample } : {}),
  };
}

const totalOf = (connection: DatabaseConnection): number =>
  Number(connection.value("SELECT total_changes()"));

function countsOf(connection: DatabaseConnection): { changes: number; lastInsertRowid: bigint } {
  const [changes, rowid] = connection.own("SELECT changes(), last_insert_rowid()").get() as [bigint, bigint];
  return { changes: Number(changes), lastInsertRowid: rowid };
}

/** Adds RETURNING for the sample, if the statement has none and allows it: some virtual tables and views do not. */
function prepare(
  connection: DatabaseConnection,
  admitted: AdmittedStatement,
  binding: Binding,
  withSample: boolean,
): PreparedStatement {
  if (withSample && admitted.kind === "rows" && !admitted.returning) {
    try {
      return connection.prepare({ ...admitted, text: withReturning(admitted, "*") }, binding);
    } catch {
      // The statement may be valid without it; if not, its own error is the one to report.
    }
  }
  return connection.prepare(admitted, binding);
}

function takeSample(
  { statement, columns }: PreparedStatement,
  binding: Binding,
  limits: PageLimits,
): RowPage {
  const iterator: Iterator<Row> = statement.iterate(...binding);
  const page = takePage({ iterator, columns }, limits);
  // SQLite has made all changes and checked all constraints before it returns the first row.
  iterator.return?.();
  return page;
}
