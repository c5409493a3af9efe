import { expect } from "vitest";

import type { SqliteRow } from "./tool-row.ts";

/** The tools that change something. */
export const WRITING: readonly SqliteRow[] = [
  {
    tool: "write_query",
    about: "rows, with what becomes of others",
    args: { query: "DELETE FROM orders WHERE user_id = :user", params: { user: 1 }, expected_rows: 2 },
    text: /^2 rows \(and 2 by triggers, foreign keys or virtual tables\) changed\.$/,
    structured: { affected_rows: 2, further_rows: 2, changed: ["shop"] },
    rows: { "SELECT id FROM orders": [[3]], "SELECT text FROM log": [["gone: 1"], ["gone: 2"]] },
  },
  {
    tool: "write_query",
    about: "a dry run",
    args: { query: "UPDATE users SET city = 'Rome'", dry_run: true },
    text: /^3 rows would change\.\n<untrusted-\w+>\nid \| city before \| city after\n1 \| London \| Rome\n2 \| NULL \| Rome\n3 \| "" \| Rome\n<\/untrusted-\w+>\nDry run: nothing was changed\.$/,
    structured: {
      note: "Dry run: nothing was changed.",
      affected_rows: 3,
      dry_run: true,
      would_change: ["shop"],
    },
    rows: { "SELECT city FROM users": [["London"], [null], [""]] },
  },
  {
    tool: "write_query",
    about: "an insert that returns",
    args: {
      query: "INSERT INTO settings VALUES (?, ?) RETURNING typeof(value) AS type",
      params: ["big", { $int: "9007199254740993" }],
    },
    text: /^1 row changed\.\n<untrusted-\w+>\ntype\ninteger\n/,
    structured: { affected_rows: 1, sample: { rows: [["integer"]] } },
    rows: { "SELECT CAST(value AS TEXT) FROM settings WHERE key = 'big'": [["9007199254740993"]] },
  },
  {
    tool: "execute_batch",
    about: "several statements",
    args: {
      statements: [
        { query: "INSERT INTO users (id, name) VALUES (?, ?)", params: [9, "Di"] },
        "INSERT INTO orders (user_id, total) VALUES (9, 1), (9, 2)",
      ],
      expected_rows: 3,
    },
    text: /^2 statements, 3 rows changed:\n1\. INSERT 1\n2\. INSERT 2$/,
    structured: {
      results: [
        { verb: "INSERT", affected_rows: 1 },
        { verb: "INSERT", affected_rows: 2 },
      ],
      changed: ["shop"],
    },
    rows: { "SELECT total FROM orders WHERE user_id = 9": [[1], [2]] },
  },
  {
    tool: "create_table",
    about: "a table",
    args: { query: "CREATE TABLE fresh (a INTEGER PRIMARY KEY, b)" },
    text: /^CREATE done on shop\.$/,
    structured: { verb: "CREATE", changed: ["shop"] },
    rows: { "SELECT count(*) FROM fresh": [[0]] },
  },
  {
    tool: "alter_or_drop",
    about: "a dry run of the end of one",
    args: { query: "DROP TABLE orders", dry_run: true },
    text: /^DROP would work on shop\.\nDry run: nothing was changed\.$/,
    structured: { verb: "DROP", dry_run: true, would_change: ["shop"] },
    rows: { "SELECT count(*) FROM orders": [[3]] },
  },
  {
    tool: "import_data",
    about: "CSV",
    args: { path: "users.csv", table_name: "users" },
    files: { "users.csv": 'id,name,city\r\n7,"Eve, ""the second""",\r\n8,Flo,""\r\n' },
    text: /^2 rows were added to "users" \(encoding "utf-8", delimiter ",", quote "\\"", decimal "\."\):\n<untrusted-\w+>\nid INTEGER, name TEXT, city TEXT\n<\/untrusted-\w+>$/,
    structured: { table: "users", rows: 2, changed: ["shop"] },
    rows: {
      "SELECT * FROM users WHERE id > 6": [
        [7, 'Eve, "the second"', null],
        [8, "Flo", ""],
      ],
    },
  },
  {
    tool: "import_data",
    about: "a messy CSV into a new table",
    args: { path: "prices.csv", table: "prices", create: true, skip_bad_rows: true },
    files: { "prices.csv": "\uFEFF Name ; Unit Price;Since\r\nAda;1.105,50;2026-01-02\r\nbad\r\nBo;12;\r\n" },
    text: /^2 rows were added to "prices" \(.*delimiter ";".*decimal ","\):\n<untrusted-\w+>\nName TEXT, Unit Price REAL, Since TEXT\nskipped 3: Record 3 has 1 field, 3 were expected\.\n/,
    structured: {
      note: "1 row skipped.",
      rows: 2,
      skipped: 1,
      columns: [
        { name: "Name", type: "TEXT" },
        { name: "Unit Price", type: "REAL" },
        { name: "Since", type: "TEXT" },
      ],
    },
    rows: {
      'SELECT Name, "Unit Price", Since FROM prices': [
        ["Ada", 1105.5, "2026-01-02"],
        ["Bo", 12, null],
      ],
    },
  },
  {
    tool: "import_data",
    about: "JSON lines, with what the table computes left out",
    args: { path: "orders.ndjson", table_name: "orders", dry_run: true },
    files: { "orders.ndjson": '{"user_id":2,"twice":5}\n{"user_id":3,"total":1,"note":null}\n' },
    text: /^2 rows could be added to "orders" \(encoding "utf-8"\):\n<untrusted-\w+>\nuser_id INT \| total REAL \| note TEXT\n2 \| NULL \| none\n3 \| 1 \| NULL\n[\s\S]*Dry run: nothing was changed\. The table computes ignored_columns itself\.$/,
    structured: { rows: 2, ignored_columns: ["twice"], dry_run: true },
    rows: { "SELECT count(*) FROM orders": [[3]] },
  },
  {
    tool: "export_data",
    about: "a table as CSV",
    args: { path: "settings.csv", table_name: "settings" },
    text: /^3 rows, \d+ bytes were written to ".*settings\.csv"\.$/,
    structured: ({ exchange }) => ({
      rows: 3,
      changed: [`${exchange}/settings.csv`],
    }),
    written: { "settings.csv": "key,value\r\nlimit,9223372036854775807\r\nlogo,X'00ff'\r\nrate,0.5\r\n" },
  },
  {
    tool: "export_data",
    about: "a query as JSON lines, over what was there",
    args: {
      path: "out.jsonl",
      query: "SELECT name, city FROM users WHERE id < ?",
      params: [3],
      overwrite: true,
    },
    files: { "out.jsonl": "old" },
    text: /^2 rows, \d+ bytes were written/,
    structured: { rows: 2, bytes: 57 },
    written: { "out.jsonl": '{"name":"Ada","city":"London"}\n{"name":"Bo","city":null}\n' },
  },
  {
    tool: "export_data",
    about: "a report as Markdown",
    args: { path: "report.md", query: "SELECT 'a|b' AS \"x\", NULL AS y, 1.5 AS z" },
    text: /^1 row, \d+ bytes were written/,
    structured: { rows: 1 },
    written: { "report.md": "| x | y | z |\n| --- | --- | --- |\n| a\\|b |  | 1.5 |\n" },
  },
  {
    tool: "export_data",
    about: "a dry run",
    args: { path: "no.csv", table_name: "users", dry_run: true },
    text: /^3 rows, \d+ bytes would be written/,
    structured: { dry_run: true },
    written: { "no.csv": null },
  },
  {
    tool: "backup_database",
    about: "a copy",
    args: { path: "copy.db" },
    text: /^Copied to ".*copy\.db", .*\.$/,
    structured: { bytes: expect.any(Number) },
    written: { "copy.db": expect.stringMatching(/^SQLite format 3\0/) as unknown },
  },
  {
    tool: "append_insight",
    about: "a finding",
    args: { insight: "Ada orders most." },
    text: /^The memo has \d+ insights?\.$/,
    structured: { insights: expect.any(Number), changed: ["memo://insights"] },
  },
];
