import { inSoak } from "../support/soak.ts";

/**
 * A schema by somebody who means harm: views and triggers that do more than they look like, and names that are words of SQL.
 * SECRET is a file that lies beside, with something in it that must not come out.
 */
export const HOSTILE = `
  CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT CHECK (b <> 'bad'));
  INSERT INTO t VALUES (1, 'ATTACH DATABASE ''x'' AS y'), (2, 'two');
  CREATE TABLE child (p INT REFERENCES t (a));
  CREATE TABLE pragma (attach, "delete", vacuum);
  INSERT INTO pragma VALUES ('PRAGMA query_only=0', ';DROP TABLE t;', '--');
  CREATE TABLE sink (x);
  INSERT INTO sink VALUES (1);
  CREATE TABLE "a""b; DROP TABLE t; --" (x);
  CREATE VIEW innocent AS SELECT a FROM t;
  CREATE TRIGGER hidden INSTEAD OF INSERT ON innocent BEGIN DELETE FROM t; END;
  CREATE VIEW loader AS SELECT load_extension('SECRET') AS x;
  CREATE VIEW tokenizer AS SELECT fts3_tokenizer('simple') AS x;
  CREATE VIEW reader AS SELECT readfile('SECRET') AS x;
  CREATE VIEW optimizer AS SELECT * FROM pragma_optimize;
  CREATE VIEW lister AS SELECT * FROM pragma_database_list;
  CREATE TRIGGER loading AFTER UPDATE ON sink BEGIN SELECT load_extension('SECRET'); END;
  CREATE TRIGGER stats AFTER DELETE ON sink BEGIN DELETE FROM sqlite_stat1; END;
  CREATE VIRTUAL TABLE words USING fts5(w);
  CREATE INDEX i ON t (b);
  ANALYZE;
`;

/** What nobody may do, whatever else is allowed. OUT is a file that must not appear. */
export const ALWAYS: readonly string[] = [
  "PRAGMA query_only = 0",
  "PRAGMA query_only(0)",
  "PRAGMA main.journal_mode = WAL",
  "PRAGMA journal_mode = OFF",
  "PRAGMA writable_schema = ON",
  "PRAGMA writable_schema = RESET",
  "PRAGMA user_version = 7",
  "PRAGMA application_id = 7",
  "PRAGMA temp_store_directory = '/'",
  "PRAGMA foreign_keys = 0",
  "PRAGMA recursive_triggers = 1",
  "PRAGMA trusted_schema = 1",
  "PRAGMA case_sensitive_like = 1",
  "PRAGMA ignore_check_constraints = 1",
  "PRAGMA legacy_alter_table = 1",
  "PRAGMA synchronous = 0",
  "PRAGMA locking_mode = EXCLUSIVE",
  "PRAGMA mmap_size = 268435456",
  "PRAGMA cell_size_check = 0",
  "PRAGMA busy_timeout = 0",
  "PRAGMA cache_size = 1",
  "PRAGMA reverse_unordered_selects = 1",
  "PRAGMA optimize",
  "PRAGMA wal_checkpoint(TRUNCATE)",
  "PRAGMA incremental_vacuum",
  "PRAGMA database_list",
  "PRAGMA data_version",
  "PRAGMA shrink_memory",
  "PRAGMA key = 'x'",
  "PRAGMA module_list",
];

/** Other verbs that nobody may use. */
export const VERBS: readonly string[] = [
  "ATTACH 'OUT' AS other",
  "ATTACH DATABASE 'SECRET' AS other",
  "ATTACH DATABASE ('OUT') AS other KEY 'x'",
  "ATTACH 'file:SECRET?mode=ro' AS other",
  "ATTACH ':memory:' AS other",
  "ATTACH '' AS other",
  "ATTACH (SELECT b FROM t) AS other",
  "attach(':memory:') as m",
  "DETACH main",
  "DETACH DATABASE temp",
  "VACUUM",
  "VACUUM main",
  "VACUUM INTO 'OUT'",
  "VACUUM main INTO 'OUT'",
  "BEGIN",
  "BEGIN EXCLUSIVE",
  "COMMIT",
  "END TRANSACTION",
  "ROLLBACK",
  "SAVEPOINT s",
  "RELEASE s",
  ".shell touch OUT",
  ".read SECRET",
];

/** The same in clothes that no disguise has, and what is no statement at all. */
export const ODD: readonly string[] = [
  "; ; PRAGMA user_version=7",
  "\u00A0PRAGMA user_version=7",
  "ＰＲＡＧＭＡ user_version=7",
  "\fPRAGMA\u000Buser_version=7",
  "ATTACH/**/DATABASE/**/'file:SECRET?mode=rwc'/**/AS/**/x",
  "VACUUM--\nINTO 'OUT'",
  "BEGIN IMMEDIATE TRANSACTION",
  "ROLLBACK TO a",
  "SELECT 1; SELECT 2",
  "SELECT 1 /* ; */ ; PRAGMA query_only=0",
  "INSERT INTO t VALUES (3, 'x'); DROP TABLE t",
  "DELETE FROM t; --\n; ATTACH 'OUT' AS x",
  "DELETE FROM t\0 WHERE 0",
  "SELECT 'open",
  "",
  ";",
];

