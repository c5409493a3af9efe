import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { DatabaseProcess } from "../../../../src/domain/engine/database-process.ts";
import type { Exported, ExportArgs } from "../../../../src/domain/worker/tasks/export.ts";
import type { Imported } from "../../../../src/domain/worker/tasks/import.ts";
import type { Format } from "../../../../src/domain/transfer/format.ts";
import { readRecords } from "../../../../src/domain/transfer/read-records.ts";
import { inPieces } from "../../transfer/pieces.ts";
import { useWorkerProgram } from "../../worker-program.ts";
import { unstopped, useDatabases, useScratch } from "../../scratch.ts";

const program = useWorkerProgram();
const scratch = useScratch();
const open = useDatabases(program);

async function exportAll(
  database: DatabaseProcess,
  from: ExportArgs["from"],
  format: Format,
): Promise<Exported & { text: string }> {
  let text = "";
  const onChunk = (chunk: unknown): void => void (text += chunk as string);
  const done = await database.task("export", { from, format }, unstopped(), { isLong: true, onChunk });
  return { ...done, text };
}

async function importAll(
  database: DatabaseProcess,
  table: string,
  format: "csv" | "jsonl",
  text: string,
  dryRun = false,
): Promise<Imported> {
  const options = { writes: true, isLong: true, input: readRecords(inPieces([text]), { format }) };
  const args = { table, dryRun, create: false, skipBad: false, decimal: "." as const };
  return database.task("import", args, unstopped(), options);
}

const VALUES = `
  (NULL), (''), ('plain'), (' padded '), ('NULL'), ('null'), ('1'), ('01'), ('1.50'), ('1e5'), ('9e999'), ('x''00'''), ('a,b'), ('say "x"'),
  ('line' || char(13) || char(10) || 'end'), (char(10)), (char(0x1F600)), (char(0xFEFF) || 'bom'), ('a' || char(0) || 'b'), ('{"a":1}'), ('[1'),
  (0), (1), (-1), (9007199254740993), (9223372036854775807), (-9223372036854775808),
  (1.0), (1.5), (-0.1), (1e300), (5e-324), (1e21), (0.1 + 0.2), (9e999), (-9e999),
  (x''), (x'00'), (x'ff00ff'), (zeroblob(70000)), (printf('%.*c', 300000, 'é'))`;

const KINDS: readonly (readonly [name: string, definition: string])[] = [
  ["without types", "(id INTEGER PRIMARY KEY, v)"],
  ["of blobs", "(id INTEGER PRIMARY KEY, v BLOB)"],
  ["of text", "(id INTEGER PRIMARY KEY, v TEXT)"],
  ["of integers", "(id INTEGER PRIMARY KEY, v INTEGER)"],
  ["of reals", "(id INTEGER PRIMARY KEY, v REAL)"],
  ["of numbers", "(id INTEGER PRIMARY KEY, v NUMERIC)"],
  ["that is strict", "(id INTEGER PRIMARY KEY, v ANY) STRICT"],
  ["without row ids", "(id INTEGER PRIMARY KEY, v) WITHOUT ROWID"],
  [
    "with odd names",
    `(id INTEGER PRIMARY KEY, v, "a ""b"", c" DEFAULT 'x', [1] DEFAULT 1, "é" DEFAULT NULL)`,
  ],
  ["that computes", "(id INTEGER PRIMARY KEY, v, g AS (typeof(v)), h AS (id * 2) STORED)"],
];

