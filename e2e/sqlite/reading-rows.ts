import { expect } from "vitest";

import type { SqliteRow } from "./tool-row.ts";

/** The tools that change nothing. */
export const READING: readonly SqliteRow[] = [
  {
    tool: "list_tables",
    about: "all of them",
    args: {},
    text: /^shop: 5 tables, 1 view\n<untrusted-\w+>\nlog \(table, 1 column, 0 rows\)\nnotes \(virtual, 2 columns\)\norders/,
    structured: {
      databases: [
        {
          name: "shop",
          writable: true,
          truncated: false,
          tables: [
            { name: "log", kind: "table", columns: 1, rows: 0 },
            { name: "notes", kind: "virtual", columns: 2 },
            { name: "orders", kind: "table", columns: 5, rows: 3 },
            { name: "settings", kind: "table", columns: 2, rows: 3 },
            { name: "totals", kind: "view", columns: 2 },
            { name: "users", kind: "table", columns: 3, rows: 3 },
          ],
        },
      ],
    },
  },
  {
    tool: "describe_table",
    about: "a table, in another case",
    args: { table_name: "ORDERS", sample: 1 },
    text: /orders \(3 rows\)\n {2}id INTEGER primary key\n {2}user_id INT not null\n[\s\S]*foreign key \(user_id\) -> users \(primary key\), on delete cascade\nCREATE TRIGGER logged[\s\S]*\nsample:\n[\s\S]*1 \| 1 \| 10 \| 20 \| none/,
    structured: {
      untrusted: ["tables"],
      tables: [
        {
          name: "orders",
          kind: "table",
          rows: 3,
          indexes: [{ name: "orders_total", columns: ["total"] }],
          sample: [[1, 1, 10, 20, "none"]],
        },
      ],
    },
  },
  {
    tool: "describe_table",
    about: "all of them",
    args: {},
    text: /^5 tables, 1 view in shop:\n<untrusted-\w+>\nlog \(0 rows\)\n {2}text/,
    structured: {
      tables: ["log", "notes", "orders", "settings", "totals", "users"].map((name) => ({ name })),
    },
  },
  {
    tool: "describe_table",
    about: "a view",
    args: { table_name: "totals", sample: 0 },
    text: /^view in shop:\n<untrusted-\w+>\ntotals\n {2}name TEXT\n {2}total/,
    structured: { tables: [{ kind: "view", sql: expect.stringMatching(/^CREATE VIEW totals/) }] },
  },
  {
    tool: "read_query",
    about: "a join with a parameter",
    args: {
      query:
        "SELECT name, count(*) AS n FROM users u JOIN orders o ON o.user_id = u.id WHERE total > ? GROUP BY 1",
      params: [5],
    },
    text: /^2 rows:\n<untrusted-\w+>\nname \| n\nAda \| 1\nBo \| 1\n<\/untrusted/,
    structured: {
      columns: [
        { name: "name", type: "TEXT" },
        { name: "n", type: null },
      ],
      rows: [
        ["Ada", 1],
        ["Bo", 1],
      ],
      truncated: false,
    },
  },
  {
    tool: "read_query",
    about: "what JSON has no words for",
    args: { query: "SELECT value, NULL, '' FROM settings ORDER BY key" },
    text: /9223372036854775807 \| NULL \| ""\n\{"\$blob":"AP8="\} \| NULL \| ""\n0\.5 \| NULL \| ""/,
    structured: {
      rows: [
        [{ $int: "9223372036854775807" }, null, ""],
        [{ $blob: "AP8=", bytes: 2 }, null, ""],
        [0.5, null, ""],
      ],
    },
  },
  {
    tool: "read_query",
    about: "window functions, JSON, common tables and full text",
    args: {
      query: `WITH ranked AS (SELECT id, rank() OVER (ORDER BY total DESC) AS r FROM orders)
        SELECT (SELECT json_group_array(r) FROM ranked), '{"a":[1,2]}' ->> '$.a[1]', (SELECT title FROM notes WHERE notes MATCH 'quick')`,
    },
    text: /\[1,3,2\]|\[1,2,3\]/,
    structured: { rows: [[expect.stringMatching(/^\[\d,\d,\d\]$/), 2, "first"]] },
  },
  {
    tool: "read_query",
    about: "a page that is kept",
    args: { query: "SELECT id FROM orders ORDER BY id", limit: 1, store: true },
    text: /^The first 1 row:[\s\S]*\nTruncated\. Continue with cursor: "\S{1,24}" and the same query\. Kept as sqlite:\/\/shop\/query\//,
    structured: {
      note: expect.stringMatching(/^Truncated\. Continue with cursor/),
      untrusted: ["columns", "rows"],
      rows: [[1]],
      truncated: true,
      next_cursor: expect.stringMatching(/^\S{1,24}$/),
      uri: expect.any(String),
    },
    blocks: ["text", "resource_link"],
  },
  {
    tool: "read_query",
    about: "a page in the order of its key",
    args: { query: "SELECT * FROM orders", limit: 1 },
    text: /\nTruncated\. Continue with cursor: "\S+" and the same query\.$/,
    structured: { paged_by: "key", truncated: true },
  },
  {
    tool: "read_query",
    about: "a page in another order",
    args: { query: "SELECT * FROM orders ORDER BY note, total", limit: 1 },
    text: /runs again for the next page: rows shift if the data changes\.$/,
    structured: { paged_by: "offset", truncated: true },
  },
  {
    tool: "read_query",
    about: "a page that has no next one",
    args: { query: "SELECT id, random() FROM orders", limit: 1 },
    text: /^The first 1 row:[\s\S]*\nTruncated\. random\(\) and dates allow no cursor: raise limit \(up to 10000\)/,
    structured: { truncated: true },
  },
  {
    tool: "read_query",
    about: "a value that is longer than its share",
    args: { query: "SELECT printf('%.*c', 4000, 'x') AS a" },
    text: /a value gets about 1\/\d+ of it/,
    structured: { rows: [[{ bytes: 4000, truncated: true }]] },
  },
  {
    tool: "read_query",
    about: "a plan",
    args: { query: "EXPLAIN QUERY PLAN SELECT * FROM users" },
    text: /SCAN users/,
    structured: { truncated: false },
  },
  {
    tool: "explain_query",
    about: "a join, with its full scans",
    args: {
      query: "SELECT * FROM users u JOIN orders o ON u.id = o.user_id WHERE u.city = 'x' AND o.note = :note",
    },
    text: /^Plan:\n<untrusted-\w+>\nSCAN o\n[\s\S]*Full scan of orders \(\d+ rows\)\n/,
    structured: {
      full_scans: [{ table: "orders", rows: expect.any(Number) }],
    },
  },
  {
    tool: "explain_query",
    about: "a join without an index",
    args: { query: "SELECT 1 FROM log a JOIN log b ON a.text = b.text" },
    text: /\nBuilds an index first: SEARCH b USING AUTOMATIC COVERING INDEX \(text=\?\)\n/,
    structured: { automatic_indexes: [expect.stringContaining("AUTOMATIC") as string] },
  },
  {
    tool: "explain_query",
    about: "a change, which does not happen",
    args: { query: "DELETE FROM log WHERE text = 'x'" },
    text: /Full scan of log \(/,
    structured: { full_scans: [{ table: "log", rows: 0 }] },
    rows: { "SELECT count(*) FROM log": [[0]] },
  },
  {
    tool: "explain_query",
    about: "more steps than fit",
    args: {
      query: Array.from(
        { length: 499 },
        () => "SELECT * FROM (SELECT id, note FROM orders ORDER BY note LIMIT 1)",
      ).join(" UNION ALL "),
    },
    text: /^Plan:\n<untrusted-\w+>\nCOMPOUND QUERY\n[\s\S]*\nFull scan of orders \(3 rows\)\n[\s\S]*Truncated: the whole plan has 2496 steps\./,
    structured: {
      note: expect.stringMatching(/^Truncated: /) as string,
      plan: [{ detail: "COMPOUND QUERY" }],
      full_scans: [{ table: "orders", rows: 3 }],
      truncated: true,
    },
  },
  {
    tool: "profile_table",
    about: "some columns",
    args: { table_name: "orders", columns: ["total", "note"] },
    text: /^3 rows:\n<untrusted-\w+>\ntotal: 0 NULL, 3 distinct, 2\.5 … 10, mean 6\.5; in 10 equal steps: [\d ]+; most: .*\nnote: 0 NULL, 1 distinct, none … none; most: none ×3/,
    structured: {
      rows: 3,
      truncated: false,
      columns: [{ column: "total", types: { real: 3 }, mean: 6.5 }, { column: "note" }],
    },
  },
];
