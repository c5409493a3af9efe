import { createReadStream, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { callTool, isGood, textOf } from "@suite/check/wires";
import { beforeAll, describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import type { Wire } from "../support/wire.ts";
import { rowsOf } from "./direct.ts";
import { descendantsOf, peakOf } from "../support/processes.ts";
import { openSqlite } from "./program.ts";
import { askElsewhere, createWarehouse, ORDERS } from "./warehouse.ts";
import { itOnLinux } from "../support/programs.ts";

/** Each with names of its own for all columns, and an order that leaves no choice. Reals as text: two programs write them differently. */
const QUERIES: readonly string[] = [
  "SELECT count(*) AS n, sum(quantity) AS q, min(at) AS first, max(at) AS last, count(note) AS notes FROM orders",
  "SELECT country AS c, count(*) AS n, printf('%.6f', avg(age)) AS a FROM customers GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 50",
  "SELECT strftime('%Y-%m', at) AS month, sum(double_quantity) AS q, count(DISTINCT customer_id) AS c FROM orders GROUP BY 1 ORDER BY 1",
  "SELECT c.name AS name, count(*) AS n, printf('%.2f', sum(o.quantity * p.price)) AS spent FROM customers c JOIN orders o ON o.customer_id = c.id JOIN products p USING (sku) WHERE c.id <= 40 GROUP BY c.id ORDER BY c.id",
  "SELECT c.id AS id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer_id = c.id AND o.quantity > 19 WHERE c.id BETWEEN 100 AND 160 GROUP BY 1 ORDER BY 1",
  "SELECT id AS id, rank() OVER (PARTITION BY customer_id ORDER BY quantity DESC, id) AS r, sum(quantity) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS s, lag(at, 1, '-') OVER (ORDER BY id) AS l FROM orders WHERE customer_id IN (5, 6) ORDER BY id",
  "SELECT customer_id AS c, ntile(4) OVER (ORDER BY count(*), customer_id) AS quarter, printf('%.8f', percent_rank() OVER (ORDER BY count(*))) AS p FROM orders WHERE customer_id < 100 GROUP BY 1 ORDER BY 1",
  "SELECT first_value(sku) OVER w AS a, nth_value(sku, 3) OVER w AS b, dense_rank() OVER w AS d FROM orders WHERE customer_id = 9 WINDOW w AS (ORDER BY at, id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) ORDER BY at, id",
  "SELECT profile ->> '$.age' AS age, json_extract(profile, '$.tags[1]') AS tag, json_type(profile, '$.vip') AS vip, json_array_length(profile, '$.tags') AS n FROM customers WHERE id <= 60 ORDER BY id",
  "SELECT j.value AS tag, count(*) AS n FROM customers, json_each(profile, '$.tags') AS j GROUP BY 1 ORDER BY 1",
  "SELECT json_group_object(country, n) AS o FROM (SELECT country, count(*) AS n FROM customers WHERE country < 'AE' GROUP BY 1 ORDER BY 1)",
  'SELECT key AS k, type AS t, fullkey AS f FROM json_tree(\'{"a":[1,{"b":null}],"c":"\\u00e9"}\') ORDER BY id',
  "SELECT json_patch('{\"a\":1,\"b\":2}', '{\"b\":null,\"c\":[1.5]}') AS p, json_set('[1,2]', '$[#]', 3) AS s, json_quote(char(10)) AS q, json_valid('{x}') AS v",
  "WITH RECURSIVE f(n, a, b) AS (VALUES (1, 0, 1) UNION ALL SELECT n + 1, b, a + b FROM f WHERE n < 80) SELECT n AS n, CAST(b AS TEXT) AS b FROM f ORDER BY n",
  "WITH RECURSIVE days(d) AS (SELECT '2024-02-25' UNION ALL SELECT date(d, '+1 day') FROM days WHERE d < '2024-03-03') SELECT d AS d, strftime('%w %j', d) AS w, CAST(julianday(d) * 2 AS INT) AS j FROM days ORDER BY d",
  "SELECT rowid AS id, snippet(notes, 0, '[', ']', '…', 5) AS s FROM notes WHERE notes MATCH 'about AND \"note 97\"' ORDER BY rowid",
  "SELECT count(*) AS n FROM notes WHERE notes MATCH 'note NEAR(9700 about) OR 970*'",
  "SELECT sku AS s, printf('%.2f', price) AS p, stock AS n FROM products WHERE price BETWEEN 20 AND 30 ORDER BY price DESC, sku LIMIT 40",
  "SELECT upper(name) AS n FROM customers WHERE name = 'cUSTOMER 77' OR name LIKE 'customer 99_' ORDER BY id",
  "SELECT id AS id FROM orders WHERE note GLOB 'note 9[0-9]*7' ORDER BY id LIMIT 100",
  "SELECT customer_id AS c FROM orders WHERE quantity = 20 INTERSECT SELECT id FROM customers WHERE country LIKE 'A%' EXCEPT SELECT 1 ORDER BY 1 LIMIT 200",
  "SELECT printf('%.2f', max(spent)) AS m, printf('%.2f', sum(spent)) AS s, count(*) AS n FROM spending",
  "SELECT typeof(price) AS a, typeof(stock) AS b, typeof(NULL) AS c, typeof(x'00') AS d, hex(zeroblob(3)) AS e, quote('it''s') AS f FROM products LIMIT 1",
  "SELECT CASE WHEN quantity < 5 THEN 'few' WHEN quantity < 15 THEN 'some' ELSE 'many' END AS size, count(*) AS n, sum(quantity) FILTER (WHERE at < '2022') AS early FROM orders GROUP BY 1 ORDER BY 1",
  "SELECT group_concat(sku, ',') AS s FROM (SELECT DISTINCT sku FROM orders WHERE customer_id = 3 ORDER BY sku)",
  "SELECT count(*) AS n FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE c.id = o.customer_id AND c.country = 'AA') AND o.id NOT IN (SELECT rowid FROM notes)",
  "SELECT a.id AS a, b.id AS b FROM orders a JOIN orders b ON b.customer_id = a.customer_id AND substr(b.at, 1, 7) = substr(a.at, 1, 7) AND b.id > a.id WHERE a.customer_id < 30 ORDER BY 1, 2",
  "SELECT substr('héllo wörld', 2, 5) AS a, instr('héllo', 'l') AS b, unicode('é') AS c, length('日本') AS d, trim('  x ') AS e, replace('aXa', 'X', '-') AS f, coalesce(NULL, '') AS g, nullif(1, 1) AS h, abs(-3) AS i, 7 / 2 AS j, -7 % 3 AS k, 1 << 40 AS l",
];

let file = "";

beforeAll(() => {
  file = createWarehouse(join(createPlace(), "warehouse.db"));
});

interface Page {
  readonly rows: unknown[][];
  readonly truncated: boolean;
  readonly next_cursor?: string;
}

async function readPage(wire: Wire, args: object): Promise<Page> {
  const response = await callTool(wire, "read_query", { ...args });
  if (!isGood(response)) throw new Error(textOf(response));
  return response.result?.["structuredContent"] as Page;
}

async function readAll(wire: Wire, query: string, limit: number): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 1000; pages += 1) {
    const page: Page = await readPage(wire, { query, limit, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.rows);
    expect(page.truncated).toBe(page.next_cursor !== undefined);
    cursor = page.next_cursor;
    if (cursor === undefined) return rows;
  }
  throw new Error("There is no end to it");
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path))
    for (const byte of chunk as Buffer) if (byte === 10) lines += 1;
  return lines;
}