describe.each(["csv", "jsonl"] as const)("what goes out as %s", (format) => {
  it.each(KINDS)("comes back exactly, into a table %s", async (_, definition) => {
    const script = `CREATE TABLE one ${definition}; CREATE TABLE two ${definition};
      INSERT INTO one (v) SELECT * FROM (VALUES ${VALUES});`;
    const file = scratch.create(
      "a.db",
      definition.includes("WITHOUT")
        ? script.replace("(v) SELECT *", "(id, v) SELECT row_number() OVER (), *")
        : script,
    );
    const database = open({ file, mode: "write" });
    const out = await exportAll(database, { table: "ONE" }, format);
    expect(out.inexact).toEqual([]);
    const back = await importAll(database, "two", format, out.text);
    expect(back).toMatchObject({ table: "two", rows: out.rows });
    await database.dispose();
    const direct = new Database(file);
    const names = direct.prepare("SELECT name FROM pragma_table_xinfo('one')").pluck().all() as string[];
    const list = names.map((name) => `"${name.replaceAll('"', '""')}"`);
    const typed = list.map((name) => `${name}, typeof(${name})`).join(", ");
    const rows = (table: string): unknown[] =>
      direct.prepare(`SELECT ${typed} FROM ${table} ORDER BY id`).raw().safeIntegers().all();
    expect(rows("two")).toEqual(rows("one"));
    expect(rows("two").length).toBe(41);
    direct.close();
  });

  it("may be nothing", async () => {
    const database = open({ file: scratch.create("a.db", "CREATE TABLE t (a, b)"), mode: "write" });
    const { text, rows } = await exportAll(database, { table: "t" }, format);
    expect([text, rows]).toEqual([format === "csv" ? "a,b\r\n" : "", 0]);
    expect(await importAll(database, "t", format, text)).toMatchObject({ rows: 0 });
  });

  it("may be the words of a full text index", async () => {
    const script =
      "CREATE VIRTUAL TABLE one USING fts5(a, b); CREATE VIRTUAL TABLE two USING fts5(a, b); INSERT INTO one VALUES ('the quick', 'fox'), ('x', NULL);";
    const database = open({ file: scratch.create("a.db", script), mode: "write" });
    const { text } = await exportAll(database, { table: "one" }, format);
    expect(await importAll(database, "two", format, text)).toMatchObject({ rows: 2 });
    expect(
      (await database.read({ sql: "SELECT a, b FROM two WHERE two MATCH 'quick'" }, unstopped())).rows,
    ).toEqual([["the quick", "fox"]]);
  });
});

