import { describe, expect, it } from "vitest";
import { useDatabases } from "../scratch.ts";
import { PEOPLE } from "./people.ts";

const { scratch, open } = useDatabases();

describe("read", () => {
  it("returns columns with their declared types, and rows", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const page = await database.read({
      sql: "SELECT *, age + 1 AS next FROM people WHERE id <= :id",
      params: { id: 2 },
    });
    expect(page).toEqual({
      columns: [
        { name: "id", type: "INTEGER" },
        { name: "name", type: "TEXT" },
        { name: "age", type: "INTEGER" },
        { name: "next", type: null },
      ],
      rows: [
        [1, "Ada", 36, 37],
        [2, "Bob", 41, 42],
      ],
      truncated: false,
    });
  });

  it("tells NULL, empty text and an empty result apart, and keeps columns of the same name", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const page = await database.read({ sql: "SELECT NULL AS x, '' AS x, x'' AS x, 0 AS x" });
    expect(page.rows).toEqual([[null, "", { $blob: "", bytes: 0 }, 0]]);
    expect(page.columns.map(({ name }) => name)).toEqual(["x", "x", "x", "x"]);
    const empty = await database.read({ sql: "SELECT name FROM people WHERE 0" });
    expect(empty).toEqual({ columns: [{ name: "name", type: "TEXT" }], rows: [], truncated: false });
  });

  it("cuts rows, cells and pages to their limits", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const rows = await database.read({ sql: "SELECT id FROM people", limit: 2 });
    expect(rows).toMatchObject({ rows: [[1], [2]], truncated: true });
    const cells = await database.read({
      sql: "SELECT printf('%.*c', 5000, 'x'), zeroblob(9)",
      maxCellBytes: 4,
    });
    expect(cells.rows).toEqual([
      [
        { $text: "xxxx", bytes: 5000, truncated: true },
        { $blob: "AAAAAA==", bytes: 9, truncated: true },
      ],
    ]);
    const bytes = await database.read({ sql: "SELECT printf('%.*c', 300, 'x') FROM people", maxBytes: 700 });
    expect(bytes).toMatchObject({ truncated: true, rows: [{ length: 1 }, { length: 1 }] });
    const wide = await database.read({
      sql: `SELECT ${Array<string>(200).fill("hex(zeroblob(50000))").join()}`,
      maxBytes: 100_000,
    });
    expect(JSON.stringify(wide.rows).length).toBeLessThan(150_000);
  });

  it("explains, without running", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const plan = await database.read({
      sql: "EXPLAIN QUERY PLAN SELECT * FROM people WHERE name = ?",
      params: ["Ada"],
    });
    expect(JSON.stringify(plan.rows)).toContain("SEARCH people USING INDEX");
    const opcodes = await database.read({ sql: "EXPLAIN SELECT * FROM people" });
    expect(opcodes.columns.map(({ name }) => name)).toContain("opcode");
  });

  it("answers many at once, each with its own result, in order", async () => {
    const database = open({ file: scratch.create("a.db", PEOPLE) });
    const order: number[] = [];
    const pages = await Promise.all(
      Array.from({ length: 300 }, async (_, at) => {
        const page = await database.read({ sql: "SELECT ?", params: [at] });
        order.push(at);
        return page.rows[0]?.[0];
      }),
    );
    expect(pages).toEqual(Array.from({ length: 300 }, (_, at) => at));
    expect(order).toEqual(pages);
  });
});
