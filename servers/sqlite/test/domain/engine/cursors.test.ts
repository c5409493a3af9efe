import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Page } from "../../../src/domain/protocol.ts";
import { useChildProgram } from "../child-program.ts";
import { unstopped, useDatabases, useScratch } from "../scratch.ts";
import { type Query, readAll } from "./pages.ts";

const program = useChildProgram();
const scratch = useScratch();
const open = useDatabases(program);

const ROWS = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, g INTEGER, s TEXT);
  INSERT INTO t WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000)
    SELECT x, (x * 7919) % 13, printf('%.*c', x % 50, 'é') FROM n;
`;
const JOURNALS = ["wal", "delete"] as const;
/** Sorted, so that no key tells where a page ended. */
const SORTED = "SELECT id FROM t ORDER BY g * 0, id";
const create = (journal: string): string =>
  scratch.create("a.db", `PRAGMA journal_mode = ${journal}; ${ROWS}`);

describe.each(JOURNALS)("pages in a database with the journal mode %s", (journal) => {
  it("make up the whole result, by rows and by bytes", async () => {
    const file = create(journal);
    const direct = new Database(file, { readonly: true });
    const database = open({ file });
    const queries: Query[] = [
      { sql: "SELECT * FROM t", limit: 100 },
      { sql: "SELECT * FROM t", limit: 999 },
      { sql: "SELECT * FROM t", limit: 1000 },
      { sql: "SELECT * FROM t", maxBytes: 5000, limit: 10_000 },
      { sql: "SELECT g, count(*), group_concat(id) FROM t GROUP BY g ORDER BY 2 DESC, 1", limit: 3 },
      { sql: SORTED, limit: 333 },
      { sql: "SELECT s FROM t WHERE id % :k = 0 ORDER BY g DESC, id", params: { k: 3 }, limit: 37 },
      {
        sql: "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 50) SELECT x FROM n",
        limit: 7,
      },
      { sql: "VALUES (1), (2), (3)", limit: 1 },
    ];
    for (const query of queries) {
      const expected = direct
        .prepare(query.sql)
        .raw(true)
        .all(...(query.params ? [query.params] : []));
      expect(await readAll(() => database, query), query.sql).toEqual(expected);
    }
    direct.close();
  });

  it.each([SORTED, "SELECT * FROM t"])("never keep a writer waiting: %s", async (sql) => {
    const file = create(journal);
    const database = open({ file, mode: "write" });
    const page = await database.read({ sql, limit: 10 }, unstopped());
    expect(page.next).toBeDefined();
    // No wait at all: what is locked fails at once.
    const other = new Database(file, { timeout: 0 });
    other.exec("UPDATE t SET g = 0 WHERE id > 500");
    other.close();
    expect(await database.write({ sql: "UPDATE t SET g = 1 WHERE id > 900" }, unstopped())).toMatchObject({
      changes: 100,
    });
  });

  it.each([SORTED, "SELECT id FROM t"])(
    "go on where they were when the same cursor is used again: %s",
    async (sql) => {
      const database = open({ file: create(journal) });
      const first = await database.read({ sql, limit: 2 }, unstopped());
      const cursor = first.next;
      expect(cursor).toBeDefined();
      const second = await database.read({ sql, limit: 2, ...(cursor ? { cursor } : {}) }, unstopped());
      const again = await database.read({ sql, limit: 2, ...(cursor ? { cursor } : {}) }, unstopped());
      expect([second.rows, again.rows]).toEqual([
        [[3], [4]],
        [[3], [4]],
      ]);
    },
  );

  it("survive many others, and the time for which a snapshot is held", async () => {
    const database = open({ file: create(journal), cursors: 2, cursorMs: 50 });
    const sql = "SELECT id FROM t WHERE id > ? ORDER BY g * 0, id";
    const firsts = await Promise.all(
      Array.from({ length: 5 }, (_, at) => database.read({ sql, params: [at], limit: 2 }, unstopped())),
    );
    await new Promise((resolve) => setTimeout(resolve, 150));
    const outcomes = await Promise.all(
      firsts.map(async ({ next }, at) => {
        const page = await database.read(
          { sql, params: [at], limit: 2, ...(next ? { cursor: next } : {}) },
          unstopped(),
        );
        return page.rows;
      }),
    );
    expect(outcomes).toEqual(firsts.map((_, at) => [[at + 3], [at + 4]]));
  });
});

describe("a snapshot in WAL mode", () => {
  it("gives a page again, whatever was written meanwhile", async () => {
    const file = create("wal");
    const database = open({ file, mode: "write" });
    const sql = SORTED;
    const { next } = await database.read({ sql, limit: 2 }, unstopped());
    const cursor = next ? { cursor: next } : {};
    await database.read({ sql, limit: 2, ...cursor }, unstopped());
    await database.write({ sql: "DELETE FROM t" }, unstopped());
    const again = await database.read({ sql, limit: 2, ...cursor }, unstopped());
    expect(again.rows).toEqual([[3], [4]]);
    const onward = await database.read(
      { sql, limit: 2, ...(again.next ? { cursor: again.next } : {}) },
      unstopped(),
    );
    expect(onward.rows).toEqual([[5], [6]]);
  });

  it("stays what it was while others write", async () => {
    const file = create("wal");
    const database = open({ file, mode: "write" });
    const other = new Database(file);
    let id = 10_000;
    const rows = await readAll(
      () => database,
      { sql: "SELECT id FROM t ORDER BY g, id", limit: 100 },
      async () => {
        other.exec(`DELETE FROM t WHERE id = ${id - 9_990}; INSERT INTO t VALUES (${(id += 1)}, 0, '')`);
        await database.write({ sql: "UPDATE t SET g = 99 WHERE id = 500" }, unstopped());
      },
    );
    other.close();
    expect(rows).toHaveLength(1000);
    expect(new Set(rows.flat()).size).toBe(1000);
    expect(Math.max(...(rows.flat() as number[]))).toBe(1000);
  });

  it("goes on for what depends on chance", async () => {
    const database = open({ file: create("wal") });
    const rows = await readAll(() => database, { sql: "SELECT id, random() FROM t ORDER BY 2", limit: 300 });
    expect(new Set(rows.map(([id]) => id)).size).toBe(1000);
  });
});

describe("without a snapshot", () => {
  const changed = {
    code: "precondition_failed",
    message: "The result cannot be continued: the data changed since the last page.",
  };

  it("says that the data changed, whoever changed it", async () => {
    const file = create("delete");
    const database = open({ file, mode: "write" });
    const sql = SORTED;
    const continued = async (change: () => unknown): Promise<Page> => {
      const { next } = await database.read({ sql, limit: 10 }, unstopped());
      await change();
      return database.read({ sql, limit: 10, ...(next ? { cursor: next } : {}) }, unstopped());
    };
    const other = new Database(file);
    await expect(continued(() => other.exec("DELETE FROM t WHERE id = 900"))).rejects.toMatchObject(changed);
    other.close();
    await expect(
      continued(() => database.write({ sql: "DELETE FROM t WHERE id = 901" }, unstopped())),
    ).rejects.toMatchObject(changed);
    const dry = await continued(() => database.write({ sql: "DELETE FROM t", dryRun: true }, unstopped()));
    expect(dry.rows[0]?.[0]).toBe(11);
  });

  it("offers no way on where the result depends on more than the data", async () => {
    const database = open({ file: create("delete") });
    const page = await database.read({ sql: "SELECT id FROM t ORDER BY random()", limit: 10 }, unstopped());
    expect(page.truncated).toBe(true);
    expect(page.next).toBeUndefined();
  });

  it("works in memory, until something is written", async () => {
    const database = open({ file: ":memory:", mode: "write", allowDdl: true });
    const statements = ROWS.split(";\n")
      .filter((sql) => sql.trim() !== "")
      .map((sql) => ({ sql }));
    await database.batch({ statements }, unstopped());
    expect(await readAll(() => database, { sql: SORTED, limit: 300 })).toHaveLength(1000);
    const { next } = await database.read({ sql: SORTED, limit: 300 }, unstopped());
    await database.write({ sql: "DELETE FROM t WHERE id = 1" }, unstopped());
    await expect(
      database.read({ sql: SORTED, limit: 300, ...(next ? { cursor: next } : {}) }, unstopped()),
    ).rejects.toMatchObject(changed);
  });
});

describe("a cursor of another process", () => {
  it("is refused, as everything it counted is gone", async () => {
    const database = open({ file: create("wal") });
    const { next } = await database.read({ sql: SORTED, limit: 10 }, unstopped());
    const endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n";
    await expect(database.read({ sql: endless }, AbortSignal.timeout(100))).rejects.toMatchObject({
      code: "timeout",
    });
    await expect(
      database.read({ sql: SORTED, ...(next ? { cursor: next } : {}) }, unstopped()),
    ).rejects.toMatchObject({
      code: "precondition_failed",
      message: "The result cannot be continued: the database was reopened since the last page.",
    });
  });
});
