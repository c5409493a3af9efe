import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { createShopDatabase } from "./shop-database.ts";
import type { BenchTask, Step, TaskResult } from "./task.ts";

/** `;` between fields, a mark at the start, spaces in headers, a decimal comma, a row that is short. */
const MESSY =
  '\uFEFF Artikel ; Preis ;Menge\r\nSKU1;1.105,50;3\r\n"SKU2; blau";12,5;4\r\nkaputt\r\nSKU3;7;\r\n';

/** What the server is started with. */
export function prepareSqlite(folder: string): readonly string[] {
  const exchange = join(folder, "exchange");
  mkdirSync(exchange, { recursive: true });
  writeFileSync(join(exchange, "prices.csv"), MESSY);
  return [createShopDatabase(join(folder, "shop.db")), "--allow-ddl", "--exchange", exchange];
}

const rowsIn = (result: TaskResult): readonly (readonly unknown[])[] => (result["rows"] ?? []) as unknown[][];
const hasRows = (result: TaskResult): boolean => rowsIn(result).length > 0;

const read = (query: string, params?: readonly unknown[]): Step => ({
  tool: "read_query",
  args: { query, ...(params && { params }) },
  gives: hasRows,
});

const BAD_EMAILS = "UPDATE customers SET email = lower(trim(email)) WHERE email <> lower(trim(email))";
const SLOW = `SELECT c.name, count(*) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN payments p ON p.order_id = o.id
  WHERE c.country = 'DE' GROUP BY c.name ORDER BY 2 DESC LIMIT 5`;

const undoLast: Step = { tool: "undo", args: { id: "last" }, gives: ({ undone }) => undone !== undefined };