describe("an export", () => {
  it("is of a query, with its values", async () => {
    const database = open({
      file: scratch.create("a.db", "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)"),
    });
    const from = { sql: "SELECT a, a * 1.0 AS b FROM t WHERE a > :least ORDER BY a", params: { least: 1 } };
    expect((await exportAll(database, from, "csv")).text).toBe("a,b\r\n2,2.0\r\n3,3.0\r\n");
    expect((await exportAll(database, from, "jsonl")).text).toBe('{"a":2,"b":2.0}\n{"a":3,"b":3.0}\n');
  });

  it("keeps what it cannot tell from being lost", async () => {
    const database = open({ file: scratch.create("a.db", "CREATE TABLE t (a)") });
    const twice = { sql: "SELECT 1 AS a, 2 AS a" };
    await expect(exportAll(database, twice, "jsonl")).rejects.toMatchObject({
      code: "invalid_input",
      message: 'Two columns are called "a".',
    });
    expect((await exportAll(database, twice, "csv")).text).toBe("a,a\r\n1,2\r\n");
  });

  it("says which text was no text", async () => {
    const script = "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (CAST(x'61ff' AS TEXT), 'fine', x'ff')";
    const database = open({ file: scratch.create("a.db", script) });
    expect((await exportAll(database, { table: "t" }, "csv")).inexact).toEqual(["a"]);
  });

  it("waits for whoever takes it", async () => {
    const script = `CREATE TABLE t (a); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 50)
      SELECT printf('%.*c', 100000, 'x') FROM r;`;
    const database = open({ file: scratch.create("a.db", script) });
    let [waiting, most, chunks] = [0, 0, 0];
    const onChunk = async (): Promise<void> => {
      most = Math.max(most, (waiting += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      [waiting, chunks] = [waiting - 1, chunks + 1];
    };
    await database.task("export", { from: { table: "t" }, format: "csv" }, unstopped(), {
      isLong: true,
      onChunk,
    });
    expect([most, chunks]).toEqual([1, 17]);
  });

  it("goes through the policy like any query", async () => {
    const database = open({
      file: scratch.create("a.db", "CREATE TABLE t (a)"),
      mode: "write",
      allowDdl: true,
    });
    for (const sql of [
      "DELETE FROM t",
      "PRAGMA query_only = 0",
      "SELECT 1; SELECT 2",
      "SELECT load_extension('x')",
      "INSERT INTO t VALUES (1) RETURNING a",
    ]) {
      await expect(exportAll(database, { sql }, "csv"), sql).rejects.toMatchObject({
        code: expect.stringMatching(/permission_denied|invalid_input/) as string,
      });
    }
    await expect(exportAll(database, { table: 't" UNION SELECT 1; --' }, "csv")).rejects.toMatchObject({
      code: "not_found",
    });
    await expect(exportAll(database, { table: "sqlite_schema" }, "csv")).rejects.toMatchObject({
      code: "not_found",
    });
  });
});

describe("an import", () => {
  const into = (script: string): DatabaseProcess =>
    open({ file: scratch.create("a.db", script), mode: "write" });
  const rowsOf = async (database: DatabaseProcess): Promise<unknown> =>
    (await database.read({ sql: "SELECT * FROM t" }, unstopped())).rows;

  it("leaves columns that the file has not to their defaults", async () => {
    const database = into("CREATE TABLE t (a, b DEFAULT 'x', c DEFAULT 7)");
    await importAll(database, "t", "csv", "C,a\n1,2\n");
    await importAll(database, "t", "jsonl", '{"a":3}\n{"b":null}\n{}\n');
    expect(await rowsOf(database)).toEqual([
      [2, "x", 1],
      [3, "x", 7],
      [null, null, 7],
      [null, "x", 7],
    ]);
  });

  it("leaves out what the table computes", async () => {
    const database = into("CREATE TABLE t (a INT, b AS (a * 2), c AS (a * 3) STORED)");
    expect(await importAll(database, "t", "csv", "b,a,c\n100,1,100\n")).toMatchObject({
      table: "t",
      rows: 1,
      ignored: ["b", "c"],
    });
    expect(await rowsOf(database)).toEqual([[1, 2, 3]]);
  });

  it("converts as the table says, strict or not", async () => {
    const database = into("CREATE TABLE t (i INT, r REAL, s TEXT, b BLOB, x ANY) STRICT");
    await importAll(database, "t", "csv", 'i,r,s,b,x\n1,2,03,x\'00\',4\n"1","2","3",,"4"\n');
    const { rows } = await database.read(
      { sql: "SELECT typeof(i), typeof(r), s, typeof(b), typeof(x) FROM t" },
      unstopped(),
    );
    expect(rows).toEqual([
      ["integer", "real", "03", "blob", "integer"],
      ["integer", "real", "3", "null", "text"],
    ]);
    await expect(importAll(database, "t", "csv", "i\n1\nabc\n")).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(
        /^Row 2 cannot be imported, so nothing was\. The type does not fit/,
      ) as string,
      details: { row: 2 },
    });
  });

  it.each([
    [
      "a value that is there already",
      "csv",
      "a\n2\n1\n",
      /^Row 2 cannot be imported, so nothing was\. A row with the same t\.a exists/,
      "conflict",
    ],
    ["a column that is not there", "csv", "a,nme\n2,x\n", /^Row 1 .*t has no column "nme"/, "not_found"],
    ["a column that comes twice", "csv", "a,A\n2,3\n", /two columns for "a"/, "invalid_input"],
    [
      "a later line with a column that is not there",
      "jsonl",
      '{"a":2}\n{"z":3}\n',
      /^Row 2 .*no column "z"/,
      "not_found",
    ],
    [
      "something in a line that is no value",
      "jsonl",
      '{"a":2}\n{"a":[1]}\n',
      /^Row 2 .*a cannot hold \[1\]/,
      "invalid_input",
    ],
    ["a line that is broken", "jsonl", '{"a":2}\n{"a":\n', /^Line 2 is not JSON/, "invalid_input"],
    ["a record that is short", "csv", "a,b\n2,3\n4\n", /^Record 3 has 1 field,/, "invalid_input"],
  ] as const)("with %s changes nothing", async (_, format, text, message, code) => {
    const database = into("CREATE TABLE t (a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 'here')");
    await expect(importAll(database, "t", format, text)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
    expect(await rowsOf(database)).toEqual([[1, "here"]]);
    // And leaves no lock.
    expect(await database.write({ sql: "INSERT INTO t VALUES (5, 'next')" }, unstopped())).toMatchObject({
      changes: 1,
    });
  });

  it("is checked as a whole where keys are", async () => {
    const database = into(`CREATE TABLE p (id INTEGER PRIMARY KEY); INSERT INTO p VALUES (1);
      CREATE TABLE t (a REFERENCES p DEFERRABLE INITIALLY DEFERRED)`);
    await expect(importAll(database, "t", "csv", "a\n1\n2\n")).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/^A foreign key would point to a row that is not there/) as string,
    });
    expect(await rowsOf(database)).toEqual([]);
  });

  it("can be tried", async () => {
    const database = into("CREATE TABLE t (a INTEGER PRIMARY KEY)");
    expect(await importAll(database, "t", "csv", "a\n1\n2\n", true)).toMatchObject({ rows: 2 });
    expect(await rowsOf(database)).toEqual([]);
    await expect(importAll(database, "t", "csv", "a\n1\n1\n", true)).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("goes through the policy: a trigger may do no more than any statement", async () => {
    const database =
      into(`CREATE TABLE t (a); CREATE TABLE s (x); INSERT INTO s VALUES (1); CREATE INDEX i ON s (x); ANALYZE;
      CREATE TRIGGER hidden AFTER INSERT ON t BEGIN DELETE FROM sqlite_stat1; END;`);
    await expect(importAll(database, "t", "csv", "a\n1\n")).rejects.toMatchObject({
      code: "permission_denied",
    });
    for (const table of ["sqlite_schema", "sqlite_stat1", "missing", 't" (a) VALUES (1); --']) {
      await expect(importAll(database, table, "csv", "a\n1\n")).rejects.toMatchObject({ code: "not_found" });
    }
    expect(await rowsOf(database)).toEqual([]);
  });

  it("of many rows goes through in portions", async () => {
    const database = into("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
    const text = `a,b\n${Array.from({ length: 5000 }, (_, at) => `${at},row ${at}\n`).join("")}`;
    expect(await importAll(database, "t", "csv", text)).toMatchObject({ rows: 5000 });
    expect(
      (await database.read({ sql: "SELECT count(*), sum(a), max(b) FROM t" }, unstopped())).rows,
    ).toEqual([[5000, 12_497_500, "row 999"]]);
  });

  it("is refused where nothing may be written", async () => {
    const database = open({ file: scratch.create("a.db", "CREATE TABLE t (a)") });
    await expect(importAll(database, "t", "csv", "a\n1\n")).rejects.toMatchObject({
      code: "permission_denied",
    });
  });
});

describe.each(["wal", "delete"])("a backup in the journal mode %s", (mode) => {
  it("is a whole copy, though others write meanwhile", async () => {
    const script = `PRAGMA journal_mode = ${mode}; CREATE TABLE t (a);
      INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 20000) SELECT printf('%.*c', 500, 'x') FROM r;`;
    const file = scratch.create("a.db", script);
    const database = open({ file, mode: "write" });
    const other = new Database(file);
    let writes = 0;
    const onProgress = (): void => {
      if (writes >= 5) return;
      writes += 1;
      other.exec("INSERT INTO t VALUES ('late')");
    };
    await database.task("backup", { to: scratch.path("copy.db") }, unstopped(), { isLong: true, onProgress });
    other.close();
    const copy = new Database(scratch.path("copy.db"));
    expect(copy.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(copy.prepare("SELECT count(*) FROM t WHERE a <> 'late'").pluck().get()).toBe(20_000);
    copy.close();
    expect(writes).toBeGreaterThan(0);
    // And both processes are as good as before.
    expect(
      await database.task("profile", { table: "t", columns: [] }, unstopped(), { isLong: true }),
    ).toMatchObject({
      rows: 20_000 + writes,
    });
    expect((await database.read({ sql: "SELECT count(*) FROM t" }, unstopped())).rows).toEqual([
      [20_000 + writes],
    ]);
  });

  it("is made of what is in memory, too", async () => {
    const database = open({ file: ":memory:", mode: "create", allowDdl: true });
    await database.write({ sql: "CREATE TABLE t AS SELECT 1 AS a" }, unstopped());
    await database.task("backup", { to: scratch.path("copy.db") }, unstopped(), { isLong: true });
    const copy = new Database(scratch.path("copy.db"));
    expect(copy.prepare("SELECT a FROM t").pluck().get()).toBe(1);
    copy.close();
  });
});
