import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type CursorPlace, isCursorPlace } from "../../../src/domain/protocol/statements.ts";
import type { Cell } from "../../../src/domain/values/cell.ts";
import { useLocalDatabases } from "../scratch.ts";
import { COUNT, SCHEMA } from "./keys.ts";
import { type Query, readAll } from "./pages.ts";

const { scratch, open } = useLocalDatabases();

const KEYED: Query[] = [
  { sql: "SELECT * FROM t" },
  { sql: "select x, ID from T" },
  { sql: "SELECT x FROM t" },
  { sql: "SELECT * FROM t ORDER BY id DESC" },
  { sql: "SELECT id AS number, upper(x) FROM t AS other WHERE kind <> ? AND id > ?", params: ["k1", 30] },
  { sql: "SELECT * FROM t WHERE id BETWEEN :low AND :high", params: { low: 50, high: 700 } },
  { sql: "SELECT * FROM t WHERE kind = 'k1'" },
  { sql: "SELECT id, kind FROM t WHERE kind > 'k1'" },
  { sql: "SELECT id, kind, x FROM t WHERE kind >= 'k1' ORDER BY kind" },
  { sql: "SELECT x, id FROM t ORDER BY x COLLATE NOCASE" },
  { sql: "SELECT * FROM w" },
  { sql: "SELECT b, a FROM w WHERE c % 3 = 0 ORDER BY a DESC, b DESC" },
  { sql: "SELECT * FROM w WHERE a = 'b'" },
  { sql: "SELECT * FROM p ORDER BY name" },
  { sql: "SELECT DISTINCT id, y FROM d -- and a comment" },
];

const COUNTED = [
  "SELECT id FROM t",
  "SELECT rowid, * FROM t",
  "SELECT id + 0, lower(x) FROM t",
  "SELECT * FROM main.t",
  "SELECT * FROM t NOT INDEXED WHERE rowid > 5",
  "SELECT * FROM t INDEXED BY by_kind WHERE kind > ''",
  "WITH q AS (SELECT * FROM t) SELECT * FROM q",
  "SELECT * FROM v",
  "SELECT * FROM t LIMIT 100",
  "SELECT id, x FROM t WHERE id < 100 UNION ALL SELECT 3, 'again'",
  "SELECT id, count(*) FROM t GROUP BY id",
  "SELECT id, row_number() OVER (ORDER BY id) FROM t",
  "SELECT a.* FROM t AS a JOIN t AS b USING (id)",
  "SELECT * FROM t WHERE kind = 'k1' ORDER BY kind DESC, id DESC",
  "SELECT id, y FROM d WHERE y = 3",
  "SELECT id, y FROM d WHERE y + 1 = 3",
  "SELECT a FROM plain",
  "SELECT * FROM t WHERE id > ?1",
  "SELECT * FROM t WHERE id > :__behind_0",
  "SELECT * FROM t WHERE id > @__behind_0",
];