export const SQLITE_TASKS: readonly BenchTask[] = [
  {
    name: "S1 explore the unknown schema",
    tokens: 2200,
    steps: [
      {
        tool: "describe_table",
        args: {},
        gives: ({ tables }) => (tables as unknown[]).length === 16,
      },
    ],
  },
  {
    name: "S2 a join",
    tokens: 100,
    steps: [
      read(
        "SELECT k.name, round(sum(i.quantity * i.price)) AS revenue FROM order_items i JOIN orders o ON o.id = i.order_id JOIN customers c ON c.id = o.customer_id JOIN countries k ON k.code = c.country GROUP BY 1 ORDER BY 2 DESC",
      ),
    ],
  },
  {
    name: "S3 a window",
    tokens: 400,
    steps: [
      read(
        "SELECT month, amount, sum(amount) OVER (ORDER BY month) AS running FROM (SELECT substr(at, 1, 7) AS month, round(sum(amount)) AS amount FROM revenue GROUP BY 1) ORDER BY 1",
      ),
    ],
  },
  {
    name: "S4 dates",
    tokens: 120,
    steps: [
      read("SELECT strftime('%w', at) AS weekday, count(*) FROM orders WHERE at >= ? GROUP BY 1", [
        "2026-01-01",
      ]),
    ],
  },
  {
    name: "S5 the first ten",
    tokens: 160,
    steps: [
      read(
        "SELECT p.sku, sum(i.quantity) AS sold FROM order_items i JOIN products p ON p.id = i.product_id GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10",
      ),
    ],
  },
  {
    name: "S6 cohorts",
    tokens: 450,
    steps: [
      read(
        "SELECT substr(c.since, 1, 7) AS cohort, count(DISTINCT c.id) AS customers, count(o.id) AS orders FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY 1 ORDER BY 1",
      ),
    ],
  },
  {
    name: "S7 mend bad data, dry run first",
    tokens: 250,
    steps: [
      {
        tool: "write_query",
        args: { query: BAD_EMAILS, dry_run: true },
        gives: ({ affected_rows: rows }) => rows === 5,
      },
      {
        tool: "write_query",
        args: ({ affected_rows: rows }: TaskResult) => ({ query: BAD_EMAILS, expected_rows: rows }),
        gives: ({ affected_rows: rows }) => rows === 5,
      },
    ],
  },
  {
    name: "S8 import a messy CSV",
    tokens: 500,
    steps: [
      {
        tool: "import_data",
        args: { path: "prices.csv", table: "prices", create: true, skip_bad_rows: true, dry_run: true },
        gives: ({ rows }) => rows === 3,
      },
      {
        tool: "import_data",
        args: { path: "prices.csv", table: "prices", create: true, skip_bad_rows: true },
        gives: ({ rows, skipped }) => rows === 3 && skipped === 1,
      },
      {
        ...read('SELECT "Artikel", "Preis", "Menge" FROM prices'),
        gives: (result) => rowsIn(result)[0]?.[1] === 1105.5,
      },
    ],
  },
  {
    name: "S9 why is this three-way join slow",
    tokens: 400,
    steps: [
      {
        tool: "explain_query",
        args: { query: SLOW },
        gives: ({ full_scans: scans }) => (scans as { rows: number }[]).some(({ rows }) => rows > 10_000),
      },
      { tool: "create_table", args: { query: "CREATE INDEX payments_of_order ON payments (order_id)" } },
      { tool: "explain_query", args: { query: SLOW } },
    ],
  },
  {
    name: "S10 export a report",
    tokens: 60,
    steps: [
      {
        tool: "export_data",
        args: {
          path: "report.md",
          query: "SELECT substr(at, 1, 7) AS month, round(sum(amount)) AS amount FROM revenue GROUP BY 1",
        },
        gives: ({ rows }) => Number(rows) > 10,
      },
    ],
  },
  {
    name: "S11 page through a table",
    tokens: 5000,
    steps: [
      { tool: "read_query", args: { query: "SELECT * FROM products" }, gives: hasRows },
      {
        tool: "read_query",
        args: ({ next_cursor: cursor }: TaskResult) => ({ query: "SELECT * FROM products", cursor }),
        gives: (result) => rowsIn(result)[0]?.[0] === 101,
      },
    ],
  },
  {
    name: "S12 constraint errors, and what to do about them",
    tokens: 250,
    steps: [
      {
        tool: "write_query",
        args: { query: "INSERT INTO orders (customer_id, at, status) VALUES (99999, '2026-01-01', 'new')" },
        fails: true,
      },
      {
        tool: "write_query",
        args: { query: "INSERT INTO orders (customer_id, at, status) VALUES (1, '2026-01-01', 'open')" },
        fails: true,
      },
      {
        tool: "write_query",
        args: { query: "INSERT INTO products (sku, price) VALUES ('SKU1', 5)" },
        fails: true,
      },
      { tool: "write_query", args: { query: "DELETE FROM customers WHERE id = 8" }, fails: true },
      {
        tool: "write_query",
        args: { query: "INSERT INTO orders (customer_id, at, status) VALUES (1, '2026-01-01', 'new')" },
      },
    ],
  },
  {
    name: "S13 take back rows, a batch and a dropped table",
    tokens: 700,
    steps: [
      { tool: "write_query", args: { query: "UPDATE products SET price = price + 1" } },
      undoLast,
      {
        tool: "execute_batch",
        args: {
          statements: [
            { query: "CREATE TABLE notes (text)" },
            { query: "INSERT INTO notes VALUES ('a'), ('b')" },
          ],
        },
      },
      undoLast,
      {
        tool: "alter_or_drop",
        args: { query: "DROP TABLE stock", dry_run: true },
        gives: ({ rows }) => rows === 1000,
      },
      { tool: "alter_or_drop", args: { query: "DROP TABLE stock" } },
      undoLast,
      {
        ...read("SELECT count(*) FROM stock WHERE quantity >= 0"),
        gives: (result) => rowsIn(result)[0]?.[0] === 1000,
      },
    ],
  },
];