/** Statements of permitted kinds that reach for what belongs to SQLite, to temporary tables, or to code. */
export const REACHING: readonly string[] = [
  "CREATE TEMP TABLE shadow (a)",
  "CREATE TEMP VIEW t AS SELECT 'forged'",
  "CREATE TEMPORARY TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
  "CREATE TABLE temp.shadow (a)",
  'CREATE TABLE IF NOT EXISTS "temp".shadow AS SELECT 1',
  "CREATE VIEW [TEMP].v AS SELECT 1",
  "CREATE VIRTUAL TABLE v USING csv(filename='OUT')",
  "CREATE VIRTUAL TABLE v USING fts3tokenize('simple')",
  "CREATE VIRTUAL TABLE v USING dbstat",
  "CREATE VIRTUAL TABLE v USING fts4aux(words)",
  "CREATE VIRTUAL TABLE temp.v USING fts5(x)",
  "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x (a)')",
  "UPDATE sqlite_schema SET sql = 'CREATE TABLE t (x)' WHERE name = 't'",
  "DELETE FROM sqlite_master",
  "DELETE FROM main.sqlite_stat1",
  "DELETE FROM sqlite_stat1 WHERE tbl = 't'",
  "INSERT INTO sqlite_stat1 VALUES ('t', 'i', '1 1')",
  "WITH x AS (SELECT 1) UPDATE sqlite_stat1 SET stat = '1 1'",
  "DELETE FROM sink",
  "UPDATE sink SET x = 2",
  "INSERT INTO sink SELECT load_extension('SECRET')",
  "INSERT INTO sink SELECT * FROM pragma_optimize",
  "INSERT INTO sink SELECT readfile('SECRET')",
  "INSERT INTO sink SELECT * FROM reader",
  "INSERT INTO sink SELECT writefile('OUT', 'x')",
  "INSERT INTO words_data VALUES (1, x'00')",
  "DELETE FROM words_config",
  "DROP TABLE words_data",
  "DROP TABLE sqlite_master",
  "ALTER TABLE sqlite_master RENAME TO x",
  "CREATE TABLE sqlite_own (a)",
  "CREATE TRIGGER g AFTER INSERT ON sqlite_master BEGIN SELECT 1; END",
  "REPLACE INTO sqlite_sequence SELECT readfile('SECRET'), 1",
  'UPDATE "main"."sqlite_master" SET rootpage = 3',
  "DELETE FROM sqlite_temp_master",
  "INSERT INTO sink SELECT * FROM sqlite_dbpage",
  "UPDATE sqlite_dbpage SET data = zeroblob(4096)",
  "UPDATE t SET b = (SELECT * FROM pragma_query_only(0))",
  "DELETE FROM t WHERE fts3_tokenizer('simple') NOT NULL",
  "INSERT INTO pragma_user_version VALUES (7)",
  "INSERT INTO temp.t VALUES (1)",
  "CREATE TABLE [TEMP] . made AS SELECT 1",
  "CREATE VIEW `temp`.made AS SELECT 1",
  "CREATE TRIGGER made AFTER INSERT ON t BEGIN SELECT 1; END; DROP TABLE t",
  "CREATE TRIGGER made AFTER INSERT ON t BEGIN ATTACH 'SECRET' AS x; END",
  "CREATE TRIGGER made AFTER INSERT ON t BEGIN PRAGMA query_only=0; END",
  "CREATE TABLE made AS SELECT readfile('SECRET') AS x",
  "CREATE TABLE made AS SELECT load_extension('SECRET') AS x",
  "CREATE TABLE made AS SELECT * FROM loader",
  "CREATE TABLE made AS SELECT * FROM pragma_database_list",
  "CREATE TABLE made AS SELECT * FROM secrets",
  "CREATE INDEX made ON t (load_extension(b))",
  "CREATE VIRTUAL TABLE made USING fts3(x, tokenize=simple)",
  "CREATE VIRTUAL TABLE made USING FTS4(x)",
  "CREATE VIRTUAL TABLE made USING pragma_query_only",
  "CREATE VIRTUAL TABLE/**/made/**/USING/**/[zipfile]('SECRET')",
  'CREATE VIRTUAL TABLE "USING fts5" USING sqlite_dbpage',
];

