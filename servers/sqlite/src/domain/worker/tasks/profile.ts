import type { DatabaseConnection } from "../connection.ts";
import { inSnapshot } from "../query.ts";
import type { TaskContext } from "../task.ts";
import { cite } from "../../values/cite.ts";
import { quoteName } from "../../sql-policy/tokens.ts";
import { type Cell, type SqlValue, toCell } from "../../values/cell.ts";
import { chooserOf, columnsOf } from "./columns.ts";
import { requireTable } from "../tables.ts";
import type { ColumnProfile, Profile, ProfileArgs } from "../../protocol/tasks.ts";

const CELL_BYTES = 200;
const BUCKETS = 10;
const MOST_COLUMNS = 100;

export const profileTask = ({ table, columns }: ProfileArgs, { pool, progress }: TaskContext): Profile =>
  inSnapshot(pool, (connection) => {
    const { name } = requireTable(connection, table);
    const known = columnsOf(connection, name);
    const all = columns === undefined ? known : chooserOf(name, known)(columns);
    const chosen = all.slice(0, MOST_COLUMNS);
    const rows = Number(connection.value(`SELECT count(*) FROM ${quoteName(name)}`));
    const profiles = chosen.map((column, at) => {
      progress({ done: at, total: chosen.length, message: cite(column.name) });
      return profileColumn(connection, name, column.name);
    });
    return { table: name, rows, columns: profiles, truncated: all.length > chosen.length };
  });

function profileColumn(connection: DatabaseConnection, table: string, column: string): ColumnProfile {
  const [t, c] = [quoteName(table), quoteName(column)];
  const numeric = `typeof(${c}) IN ('integer', 'real')`;
  const [nulls, distinct, min, max, mean, low, high] =
    connection
      .own(
        `SELECT count(*) - count(${c}), count(DISTINCT ${c}), min(${c}), max(${c}),
           avg(${c}) FILTER (WHERE ${numeric}), min(${c}) FILTER (WHERE ${numeric}), max(${c}) FILTER (WHERE ${numeric})
         FROM ${t}`,
      )
      .get() ?? [];
  const classes = connection.own(
    `SELECT typeof(${c}), count(*) FROM ${t} WHERE ${c} IS NOT NULL GROUP BY 1 ORDER BY 1`,
  );
  // By type too: the text 1 and the number 1 are different values, even if they compare as equal.
  const top = connection.own(
    `SELECT ${c}, count(*) FROM ${t} WHERE ${c} IS NOT NULL GROUP BY ${c}, typeof(${c}) ORDER BY 2 DESC, 1 LIMIT 5`,
  );
  return {
    column,
    nulls: Number(nulls),
    distinct: Number(distinct),
    types: Object.fromEntries(classes.all().map(([type, count]) => [String(type), Number(count)])),
    min: toShort(min),
    max: toShort(max),
    ...toMean(mean),
    ...toHistogram(connection, [t, c, numeric], low, high),
    top: top.all().map(([value, count]) => ({ value: toShort(value), count: Number(count) })),
  };
}

const toShort = (value: SqlValue | undefined): Cell => toCell(value ?? null, CELL_BYTES);

/** Omitted if infinite: JSON has no infinity, and one such value hides the others. */
const toMean = (mean: SqlValue | undefined): Pick<ColumnProfile, "mean"> =>
  typeof mean === "number" && Number.isFinite(mean) ? { mean } : {};

function toHistogram(
  connection: DatabaseConnection,
  [table, column, numeric]: readonly [string, string, string],
  least: SqlValue | undefined,
  greatest: SqlValue | undefined,
): Pick<ColumnProfile, "histogram"> {
  const [low, high] = [Number(least ?? Number.NaN), Number(greatest ?? Number.NaN)];
  const width = (high - low) / BUCKETS;
  if (!Number.isFinite(width) || width <= 0) return {};
  const sql = `SELECT max(0, min(${BUCKETS - 1}, CAST((${column} - ?) / ? AS INTEGER))), count(*) FROM ${table} WHERE ${numeric} GROUP BY 1`;
  const counts = new Map(
    connection
      .own(sql)
      .all(low, width)
      .map(([bucket, count]) => [Number(bucket), Number(count)]),
  );
  const inOrder = Array.from({ length: BUCKETS }, (_, at) => counts.get(at) ?? 0);
  return { histogram: { from: low, to: high, counts: inOrder } };
}
