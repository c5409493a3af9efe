import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { RowPage } from "../../../src/domain/protocol/statements.ts";
import { type OpenedDatabase, useDatabases, useLocalDatabases } from "../scratch.ts";
import { type Query, readAll } from "./pages.ts";

const { scratch, open } = useLocalDatabases();
const apart = useDatabases();

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

  it.each([SORTED, "SELECT id FROM t"])(
    "go on where they were when the same cursor is used again: %s",
    async (sql) => {
      const database = open({ file: create(journal) });
      const first = await database.read({ sql, limit: 2 });
      const cursor = first.next;
      expect(cursor).toBeDefined();
      const second = await database.read({ sql, limit: 2, ...(cursor ? { cursor } : {}) });
      const again = await database.read({ sql, limit: 2, ...(cursor ? { cursor } : {}) });
      expect([second.rows, again.rows]).toEqual([
        [[3], [4]],
        [[3], [4]],
      ]);
    },
  );
});

describe("a query without a key", () => {
  const next = async (database: OpenedDatabase, change: () => unknown): Promise<RowPage> => {
    const page = await database.read({ sql: SORTED, limit: 10 });
    await change();
    return database.read({ sql: SORTED, limit: 10, ...(page.next && { cursor: page.next }) });
  };

  it.each(JOURNALS)("runs again, on the data as they are by then, in the mode %s", async (journal) => {
    const file = create(journal);
    const database = open({ file, mode: "write" });
    const same = await next(database, () => {});
    expect(same.rows[0]).toEqual([11]);
    const dry = await next(database, () => database.write({ sql: "DELETE FROM t", dryRun: true }));
    expect(dry.rows).toEqual(same.rows);
    const other = new Database(file);
    const shifted = await next(database, () => other.exec("DELETE FROM t WHERE id < 3"));
    other.close();
    expect(shifted.rows[0]).toEqual([13]);
  });

  it("continues in another process", async () => {
    const database = apart.open({ file: create("wal") });
    const endless = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT count(*) FROM n";
    const page = await next(database, () =>
      expect(database.read({ sql: endless }, AbortSignal.timeout(100))).rejects.toMatchObject({
        code: "timeout",
      }),
    );
    expect(page.rows[0]).toEqual([11]);
    expect(database.children).toHaveLength(2);
  });

  it("leaves no snapshot behind", async () => {
    const file = create("wal");
    const database = open({ file, mode: "write" });
    await next(database, () => database.write({ sql: "DELETE FROM t WHERE id = 3" }));
    const other = new Database(file);
    expect(other.pragma("wal_checkpoint(TRUNCATE)")).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    other.close();
  });
});
