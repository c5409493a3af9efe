import type Database from "better-sqlite3";

import type { BenchTarget } from "../measure/measure.ts";

import { hasText, type Workload } from "../servers/tool-calls.ts";
import { OURS } from "../servers/contenders.ts";
import { DIRECT, PEER, PLAIN } from "./contenders.ts";
import { batchInserts, pageRows } from "./database.ts";

/** One thing to do: by better-sqlite3 itself, and by each server that can. */
export interface SqliteComparison {
  readonly title: string;
  readonly direct: (database: Database.Database) => void;
  readonly servers: ReadonlyMap<string, Workload>;
  readonly times: number;
  readonly targets?: readonly BenchTarget[];
}

const point = "SELECT * FROM items WHERE id = 4711";
const page = `SELECT * FROM items LIMIT ${pageRows}`;
const aggregate = "SELECT category, count(*), avg(price) FROM items GROUP BY category ORDER BY category";
const insert = (number: number): string => `INSERT INTO log (message) VALUES ('message ${number}')`;

type Counts = Pick<Workload, "warmUp" | "measured" | "window">;

function toQuery(title: string, sql: string, counts: Counts, found: string, limit: number): SqliteComparison {
  const toWorkload = (extra: { readonly limit?: number }): Workload => ({
    call: { name: "read_query", arguments: { query: sql, ...extra } },
    check: hasText(found),
    ...counts,
  });
  return {
    title,
    direct: (database) => void database.prepare(sql).all(),
    // Only ours has pages.
    servers: new Map([
      [PLAIN, toWorkload({})],
      [PEER, toWorkload({})],
      [OURS, toWorkload({ limit })],
    ]),
    times: counts.measured,
  };
}

export function toComparisons(quick: boolean): readonly SqliteComparison[] {
  const [many, few] = quick ? [200, 2] : [2_000, 5];
  const counts = { warmUp: many, measured: many, window: 1 };
  const rare = { warmUp: 1, measured: few, window: 1 };
  return [
    {
      ...toQuery("point query", point, counts, "item number 4711", 100),
      // What a call costs beyond SQLite itself is the same in milliseconds whatever the query.
      targets: [{ beyond: DIRECT, atMost: 0.5 }],
    },
    toQuery(
      `page of ${pageRows.toLocaleString("en-US")} rows`,
      page,
      { ...counts, warmUp: 100, measured: 100 },
      `item number ${pageRows}`,
      pageRows,
    ),
    toQuery("aggregate over all rows", aggregate, rare, "96", 100),
    toBatch(rare),
  ];
}

/** The peer has no transactions to offer. */
function toBatch(counts: Counts): SqliteComparison {
  const statements = Array.from({ length: batchInserts }, (_, number) => insert(number));
  const toWorkload = (given: readonly unknown[], done: string): Workload => ({
    call: { name: "execute_batch", arguments: { statements: given } },
    check: hasText(done),
    ...counts,
  });
  return {
    title: `${batchInserts.toLocaleString("en-US")} inserts in a batch`,
    direct: (database) =>
      database.transaction(() => {
        for (const sql of statements) database.prepare(sql).run();
      })(),
    servers: new Map([
      [PLAIN, toWorkload(statements, "10000")],
      [
        OURS,
        toWorkload(
          statements.map((query) => ({ query })),
          "10,000 rows changed",
        ),
      ],
    ]),
    times: counts.measured,
  };
}

/** The same point query with many under way at once. */
export function toPipelined(quick: boolean): SqliteComparison["servers"] {
  const calls = quick ? 500 : 20_000;
  const counts = { warmUp: calls, measured: calls, window: 256 };
  return toQuery("", point, counts, "item number 4711", 100).servers;
}
