import Database from "better-sqlite3";

import type { ToolResult, Workload } from "../servers/tool-calls.ts";
import { batchInserts, pageRows } from "./database.ts";

/** One thing to do: by better-sqlite3 itself, by the peer, and by ours. */
export interface Comparison {
  readonly title: string;
  readonly direct: (database: Database.Database) => void;
  readonly ours: Workload;
  readonly peer: Workload;
  readonly times: number;
}

const point = "SELECT * FROM items WHERE id = 4711";
const page = `SELECT * FROM items LIMIT ${pageRows}`;
const aggregate = "SELECT category, count(*), avg(price) FROM items GROUP BY category ORDER BY category";
const insert = (number: number): string => `INSERT INTO log (message) VALUES ('message ${number}')`;

const hasText =
  (text: string) =>
  ({ content }: ToolResult): boolean =>
    content?.[0]?.text?.includes(text) ?? false;

type Counts = Pick<Workload, "warmUp" | "measured" | "window">;

function toQuery(title: string, sql: string, counts: Counts, found: string, limit: number): Comparison {
  const check = hasText(found);
  return {
    title,
    direct: (database) => void database.prepare(sql).all(),
    ours: { call: { name: "read_query", arguments: { query: sql, limit } }, check, ...counts },
    peer: { call: { name: "read_query", arguments: { query: sql } }, check, ...counts },
    times: counts.measured,
  };
}

export function toComparisons(quick: boolean): readonly Comparison[] {
  const [many, few] = quick ? [200, 2] : [2_000, 5];
  const counts = { warmUp: many, measured: many, window: 1 };
  const statements = Array.from({ length: batchInserts }, (_, number) => insert(number));
  const rare = { warmUp: 1, measured: few, window: 1 };
  return [
    toQuery("point query", point, counts, "item number 4711", 100),
    toQuery(
      `page of ${pageRows.toLocaleString("en-US")} rows`,
      page,
      { ...counts, warmUp: 100, measured: 100 },
      `item number ${pageRows}`,
      pageRows,
    ),
    toQuery("aggregate over all rows", aggregate, rare, "96", 100),
    {
      title: `${batchInserts.toLocaleString("en-US")} inserts in a batch`,
      direct: (database) =>
        database.transaction(() => {
          for (const sql of statements) database.prepare(sql).run();
        })(),
      ours: {
        call: { name: "execute_batch", arguments: { statements: statements.map((query) => ({ query })) } },
        check: hasText("10000 rows changed"),
        ...rare,
      },
      peer: { call: { name: "execute_batch", arguments: { statements } }, check: hasText("10000"), ...rare },
      times: few,
    },
  ];
}

/** The same point query with many under way at once. */
export function toPipelined(quick: boolean): Pick<Comparison, "ours" | "peer"> {
  const calls = quick ? 500 : 5_000;
  const { ours, peer } = toQuery(
    "",
    point,
    { warmUp: calls, measured: calls, window: 256 },
    "item number 4711",
    100,
  );
  return { ours, peer };
}
