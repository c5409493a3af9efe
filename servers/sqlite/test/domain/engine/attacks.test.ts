import { Fault } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import type { DatabaseProcess } from "../../../src/domain/engine/database-process.ts";
import { useChildProgram } from "../child-program.ts";
import { reading, schema } from "../corpus.ts";
import { unstopped, useDatabases, useScratch } from "../scratch.ts";

const program = useChildProgram();
const scratch = useScratch();
const open = useDatabases(program);

/** A schema by somebody who means harm: views and triggers that would do more than they look like. */
const HOSTILE = `
  CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);
  INSERT INTO t VALUES (1, 'ATTACH DATABASE ''x'' AS y'), (2, 'two');
  CREATE TABLE pragma (attach, "delete", vacuum);
  INSERT INTO pragma VALUES ('PRAGMA query_only=0', ';DROP TABLE t;', '--');
  CREATE TABLE sink (x);
  CREATE VIEW innocent AS SELECT a FROM t;
  CREATE TRIGGER hidden INSTEAD OF INSERT ON innocent BEGIN DELETE FROM t; END;
  CREATE VIEW loader AS SELECT load_extension('/nonexistent') AS x;
  CREATE VIEW tokenizer AS SELECT fts3_tokenizer('simple') AS x;
  CREATE VIEW optimizer AS SELECT * FROM pragma_optimize;
  CREATE TRIGGER loading AFTER UPDATE ON sink BEGIN SELECT load_extension('/nonexistent'); END;
  CREATE TRIGGER stats AFTER DELETE ON sink BEGIN DELETE FROM sqlite_stat1; END;
  CREATE VIRTUAL TABLE words USING fts5(w);
  CREATE INDEX i ON t (b);
  INSERT INTO sink VALUES (1);
  ANALYZE;
`;

/** Everything that must not happen, whoever asks. \`OUT\` is a file that must not appear. */
const ALWAYS = [
  "PRAGMA query_only = 0",
  "PRAGMA query_only(0)",
  "PRAGMA main.journal_mode = WAL",
  "PRAGMA writable_schema = ON",
  "PRAGMA user_version = 7",
  "PRAGMA temp_store_directory = '/'",
  "EXPLAIN PRAGMA query_only = 0",
  "EXPLAIN QUERY PLAN PRAGMA query_only = 0",
  "eXpLaIn/**/pRaGmA query_only=0",
  "-- SELECT\nPRAGMA query_only=0",
  "/* SELECT 1; */ PRAGMA query_only=0",
  "\uFEFFPRAGMA query_only=0",
  "SELECT 1; PRAGMA query_only=0",
  "SELECT 1;;;\n--\nPRAGMA query_only=0",
  "SELECT 1\0; PRAGMA query_only=0",
  "ATTACH 'OUT' AS other",
  "ATTACH DATABASE 'OUT' AS other KEY 'x'",
  "EXPLAIN ATTACH 'OUT' AS other",
  "attach(':memory:') as m",
  "DETACH main",
  "VACUUM",
  "VACUUM INTO 'OUT'",
  "EXPLAIN VACUUM INTO 'OUT'",
  "VACUUM main INTO 'OUT'",
  "BEGIN",
  "BEGIN EXCLUSIVE",
  "COMMIT",
  "END TRANSACTION",
  "ROLLBACK",
  "SAVEPOINT s",
  "RELEASE s",
  "CREATE TEMP TABLE shadow (a)",
  "CREATE TEMP VIEW t AS SELECT 'forged'",
  "CREATE TEMPORARY TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
  "CREATE TABLE temp.shadow (a)",
  "CREATE VIRTUAL TABLE v USING csv(filename='OUT')",
  "CREATE VIRTUAL TABLE v USING fts3tokenize('simple')",
  "CREATE VIRTUAL TABLE v USING dbstat",
  "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x (a)')",
  "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (x)' WHERE name = 't'",
  "DELETE FROM sqlite_master",
  "DELETE FROM main.sqlite_stat1",
  "DELETE FROM sqlite_stat1 WHERE tbl = 't'",
  "INSERT INTO sqlite_stat1 VALUES ('t', 'i', '1 1')",
  "UPDATE sqlite_stat1 SET stat = '1 1'",
  "WITH x AS (SELECT 1) UPDATE sqlite_stat1 SET stat = '1 1'",
  "DELETE FROM sink",
  "UPDATE sink SET x = 2",
  "INSERT INTO sink SELECT load_extension('/nonexistent')",
  "INSERT INTO sink SELECT * FROM pragma_optimize",
  "INSERT INTO words_data VALUES (1, x'00')",
  "DELETE FROM words_config",
  "DROP TABLE words_data",
  "DROP TABLE sqlite_master",
  "ALTER TABLE sqlite_master RENAME TO x",
  "CREATE TABLE sqlite_own (a)",
  "CREATE TRIGGER g AFTER INSERT ON sqlite_master BEGIN SELECT 1; END",
  "REPLACE INTO sqlite_sequence SELECT readfile('/etc/passwd'), 1",
];
const READ_ONLY = [
  "INSERT INTO t VALUES (3, 'x')",
  "INSERT INTO t VALUES (3, 'x') RETURNING a",
  "INSERT INTO innocent VALUES (1)",
  "UPDATE t SET b = 'x'",
  "DELETE FROM t",
  "REPLACE INTO t VALUES (1, 'x')",
  "EXPLAIN DELETE FROM t",
  "WITH x AS (SELECT 1) DELETE FROM t",
  "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
  "SELECT * FROM (DELETE FROM t RETURNING *)",
  "CREATE TABLE x (a)",
  "DROP TABLE t",
  "ALTER TABLE t ADD COLUMN c",
  "ANALYZE",
  "REINDEX",
  "SELECT load_extension('/nonexistent')",
  "SELECT \"LOAD_EXTENSION\"('/nonexistent', 'main')",
  "SELECT 1 WHERE load_extension('/nonexistent') IS NULL",
  "SELECT * FROM t ORDER BY load_extension('/nonexistent')",
  "SELECT * FROM loader",
  "SELECT * FROM tokenizer",
  "SELECT * FROM optimizer",
  "SELECT fts3_tokenizer('simple', x'0000000000000000')",
  "SELECT writefile('OUT', 'x')",
  "SELECT readfile('/etc/passwd')",
  "SELECT edit('x', 'touch OUT')",
  "SELECT * FROM sqlite_dbpage",
  "SELECT * FROM pragma_optimize",
  "SELECT * FROM PRAGMA_OPTIMIZE('0xffff')",
  "SELECT * FROM 'pragma_journal_mode'",
  "SELECT * FROM [pragma_query_only], t",
  "SELECT * FROM main.pragma_database_list",
  "SELECT * FROM t WHERE a IN (SELECT wal FROM pragma_wal_checkpoint)",
  "SELECT * FROM temp.sqlite_master",
  "VALUES (1) UNION INSERT INTO t VALUES (9, 'x')",
];

