import { Fault } from "@suite/server-kit/domain";
import { describe, expect, it } from "vitest";
import { admit, type Access } from "../../../src/domain/sql-policy/admit.ts";

const permission = (access: Access, allowDdl = false) => ({ access, allowDdl });

function faultOf(sql: string, access: Access, allowDdl = false): Fault | undefined {
  try {
    admit(sql, permission(access, allowDdl));
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
  return undefined;
}

function refusalOf(sql: string, access: Access, allowDdl = false): string {
  const fault = faultOf(sql, access, allowDdl);
  return fault ? `${fault.code}: ${fault.message}` : "admitted";
}

describe("reading", () => {
  it.each([
    "SELECT 1",
    "select replace('a', 'b', 'c')",
    'SELECT pragma, attach, "delete" FROM vacuum',
    "SELECT 'ATTACH DATABASE x; DROP TABLE t'",
    "SELECT 1 -- PRAGMA query_only=0",
    "VALUES (1), (2)",
    "WITH a AS (SELECT 1) SELECT * FROM a",
    "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN WITH a AS (SELECT 1) SELECT * FROM a",
  ])("admits %s", (sql) => {
    expect(admit(sql, permission("read")).kind).toBe("read");
  });

  it.each([
    ["INSERT INTO t VALUES (1)", "INSERT changes data, and this only reads."],
    ["INSERT INTO t VALUES (1) RETURNING a", "INSERT … RETURNING changes data, and this only reads."],
    ["WITH a AS (SELECT 1) DELETE FROM t", "DELETE changes data, and this only reads."],
    ["EXPLAIN UPDATE t SET a = 1", "UPDATE changes data, and this only reads."],
    ["REPLACE INTO t VALUES (1)", "REPLACE changes data, and this only reads."],
    ["CREATE TABLE t (a)", "CREATE changes data, and this only reads."],
  ])("refuses %s", (sql, message) => {
    expect(refusalOf(sql, "read")).toBe(`permission_denied: ${message}`);
  });
});

describe("at every access", () => {
  const refused = [
    "PRAGMA x",
    "ATTACH 'a' AS b",
    "DETACH b",
    "VACUUM",
    "VACUUM INTO 'a'",
    "BEGIN",
    "COMMIT",
    "END",
    "ROLLBACK",
    "SAVEPOINT a",
    "RELEASE a",
  ];
  const disguises = [
    "",
    "EXPLAIN ",
    "explain query plan ",
    "/* SELECT */ ",
    "-- SELECT\n",
    ";; ",
    "\uFEFF",
    "\t\f\r\n",
  ];
  const spellings = refused.flatMap((sql) =>
    disguises.flatMap((disguise) => [disguise + sql, disguise + sql.toLowerCase()]),
  );

  it.each<Access>(["read", "write", "explain"])(
    "refuses settings, other files and transactions to %s",
    (access) => {
      for (const sql of spellings) expect(`${sql} ${refusalOf(sql, access, true)}`).toContain(" is refused.");
    },
  );

  it.each([
    "FROM t",
    "(SELECT 1)",
    "1",
    "selct 1",
    "ſELECT 1",
    '"SELECT" 1',
    "EXPLAIN",
    "EXPLAIN EXPLAIN SELECT 1",
    "WITH a AS (SELECT 1) EXPLAIN SELECT 1",
    "WITH a AS (SELECT 1) PRAGMA x",
    "$x",
  ])("does not know %s", (sql) => {
    expect(refusalOf(sql, "read")).toMatch(/^(invalid_input|permission_denied): /);
    expect(refusalOf(sql, "write", true)).toMatch(/^(invalid_input|permission_denied): /);
  });
});

it.each([
  ["show tables", "A statement cannot begin with show.", "Use list_tables or describe_table."],
  ["DESCRIBE t", "A statement cannot begin with DESCRIBE.", "Use describe_table."],
  ["SELECT a::date FROM t", 'Unrecognized token ":" at 1:9.', "Use CAST(… AS …) in place of ::."],
])("says what to use in place of %s", (sql, message, hint) => {
  expect(faultOf(sql, "read")).toMatchObject({ message, hint });
});

describe("writing", () => {
  it.each([
    "INSERT INTO t VALUES (1)",
    "UPDATE t SET a = 1",
    "DELETE FROM t",
    "REPLACE INTO t VALUES (1)",
    "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a",
  ])("admits %s", (sql) => {
    expect(admit(sql, permission("write")).kind).toBe("rows");
  });

  it.each([
    ["SELECT 1", "invalid_input: SELECT changes nothing."],
    ["EXPLAIN DELETE FROM t", "invalid_input: EXPLAIN changes nothing."],
    ["CREATE TABLE t (a)", "permission_denied: CREATE changes the schema, which is not allowed here."],
    ["DROP TABLE t", "permission_denied: DROP changes the schema, which is not allowed here."],
    ["ANALYZE", "permission_denied: ANALYZE changes the schema, which is not allowed here."],
  ])("refuses %s", (sql, refusal) => {
    expect(refusalOf(sql, "write")).toBe(refusal);
  });

  it.each([
    "CREATE TABLE temp_data (a)",
    "CREATE TABLE main.t (a)",
    "CREATE TABLE IF NOT EXISTS t AS SELECT temp.x FROM u AS temp",
    "CREATE VIEW v AS SELECT temp.a FROM t AS temp",
    "CREATE VIRTUAL TABLE f USING fts5(a)",
    'CREATE VIRTUAL TABLE f USING "FTS5"(a)',
    "create virtual table if not exists r using rtree(id, a, b)",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "ALTER TABLE t RENAME TO u",
    "DROP INDEX i",
    "REINDEX",
    "ANALYZE t",
  ])("admits %s where the schema may change", (sql) => {
    expect(admit(sql, permission("write", true)).kind).toBe("schema");
  });

  it.each([
    "CREATE TEMP TABLE t (a)",
    "create temporary view v as select 1",
    "CREATE TEMP TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "CREATE TABLE temp.t (a)",
    'CREATE TABLE IF NOT EXISTS "TEMP" . t (a)',
    "CREATE VIEW [temp].v AS SELECT 1",
    "CREATE TRIGGER temp.g AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "CREATE VIRTUAL TABLE temp.f USING fts5(a)",
    "CREATE UNIQUE INDEX IF NOT EXISTS temp.i ON t (a)",
  ])("refuses %s, which would outlast the call", (sql) => {
    expect(refusalOf(sql, "write", true)).toBe(
      "permission_denied: Temporary tables, views and triggers are refused.",
    );
  });

  it.each([
    "CREATE VIRTUAL TABLE a USING csv(filename='/etc/passwd')",
    "CREATE VIRTUAL TABLE a USING fts3tokenize",
    "CREATE VIRTUAL TABLE a USING fts4(b)",
    "CREATE VIRTUAL TABLE a USING",
    "CREATE VIRTUAL TABLE a",
  ])("refuses %s", (sql) => {
    expect(refusalOf(sql, "write", true)).toMatch(/^permission_denied: Virtual tables of the module/);
  });
});

describe("explaining", () => {
  it("admits what reads and what changes rows, with or without the word", () => {
    expect(admit("SELECT 1", permission("explain")).kind).toBe("read");
    expect(admit("EXPLAIN QUERY PLAN DELETE FROM t", permission("explain")).kind).toBe("rows");
    expect(refusalOf("CREATE TABLE t (a)", "explain", true)).toBe("invalid_input: CREATE has no plan.");
  });
});