/** What changes something, and must not by a way that only reads. */
export const CHANGING: readonly string[] = [
  "INSERT INTO t VALUES (3, 'x')",
  "INSERT INTO t VALUES (3, 'x') RETURNING a",
  "INSERT INTO innocent VALUES (1)",
  "UPDATE t SET b = 'x'",
  "DELETE FROM t",
  "REPLACE INTO t VALUES (1, 'x')",
  "REPLACE INTO t (a, b) VALUES (1, 'x') RETURNING *",
  "INSERT INTO words (words) VALUES ('rebuild')",
  "WITH a AS (SELECT 1), b(x) AS NOT MATERIALIZED (SELECT 2) DELETE FROM t RETURNING *",
  "WITH RECURSIVE \"select\" AS (SELECT 1) UPDATE t SET b = '' RETURNING *",
  "SELECT (INSERT INTO t VALUES (3, 'x') RETURNING 1)",
  "WITH x AS (SELECT 1) DELETE FROM t",
  "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
  "WITH a AS (WITH b AS (UPDATE t SET b = 1 RETURNING a) SELECT * FROM b) SELECT * FROM a",
  "SELECT * FROM (DELETE FROM t RETURNING *)",
  "VALUES (1) UNION INSERT INTO t VALUES (9, 'x')",
  "CREATE TABLE x (a)",
  "DROP TABLE t",
  "ALTER TABLE t ADD COLUMN c",
  "ANALYZE",
  "REINDEX",
];

/** Queries that reach out of the database, or into the connection. */
export const QUERIES: readonly string[] = [
  "SELECT load_extension('SECRET')",
  "SELECT \"LOAD_EXTENSION\"('SECRET', 'main')",
  "SELECT 1 WHERE load_extension('SECRET') IS NULL",
  "SELECT * FROM t ORDER BY load_extension('SECRET')",
  "SELECT * FROM loader",
  "SELECT * FROM tokenizer",
  "SELECT * FROM optimizer",
  "SELECT * FROM lister",
  "SELECT * FROM reader",
  "SELECT fts3_tokenizer('simple', x'0000000000000000')",
  "SELECT fts3_tokenizer('simple')",
  "SELECT writefile('OUT', 'x')",
  "SELECT readfile('SECRET')",
  "SELECT lsdir('.')",
  "SELECT edit('x', 'touch OUT')",
  "SELECT sqlite_log(1, 'x')",
  "SELECT * FROM sqlite_dbpage",
  "SELECT * FROM fsdir('/')",
  "SELECT * FROM pragma_optimize",
  "SELECT * FROM PRAGMA_OPTIMIZE('0xffff')",
  "SELECT * FROM 'pragma_journal_mode'",
  "SELECT * FROM [pragma_query_only], t",
  "SELECT * FROM main.pragma_database_list",
  "SELECT * FROM t WHERE a IN (SELECT wal FROM pragma_wal_checkpoint)",
  "SELECT * FROM temp.sqlite_master",
  "SELECT * FROM sqlite_temp_schema",
  "SELECT [load_extension]/**/('SECRET')",
  "WITH a AS (SELECT load_extension('SECRET') x) SELECT * FROM a",
  "SELECT * FROM csv('SECRET')",
  "SELECT * FROM zipfile('SECRET')",
  "SELECT * FROM bytecode('PRAGMA query_only=0')",
  "SELECT * FROM pragma_query_only(0)",
  "SELECT * FROM main.pragma_journal_mode('wal')",
  "SELECT (SELECT 1 FROM pragma_wal_checkpoint)",
  "SELECT * FROM pragma_incremental_vacuum(1)",
  "SELECT * FROM pragma_writable_schema(1)",
  "SELECT * FROM secrets",
  "SELECT * FROM 'SECRET'.secrets",
  "SELECT * FROM temp.t",
];

export const EVERYTHING: readonly string[] = [...ALWAYS, ...VERBS, ...REACHING, ...CHANGING, ...QUERIES];

const ZERO_WIDTH = "\u200B";

/** The same in other clothes. Some are no SQL at all by then, which is as good. */
export const disguises = (sql: string): readonly string[] => [
  sql,
  ` \t\r\n${sql}\n;;`,
  `\uFEFF${sql}`,
  `-- SELECT 1\n${sql}`,
  `/* SELECT 1; */${sql.replaceAll(" ", "/**/ ")} -- end`,
  sql.replaceAll(/[a-z]+/gi, (word) =>
    Array.from(word, (letter, at) => (at % 2 ? letter.toLowerCase() : letter.toUpperCase())).join(""),
  ),
  `EXPLAIN ${sql}`,
  `EXPLAIN QUERY PLAN ${sql}`,
  `eXpLaIn/**/ ${sql}`,
  `EXPLAIN EXPLAIN ${sql}`,
  `SELECT 1; ${sql}`,
  `SELECT 1;;;\n--\n${sql}`,
  `${sql}; SELECT 1`,
  `SELECT 1\0; ${sql}`,
  `WITH x AS (SELECT 1) ${sql}`,
  `(${sql})`,
  `WITH x AS (${sql}) SELECT * FROM x`,
  `${ZERO_WIDTH}${sql}`,
  sql.replace(/^(.)/, `$1${ZERO_WIDTH}`),
  sql.replace("A", "\u0410"),
];

/** Each as it is and in an eighth of its disguises, the next one in another eighth; in all of them in the soak. */
export const disguisedSome = (statements: readonly string[]): readonly string[] =>
  statements.flatMap((sql, at) => {
    const all = disguises(sql);
    return inSoak(
      all,
      all.filter((_, which) => which === 0 || which % 8 === at % 8),
    );
  });
