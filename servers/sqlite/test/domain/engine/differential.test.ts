import Database from "better-sqlite3";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { RowPage } from "../../../src/domain/protocol/statements.ts";
import { type SqlValue, toCell } from "../../../src/domain/values/cell.ts";
import { schema } from "../corpus.ts";
import { useLocalDatabases } from "../scratch.ts";

const { scratch, open } = useLocalDatabases();

const DATA = `${schema}
  INSERT INTO p (name, n) WITH RECURSIVE k (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM k LIMIT 60) SELECT 'name ' || x, x % 7 + 1 FROM k;
  INSERT INTO c (pid, t, x) SELECT id % 20, CASE id % 3 WHEN 0 THEN NULL ELSE substr(name, 1 + id % 5) END, id * 1.25 FROM p WHERE id % 20 > 0;
  INSERT INTO wr VALUES ('big', 9223372036854775807), ('small', -9223372036854775808), ('real', 1e300), ('blob', x'00ff'), ('null', NULL);
`;

const column = fc.constantFrom("p.id", "p.name", "p.n", "p.g", "c.t", "c.x", "c.pid", "wr.v");
const literal = fc.constantFrom("1", "-3", "2.5", "'a'", "''", "NULL", "x'61'", "9007199254740993", "1e999");
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    column,
    literal,
    fc
      .tuple(
        fc.constantFrom("+", "-", "*", "/", "%", "||", "=", "<>", "<", "AND", "OR", "IS", "&", ">>"),
        tie("expression"),
        tie("expression"),
      )
      .map(([operator, a, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(
        fc.constantFrom(
          "abs",
          "upper",
          "length",
          "typeof",
          "hex",
          "quote",
          "coalesce(1,",
          "nullif('a',",
          "round",
        ),
        tie("expression"),
      )
      .map(([name, a]) => (name.includes("(") ? `${name} ${a})` : `${name}(${a})`)),
    fc
      .tuple(tie("expression"), tie("expression"), tie("expression"))
      .map(([a, b, c]) => `CASE WHEN ${a} THEN ${b} ELSE ${c} END`),
    tie("expression").map((a) => `CAST(${a} AS TEXT)`),
    tie("expression").map((a) => `(${a}) IN (SELECT n FROM p)`),
  ),
}));

/** The order is always given in full, so that the rows are too. */
const select = fc
  .record({
    columns: fc.array(expression, { minLength: 1, maxLength: 4 }),
    where: fc.option(expression),
    isDistinct: fc.boolean(),
    aggregate: fc.option(
      fc.constantFrom("count(*)", "sum(p.n)", "group_concat(c.t)", "max(c.x)", "total(c.x)"),
    ),
    limit: fc.option(fc.nat(30)),
  })
  .map(({ columns, where, isDistinct, aggregate, limit }) => {
    const shown = [...columns, ...(aggregate === null ? [] : [aggregate])];
    return [
      `SELECT ${isDistinct ? "DISTINCT " : ""}${shown.map((text, at) => `${text} AS c${at}`).join(", ")}`,
      "FROM p LEFT JOIN c ON c.pid = p.id LEFT JOIN wr ON p.id = 1",
      ...(where === null ? [] : [`WHERE ${where}`]),
      ...(aggregate === null ? [] : [`GROUP BY ${columns.map((_, at) => at + 1).join(", ")}`]),
      `ORDER BY ${shown.map((_, at) => at + 1).join(", ")}`,
      ...(limit === null ? [] : [`LIMIT ${limit}`]),
    ].join(" ");
  });

it("answers every query as better-sqlite3 does, rows, columns and failures", async () => {
  const file = scratch.create("a.db", DATA);
  const direct = new Database(file, { readonly: true });
  const database = open({ file });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(select, async (sql) => {
      const page: RowPage | undefined = await database
        .read({ sql, limit: 5000, maxBytes: 1e7, maxCellBytes: 1e6 })
        .catch(() => undefined);
      let expected: { columns: string[]; rows: SqlValue[][] } | undefined;
      try {
        const statement = direct.prepare<[], SqlValue[]>(sql).raw(true).safeIntegers(true);
        expected = { columns: statement.columns().map(({ name }) => name), rows: statement.all() };
      } catch {
        expected = undefined;
      }
      compared += expected ? 1 : 0;
      expect(page && { columns: page.columns.map(({ name }) => name), rows: page.rows }).toEqual(
        expected && {
          columns: expected.columns,
          rows: expected.rows.map((row) => row.map((value) => toCell(value, 1e6))),
        },
      );
    }),
    { numRuns: 400, seed: 7 },
  );
  direct.close();
  expect(compared).toBeGreaterThan(200);
});
