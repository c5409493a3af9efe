import { countOf, Fault } from "@suite/server-kit/domain";
import type {
  BatchRequest,
  BatchResult,
  BatchStep,
  RowPage,
  PageLimits,
  WriteRequest,
  WriteResult,
} from "../protocol/statements.ts";
import type { AdmittedStatement } from "../sql-policy/admit.ts";
import { withReturning } from "../sql-policy/statement.ts";
import { toInteger } from "../values/cell.ts";
import type { Binding } from "../values/params.ts";
import { BatchShapes, type BoundStatement, toBound } from "./batch-shapes.ts";
import type { DatabaseConnection, PreparedStatement, Row } from "./connection.ts";
import { checkDropped, countDropped, findFollowing } from "./dropping.ts";
import { isOfKey, keysBrokenBy, withKeys } from "./foreign-keys.ts";
import { createLookup } from "./lookup.ts";
import { takePage } from "./page.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { toStatementFault } from "./statement-error.ts";
import { transact } from "./transaction.ts";
import { compareRows, previewUpdate, type UpdatePreview } from "./update-preview.ts";

type WriteOutcome = Omit<BatchStep, "statements">;

/** A statement with RETURNING is run by reading its rows, even if none are wanted. */
const NO_ROWS: PageLimits = { limit: 0 };

/** One statement in its own transaction, rolled back for a dry run or an unexpected number of rows. */
export function write(pool: ConnectionPool, request: WriteRequest): WriteResult {
  const { dryRun = false, expectedRows, author } = request;
  const entry = toBound(pool, request);
  const { preview: _, ...result } = transact<WriteResult & Shown>(
    pool,
    { dryRun, author },
    (connection) => {
      const outcome = executeShown(connection, entry, { ...request, dryRun });
      checkExpected(expectedRows, outcome.changes);
      return { ...outcome, dryRun };
    },
    (connection, shown) => ({ ...shown, ...compared(connection, shown, request) }),
  );
  return result;
}

/** All of them or none. Each is checked as text before the first one runs. */
export function writeBatch(pool: ConnectionPool, request: BatchRequest): BatchResult {
  const { statements, dryRun = false, expectedRows, author, schemaTools } = request;
  const shapes = new BatchShapes(pool, schemaTools);
  const entries = statements.map((statement, at) =>
    inBatch(at, statements.length, () => shapes.bind(statement)),
  );
  const { steps, ...result } = transact(
    pool,
    { dryRun, author },
    (connection) => {
      let [sample, changes] = [request.sample ?? 0, 0];
      const done = entries.map((entry, at) =>
        inBatch(at, entries.length, () => {
          const step = executeShown(connection, entry, { ...request, dryRun, sample });
          sample -= step.sample?.rows.length ?? 0;
          changes += step.changes;
          return step;
        }),
      );
      checkExpected(expectedRows, changes);
      return { steps: done, changes, dryRun };
    },
    (connection, { steps: done, ...rest }) => ({
      ...rest,
      steps: done.map((step) => ({ ...step, ...compared(connection, step, request) })),
    }),
  );
  return { ...result, results: toRuns(steps) };
}

/** Statements that follow each other and did the same are told of once. */
function toRuns(steps: readonly Shown[]): readonly BatchStep[] {
  const runs: (Omit<BatchStep, "statements" | "sample"> & { statements: number; sample?: RowPage })[] = [];
  for (const { preview: _, ...step } of steps) {
    const last = runs.at(-1);
    const isSame =
      last?.verb === step.verb &&
      last.changes === step.changes &&
      last.furtherChanges === step.furtherChanges;
    const sample = isSame && step.dropped === undefined ? join(last.sample, step.sample) : undefined;
    if (!isSame || step.dropped !== undefined || sample === null) {
      runs.push({ ...step, statements: 1 });
      continue;
    }
    last.statements += 1;
    if (sample) last.sample = sample;
    if (step.lastInsertRowid !== undefined) Object.assign(last, { lastInsertRowid: step.lastInsertRowid });
  }
  return runs;
}

/** The rows of both; null where they have other columns. */
function join(one: RowPage | undefined, other: RowPage | undefined): RowPage | undefined | null {
  if (!one || !other) return one ?? other;
  const names = (page: RowPage): string => page.columns.map(({ name }) => name).join("\0");
  if (names(one) !== names(other)) return null;
  return { ...one, rows: [...one.rows, ...other.rows], truncated: one.truncated || other.truncated };
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

type Shown = WriteOutcome & { readonly preview?: UpdatePreview };

/** With rows as they are afterwards, or of an UPDATE what finds them before. */
function executeShown(
  connection: DatabaseConnection,
  entry: BoundStatement,
  request: PageLimits & { readonly dryRun: boolean; readonly sample?: number },
): Shown {
  const { dryRun, sample = 0 } = request;
  const { admitted, binding } = entry;
  const isShown = dryRun && sample > 0 && !admitted.returning;
  const preview = isShown ? previewUpdate(connection, admitted, binding) : undefined;
  const shown = preview ? { ...entry, admitted: preview.admitted } : entry;
  const isDrop = admitted.verb === "DROP";
  const following = isDrop ? findFollowing(connection, admitted) : [];
  const dropped = isDrop ? countDropped(connection, admitted) : undefined;
  const outcome = execute(connection, shown, sample > 0 ? { ...request, limit: sample } : undefined);
  checkDropped(following, outcome.furtherChanges);
  return { ...outcome, ...(preview && { preview }), ...(dropped !== undefined && { dropped }) };
}

const compared = (
  connection: DatabaseConnection,
  { preview, sample }: Shown,
  limits: PageLimits,
): Pick<WriteOutcome, "sample"> =>
  preview && sample ? { sample: compareRows(connection, preview, sample, limits) } : {};

function execute(
  connection: DatabaseConnection,
  bound: BoundStatement,
  limits: PageLimits | undefined,
): WriteOutcome {
  try {
    return run(connection, bound, limits);
  } catch (thrown) {
    const isKey = isOfKey(thrown) && connection.inTransaction;
    const broken = isKey ? keysBrokenBy(connection, () => run(connection, bound, undefined)) : [];
    const lookup = createLookup((work) => work(connection), broken);
    throw withKeys(toStatementFault(thrown, bound.sql, lookup, bound.admitted.verb), broken);
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