const at = (sql: string): string => sql.replaceAll("OUT", scratch.path("out"));

async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    return `not refused: ${JSON.stringify(await call)}`;
  } catch (thrown) {
    return thrown instanceof Fault ? thrown.code : `no fault: ${String(thrown)}`;
  }
}

const REFUSED = /^(permission_denied|invalid_input)$/;

async function expectWhole(database: DatabaseProcess): Promise<void> {
  const page = await database.read({ sql: "SELECT * FROM t, pragma" }, unstopped());
  expect(page.rows).toHaveLength(2);
}

describe("reading", () => {
  it.each(["read", "write"] as const)(
    "refuses every attack on a database that is open to %s, and changes no byte",
    async (mode) => {
      const file = scratch.create("a.db", HOSTILE);
      const before = scratch.snapshot();
      const database = open({ file, mode, allowDdl: mode === "write" });
      for (const sql of [...ALWAYS, ...READ_ONLY].map(at)) {
        expect(`${sql}: ${await refusalOf(database.read({ sql }, unstopped()))}`).toMatch(
          /: (permission_denied|invalid_input)$/,
        );
      }
      await expectWhole(database);
      await database.dispose();
      expect(scratch.snapshot()).toEqual(before);
      expect(database.starts).toBe(1);
    },
  );

  it("refuses them in memory too, where the same connection writes", async () => {
    const database = open({ file: ":memory:", mode: "write", allowDdl: true });
    await database.batch(
      {
        statements: [
          { sql: "CREATE TABLE t (a, b)" },
          { sql: "CREATE TABLE sink (x)" },
          { sql: "INSERT INTO t VALUES (1, 2)" },
        ],
      },
      unstopped(),
    );
    for (const sql of [...ALWAYS, ...READ_ONLY].map(at)) {
      expect(`${sql}: ${await refusalOf(database.read({ sql }, unstopped()))}`).toMatch(
        /: (permission_denied|invalid_input)$/,
      );
    }
    expect(
      (await database.read({ sql: "SELECT (SELECT count(*) FROM sqlite_schema), a, b FROM t" }, unstopped()))
        .rows,
    ).toEqual([[2, 1, 2]]);
    expect(scratch.snapshot()).toEqual({});
  });

  it("does not take names and texts for what they look like", async () => {
    const database = open({ file: scratch.create("a.db", HOSTILE) });
    const harmless = [
      "SELECT replace('a', 'a', 'b') AS x",
      'SELECT attach, "delete", vacuum FROM pragma',
      "SELECT pragma.attach FROM pragma",
      "SELECT 'PRAGMA query_only=0; ATTACH x' AS pragma",
      'WITH pragma AS (SELECT 1 AS "attach") SELECT attach FROM pragma',
      "WITH replace AS (SELECT 1) SELECT * FROM replace",
      'SELECT 1 AS begin_, 2 AS "commit" -- COMMIT',
      "SELECT b FROM t WHERE b LIKE 'ATTACH%' OR b = ';'",
      "SELECT name FROM pragma_table_info('t') UNION SELECT name FROM pragma_index_list('t')",
      "SELECT 'pragma_optimize' WHERE 'x' IN ('pragma_optimize', 'x')",
      "SELECT pragma_optimize FROM (SELECT 1 AS pragma_optimize)",
      "SELECT * FROM innocent",
    ];
    for (const sql of harmless) {
      const page = await database.read({ sql }, unstopped());
      expect(page.rows.length, sql).toBeGreaterThan(0);
    }
  });

  it("lets every kind of query through", async () => {
    const database = open({ file: scratch.create("a.db", schema) });
    for (const sql of reading) {
      const params = sql.includes("?") ? [1] : [];
      expect(await database.read({ sql, params }, unstopped()), sql).toHaveProperty("columns");
    }
  });
});

