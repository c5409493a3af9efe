import Database from "better-sqlite3";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { BatchShapes } from "../../../src/domain/worker/batch-shapes.ts";
import { ConnectionPool } from "../../../src/domain/worker/connection-pool.ts";

const options = {
  file: ":memory:",
  mode: "create",
  allowDdl: false,
  busyTimeoutMs: 0,
  memoryBytes: 1e9,
} as const;

/** Places for values, some of which only look like ones: in comments, strings, names, and as parts of expressions. */
const TEMPLATES = [
  "INSERT INTO t VALUES (#, #)",
  " REPLACE INTO t (a, b) VALUES (# , #), ( #,#);",
  "INSERT INTO t VALUES (#, 'a, 5, b' || #)",
  "INSERT INTO t /* (5) ' */ VALUES (#, upper(#))",
  "INSERT INTO t VALUES (#, #) -- , 5)",
  "INSERT INTO t VALUES ((#), -1)",
  "INSERT INTO t VALUES (/**/ '7', 'a, 5, b' || #)",
  "INSERT INTO t VALUES (#, #) ON CONFLICT DO UPDATE SET b = (#)",
];

it("binds statements of one shape to what each of them says", () => {
  const database = new Database(":memory:");
  database.exec("CREATE TABLE t (a UNIQUE, b TEXT)");
  const stored = (sql: string, values: readonly unknown[]): unknown => {
    database.exec("DELETE FROM t");
    database.prepare(sql).run(...values);
    return database.prepare("SELECT typeof(a), quote(a), quote(b) FROM t").raw(true).all();
  };
  const value = fc.oneof(
    fc.string().map((given) => `'${given.replaceAll("'", "''").replaceAll("\0", "")}'`),
    fc.constantFrom("7", "007", "1.5", "-1", "NULL", "'--'", "'?'", "'/*'", "''''", "9".repeat(19)),
  );
  const fill = (template: string, values: readonly string[]): string =>
    template
      .split("#")
      .map((part, at) => (at === 0 ? part : `${values[at - 1]}${part}`))
      .join("");
  const row = fc.array(value, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.constantFrom(...TEMPLATES),
      fc.array(row, { minLength: 2, maxLength: 4 }),
      (template, rows) => {
        const pool = new ConnectionPool(options, { unfit: undefined, toLoadFault: () => undefined });
        const shapes = new BatchShapes(pool);
        for (const values of rows) {
          const sql = fill(template, values);
          const { admitted, binding } = shapes.bind({ sql });
          expect(stored(admitted.text, binding[0])).toEqual(stored(sql, []));
        }
      },
    ),
  );
  database.close();
});
