import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { useLocalDatabases } from "../scratch.ts";
import { SCHEMA } from "./keys.ts";
import { readAll } from "./pages.ts";

const { scratch, open } = useLocalDatabases();

describe("any query of one table", () => {
  const TABLES = {
    t: ["id", "kind", "x"],
    w: ["a", "b", "c"],
    p: ["a", "name"],
    d: ["id", "y"],
    plain: ["a", "b"],
  };
  const query = fc
    .constantFrom(...Object.entries(TABLES))
    .chain(([table, columns]) => {
      const column = fc.constantFrom(...columns);
      const order = fc
        .tuple(column, fc.constantFrom("", " DESC", " COLLATE NOCASE", " NULLS LAST", " + 1"))
        .map((parts) => parts.join(""));
      const where = fc
        .tuple(
          column,
          fc.constantFrom("= 'k1'", "> 'k1'", "<= 100", "= 3", "IS NULL", "IN (3, 'k2', 'B')", "LIKE 'x%'"),
        )
        .map((parts) => parts.join(" "));
      const list = fc.oneof(
        fc.constant(["*"]),
        fc.subarray(columns, { minLength: 1 }),
        fc.constant([...columns, "rowid"]),
      );
      return fc.record({
        table: fc.constantFrom(table, `main.${table}`, `${table} AS other`),
        distinct: fc.constantFrom("", "DISTINCT "),
        list: list.map((names) => names.join(", ")),
        where: fc
          .array(where, { maxLength: 2 })
          .map((all) => (all.length > 0 ? ` WHERE ${all.join(" AND ")}` : "")),
        order: fc
          .array(order, { maxLength: 2 })
          .map((all) => (all.length > 0 ? ` ORDER BY ${all.join(", ")}` : "")),
      });
    })
    .map(
      ({ table, distinct, list, where, order }) => `SELECT ${distinct}${list} FROM ${table}${where}${order}`,
    );

  it("comes in pages as it comes at once", async () => {
    const database = open({ file: scratch.create("a.db", `PRAGMA journal_mode = wal; ${SCHEMA}`) });
    const ways = { keyed: 0, counted: 0 };
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 20, max: 60 }), async (sql, limit) => {
        const whole = await database.read({ sql, limit: 10_000 }).catch(() => undefined);
        // WITHOUT ROWID there is none.
        if (!whole) return;
        const rows = await readAll(
          () => database,
          { sql, limit },
          ({ next }) => (ways[next && next.length > 1 ? "keyed" : "counted"] += 1),
        );
        expect(rows).toEqual(whole.rows);
      }),
      { numRuns: 400 },
    );
    expect(ways.keyed).toBeGreaterThan(100);
    expect(ways.counted).toBeGreaterThan(100);
  });
});