describe("writing", () => {
  it("refuses every attack, whatever may be changed, and leaves the file as it was", async () => {
    const file = scratch.create("a.db", HOSTILE);
    const before = scratch.snapshot();
    const database = open({ file, mode: "write", allowDdl: true });
    for (const sql of ALWAYS.map(at)) {
      expect(`${sql}: ${await refusalOf(database.write({ sql }, unstopped()))}`).toMatch(
        /: (permission_denied|invalid_input)$/,
      );
      expect(
        `${sql}: ${await refusalOf(database.write({ sql, sample: 1, dryRun: true }, unstopped()))}`,
      ).toMatch(/: (permission_denied|invalid_input)$/);
    }
    const together = ALWAYS.map((sql) => ({ sql: at(sql) }));
    expect(await refusalOf(database.batch({ statements: together }, unstopped()))).toMatch(REFUSED);
    await expectWhole(database);
    await database.dispose();
    expect(scratch.snapshot()).toEqual(before);
    expect(database.starts).toBe(1);
  });

  it("keeps no setting and no lock from one call to the next", async () => {
    const database = open({
      file: scratch.create("a.db", `${HOSTILE} CREATE TABLE child (p REFERENCES t (a));`),
      mode: "write",
      allowDdl: true,
    });
    for (const sql of ALWAYS.map(at)) await refusalOf(database.write({ sql }, unstopped()));
    expect(await refusalOf(database.write({ sql: "INSERT INTO child VALUES (77)" }, unstopped()))).toBe(
      "conflict",
    );
    expect(await database.write({ sql: "INSERT INTO t VALUES (3, 'three')" }, unstopped())).toMatchObject({
      changes: 1,
    });
    expect(await refusalOf(database.read({ sql: "DELETE FROM t" }, unstopped()))).toBe("permission_denied");
  });

  it("lets AUTOINCREMENT, triggers and virtual tables do their work", async () => {
    const database = open({ file: scratch.create("a.db", schema), mode: "write", allowDdl: true });
    const statements = [
      { sql: "INSERT INTO p (name) VALUES ('new')" },
      { sql: "INSERT INTO c (pid, t) VALUES (1, 'fires')" },
      { sql: "INSERT INTO ft VALUES ('full', 'text')" },
      { sql: "INSERT INTO vw (name) VALUES ('through a view')" },
      { sql: "CREATE VIRTUAL TABLE more USING fts5(x)" },
      { sql: "INSERT INTO more VALUES ('y')" },
      { sql: "ANALYZE" },
    ];
    expect((await database.batch({ statements }, unstopped())).results).toHaveLength(7);
    expect((await database.read({ sql: "SELECT count(*) FROM log" }, unstopped())).rows).toEqual([[4]]);
  });
});