describe("a query that returns the key by whose order it goes", () => {
  it("continues by that key", async () => {
    const file = scratch.create("a.db", SCHEMA);
    const direct = new Database(file, { readonly: true });
    let database = open({ file });
    for (const query of KEYED) {
      const { sql, params } = query;
      const expected = direct
        .prepare(sql)
        .raw(true)
        .all(...(params === undefined ? [] : [params]));
      let pages = 0;
      const rows = await readAll(
        () => database,
        { limit: 19, ...query },
        async ({ next }) => {
          expect(next, sql).toEqual([0, expect.stringMatching(/^[\da-f]{4}$/), ...(next?.slice(2) ?? [])]);
          pages += 1;
          // A new process takes a while: once it is another, then the same.
          if (pages > 1) return;
          await database.dispose();
          database = open({ file });
        },
      );
      expect(expected.length, sql).toBeGreaterThan(20);
      expect(rows, sql).toEqual(expected);
    }
    direct.close();
  });

  it.each(["wal", "delete"])(
    "misses and repeats nothing while others write, in the mode %s",
    async (mode) => {
      const file = scratch.create("a.db", `PRAGMA journal_mode = ${mode}; ${SCHEMA}`);
      const database = open({ file, mode: "write" });
      const other = new Database(file);
      const all = other.prepare("SELECT id FROM t ORDER BY id").pluck();
      const seen: Cell[] = [];
      const rows = await readAll(
        () => database,
        { sql: "SELECT id FROM t ORDER BY id" },
        async (page) => {
          seen.push(...page.rows.map(([id]) => id ?? null));
          const last = Number(seen.at(-1));
          // Behind the place: never seen. Before it: all of them are.
          other.exec(
            `INSERT INTO t (id) VALUES (${last - 1}), (${last + 1}); DELETE FROM t WHERE id IN (${last}, ${last + 3})`,
          );
          await database.write({ sql: `UPDATE t SET kind = 'new' WHERE id < ${last}` });
          expect((all.all() as number[]).find((id) => id > last)).toBe(last + 1);
        },
      );
      const left = new Set(all.all() as number[]);
      other.close();
      const ids = rows.map(([id]) => id as number);
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
      expect([...left].filter((id) => id % 3 === 0 && !ids.includes(id))).toEqual([]);
      expect(ids.filter((id) => id % 3 === 1).length).toBeGreaterThan(30);
      expect(ids.filter((id) => id % 3 === 2)).toEqual([]);
    },
  );

  it("knows every value of a key exactly", async () => {
    const values = [
      "-9223372036854775808", "-9007199254740993", "-1e300", "-0.5", "0", "0.1", "9007199254740993", "9007199254740994",
      "9223372036854775807", "9e999", "''", "'A'", "'a'", "'a' || char(0) || 'b'", "'''\"'", "'é'", "'😀'", "x''", "x'00'", "x'00ff'", "x'ff'",
    ]; // prettier-ignore
    const script = `CREATE TABLE k (v PRIMARY KEY) WITHOUT ROWID; ${values.map((value) => `INSERT INTO k VALUES (${value});`).join("")}`;
    const database = open({ file: scratch.create("a.db", script) });
    const [whole, ...back] = await Promise.all([
      database.read({ sql: "SELECT quote(v), v FROM k" }),
      readAll(
        () => database,
        { sql: "SELECT quote(v), v FROM k", limit: 1 },
        ({ next }) => expect(next).toHaveLength(3),
      ),
      readAll(() => database, { sql: "SELECT quote(v), v FROM k ORDER BY v DESC", limit: 1 }),
    ]);
    expect(whole.rows).toHaveLength(values.length);
    expect(back[0]).toEqual(whole.rows);
    expect(back[1]).toEqual(whole.rows.toReversed());
  });

  it("counts rows behind the last key where a key cannot be told", async () => {
    const script = `
      CREATE TABLE k (id INTEGER PRIMARY KEY, v TEXT UNIQUE);
      INSERT INTO k (v) VALUES (NULL), (NULL), ('a'), ('b' || printf('%.*c', 1000, 'x')), ('c'), (CAST(x'64ff' AS TEXT)), ('e');`;
    const file = scratch.create("a.db", `PRAGMA journal_mode = wal; ${script}`);
    const database = open({ file });
    const ways: string[] = [];
    const rows = await readAll(
      () => database,
      { sql: "SELECT id, v FROM k ORDER BY v", limit: 1 },
      ({ next }) => ways.push(`${next?.[1] === undefined ? "start" : "key"}+${next?.[0]}`),
    );
    expect(rows.map(([id]) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(ways).toEqual(["start+1", "start+2", "key+0", "key+1", "key+0", "key+1"]);
    const again = await readAll(() => database, { sql: "SELECT id, v FROM k ORDER BY v", limit: 2 });
    expect(again).toHaveLength(7);
  });

  it("says so when the table is another by now", async () => {
    const file = scratch.create("a.db", SCHEMA);
    const database = open({ file });
    const sql = "SELECT * FROM t";
    const { next } = await database.read({ sql, limit: 7 });
    const other = new Database(file);
    other.exec("ALTER TABLE t RENAME TO old; CREATE TABLE t AS SELECT * FROM old");
    other.close();
    await expect(database.read({ sql, ...(next && { cursor: next }) })).rejects.toMatchObject({
      code: "precondition_failed",
      message: "The result cannot be continued: the table's order was changed.",
    });
  });

  it("leaves no snapshot behind where a place is refused", async () => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = wal; ${SCHEMA}`);
    const database = open({ file, mode: "write" });
    const sql = "SELECT * FROM t ORDER BY lower(x)";
    const cursor: CursorPlace = [1, "", 1];
    await expect(database.read({ sql, cursor })).rejects.toMatchObject({ code: "precondition_failed" });
    await database.write({ sql: "DELETE FROM t WHERE id = 3" });
    const other = new Database(file);
    expect(other.pragma("wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    other.close();
  });

  it("takes nothing amiss in a place that somebody made up", async () => {
    const database = open({ file: scratch.create("a.db", SCHEMA) });
    const sql = "SELECT * FROM t";
    const { next } = await database.read({ sql, limit: 7 });
    const key = next?.[1];
    const bad: unknown[] = [
      {},
      [1],
      { $int: "1 OR 1" },
      { $int: 5 },
      { $int: ["5"] },
      { $blob: 5 },
      { $real: {} },
      { $real: { toString: 1 } },
    ];
    // Tools let nothing of another shape through.
    const misshapen: unknown[] = [
      ...[{}, 7, [], null].map((other) => [0, other, 1]),
      {},
      null,
      7,
      "xy",
      [],
      [-1],
      [0.5],
      ["1"],
      [1e300, key, 1],
      [null],
    ];
    expect(misshapen.filter(isCursorPlace)).toEqual([]);
    const places: unknown[] = [...bad.map((value) => [0, key, value]), [0, "xy", 1]];
    for (const cursor of places as CursorPlace[]) {
      await expect(database.read({ sql, cursor }), JSON.stringify(cursor)).rejects.toMatchObject({
        code: expect.stringMatching(/^(precondition_failed|invalid_input)$/) as unknown,
      });
    }
  });

  it("goes no further than the end, whatever a place says", async () => {
    const database = open({ file: scratch.create("a.db", SCHEMA) });
    const sql = "SELECT a FROM plain";
    expect((await database.read({ sql, cursor: [1e15] })).rows).toEqual([]);
  });

  it("knows that SQLite goes other ways with other values", async () => {
    const script = `
      CREATE TABLE l (id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX by_name ON l (name COLLATE NOCASE);
      INSERT INTO l ${COUNT} SELECT x, 'a' || (1000 - x) FROM n;
      CREATE TABLE m (id INTEGER PRIMARY KEY, k INT, b INT); CREATE INDEX mp ON m (k) WHERE b = 5;
      INSERT INTO m ${COUNT} SELECT x, 1000 - x, 5 + x % 2 FROM n;`;
    const database = open({ file: scratch.create("a.db", script) });
    for (const [sql, all] of [
      ["SELECT id, name FROM l WHERE name LIKE ?", ["%a%", "a%", "%a%", "a%"]],
      ["SELECT id, k, b FROM m WHERE b = ? AND k > 0", [6, 5, 6, 5]],
    ] as const) {
      for (const param of all) {
        const whole = await database.read({ sql, params: [param], limit: 1000 });
        const rows = await readAll(() => database, { sql, params: [param], limit: 20 });
        expect(whole.rows.length).toBeGreaterThan(100);
        expect(rows, `${sql} ${param}`).toEqual(whole.rows);
      }
    }
  });

  it("goes on in no other order than before", async () => {
    const file = scratch.create(
      "a.db",
      `CREATE TABLE t (id INTEGER PRIMARY KEY, u INT, x); INSERT INTO t ${COUNT} SELECT x, 1000 - x, x FROM n`,
    );
    const database = open({ file });
    const sql = "SELECT id, u FROM t";
    const { next } = await database.read({ sql, limit: 1 });
    const other = new Database(file);
    other.exec("CREATE UNIQUE INDEX tu ON t (u)");
    other.close();
    await expect(database.read({ sql, ...(next && { cursor: next }) })).rejects.toMatchObject({
      code: "precondition_failed",
    });
  });

  it("counts rows past text that SQLite cannot compare as it was", async () => {
    const script = `PRAGMA encoding = 'UTF-16le'; PRAGMA journal_mode = wal; CREATE TABLE k (v TEXT PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO k VALUES ('a'), (CAST(x'feff' AS TEXT)), (CAST(x'ffff' AS TEXT)), (char(65533)), (char(128512));`;
    const database = open({ file: scratch.create("a.db", script) });
    for (const sql of ["SELECT * FROM k", "SELECT * FROM k ORDER BY v DESC"]) {
      expect(await readAll(() => database, { sql, limit: 1 })).toHaveLength(5);
    }
  });
});

describe("a query without such a key", () => {
  it("counts rows", async () => {
    const file = scratch.create("a.db", `PRAGMA journal_mode = wal; ${SCHEMA}`);
    const database = open({ file });
    for (const sql of COUNTED) {
      const params = /[?:@]/.test(sql) ? { params: [5] } : {};
      const whole = await database.read({ sql, ...params, limit: 1000 });
      const rows = await readAll(
        () => database,
        { sql, ...params, limit: 20 },
        ({ next }) => expect(next, sql).toEqual([expect.any(Number)]),
      );
      expect(whole.truncated, sql).toBe(false);
      expect(whole.rows.length, sql).toBeGreaterThan(20);
      expect(rows, sql).toEqual(whole.rows);
    }
  });
});
