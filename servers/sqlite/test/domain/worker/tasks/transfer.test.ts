import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { useDatabases } from "../../scratch.ts";
import { exportAll, importAll } from "./transfer.ts";

const { scratch, open } = useDatabases();

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

/** Two tables of a kind, the first of them with all values. */
function toScript(definition: string, at: number): string {
  const values = definition.includes("WITHOUT") ? "(id, v) SELECT row_number() OVER (), *" : "(v) SELECT *";
  return `CREATE TABLE one_${at} ${definition}; CREATE TABLE two_${at} ${definition};
    INSERT INTO one_${at} ${values} FROM (VALUES ${VALUES});`;
}

/** All cells with their types. Blobs as text: bytes would be compared one by one. */
function rowsOf(direct: Database.Database, table: string): readonly unknown[] {
  const names = direct.prepare(`SELECT name FROM pragma_table_xinfo('${table}')`).pluck().all() as string[];
  const list = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  const typed = list.map((name) => `${name}, typeof(${name})`).join(", ");
  const toText = (cell: unknown): unknown => (Buffer.isBuffer(cell) ? cell.toString("hex") : cell);
  return direct
    .prepare<[], unknown[]>(`SELECT ${typed} FROM ${table} ORDER BY id`)
    .raw()
    .safeIntegers()
    .all()
    .map((row) => row.map(toText));
}

describe.each(["csv", "jsonl"] as const)("what goes out as %s", (format) => {
  it("comes back exactly, into a table of any kind", async () => {
    const file = scratch.create("a.db", KINDS.map(([, definition], at) => toScript(definition, at)).join(""));
    const database = open({ file, mode: "write" });
    for (const [at, [kind]] of KINDS.entries()) {
      const out = await exportAll(database, { table: `ONE_${at}` }, format);
      expect(out.inexact, kind).toEqual([]);
      const back = await importAll(database, `two_${at}`, format, out.text);
      expect(back, kind).toMatchObject({ table: `two_${at}`, rows: out.rows });
    }
    await database.dispose();
    const direct = new Database(file);
    for (const [at, [kind]] of KINDS.entries()) {
      const rows = rowsOf(direct, `two_${at}`);
      expect(rows, kind).toEqual(rowsOf(direct, `one_${at}`));
      expect(rows.length, kind).toBe(41);
    }
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
    expect(await database.rows("SELECT a, b FROM two WHERE two MATCH 'quick'")).toEqual([
      ["the quick", "fox"],
    ]);
  });
});