describe(`a database of ${ORDERS} rows`, () => {
  it("is asked, and answers as SQLite itself does", async () => {
    const wire = await openSqlite([file, "--read-only", "--timeout", "10m"], { timeoutMs: 200_000 });
    for (const query of QUERIES) {
      const rows = await readAll(wire, query, 10_000);
      expect.soft(rows.length, query).toBeGreaterThan(0);
      expect.soft(rows, query).toEqual(askElsewhere(file, query));
    }
  });

  it.each([
    [
      "by its key",
      "SELECT id, customer_id, sku, quantity, at, note, double_quantity FROM orders WHERE id <= 10000",
    ],
    [
      "in another order",
      "SELECT id, at FROM orders WHERE customer_id <= 1000 ORDER BY at DESC, id LIMIT 10000",
    ],
    ["grouped", "SELECT customer_id, count(*), max(at) FROM orders GROUP BY customer_id ORDER BY 2 DESC, 1"],
  ])("comes page by page as it comes at once, %s", async (_, query) => {
    const wire = await openSqlite([file, "--read-only", "--timeout", "10m"], { timeoutMs: 200_000 });
    const expected = rowsOf(file, query);
    expect(await readAll(wire, query, 777)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(9_000);
  });

  itOnLinux("goes to a file and comes back, in little memory", async () => {
    const exchange = join(createPlace(), "exchange");
    mkdirSync(exchange);
    const args = [file, "--exchange", exchange, "--allow-ddl", "--timeout", "10m"];
    const wire = await openSqlite(args, { timeoutMs: 200_000 });
    const out = await callTool(wire, "export_data", { path: "orders.csv", table_name: "orders" });
    expect(out.result?.["structuredContent"]).toMatchObject({
      rows: ORDERS,
      bytes: statSync(join(exchange, "orders.csv")).size,
    });
    expect(await countLines(join(exchange, "orders.csv"))).toBe(ORDERS + 1);
    const names = await callTool(wire, "export_data", { path: "products.jsonl", table_name: "products" });
    expect(textOf(names)).toMatch(/^500 rows/);
    await callTool(wire, "create_table", {
      query:
        "CREATE TABLE copy (id INTEGER PRIMARY KEY, customer_id INT, sku TEXT, quantity INT, at TEXT, note TEXT, double_quantity INT AS (quantity * 2))",
    });
    const back = await callTool(wire, "import_data", { path: "orders.csv", table_name: "copy" });
    expect(back.result?.["structuredContent"], textOf(back)).toMatchObject({
      rows: ORDERS,
      ignored_columns: ["double_quantity"],
    });
    const peaks = [wire.pid ?? 0, ...descendantsOf(wire.pid ?? 0)].map(peakOf);
    process.stdout.write(
      `peaks of the server and its processes, MiB: ${peaks.map((peak) => peak.toFixed(0)).join(" ")}\n`,
    );
    // What has ended has no peak, and the work is done in a process of the server.
    expect(peaks.length).toBeGreaterThan(1);
    for (const peak of peaks) expect(peak).toBeLessThan(256);
    const difference = "SELECT count(*) FROM (SELECT * FROM orders EXCEPT SELECT * FROM copy)";
    expect(rowsOf(file, difference)).toEqual([[0]]);
    await callTool(wire, "alter_or_drop", { query: "DROP TABLE copy" });
  });
});
