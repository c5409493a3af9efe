import { join } from "node:path";
import type { Client } from "@suite/core/client";
import { textOfRead } from "../results.ts";
import type { Screen } from "../screen.ts";
import type { TourServer } from "../tour-server.ts";
import { call, fail } from "../calls.ts";

const TABLE = "sqlite://shop/table/orders";
const NOTIFIED_MS = 10_000;

const ORDERS = [
  { query: "INSERT INTO orders (item, price) VALUES (?, ?)", params: ["tea", 4.5] },
  { query: "INSERT INTO orders (item, price) VALUES (?, ?), (?, ?)", params: ["cake", 3, "tea", 5] },
];

export const sqlite: TourServer = {
  name: "sqlite",
  summary: "SQLite databases: asked, changed and explained in a process that can always be stopped.",
  packageName: "@suite/server-sqlite",
  args: (folder) => ["--create", "--allow-ddl", "--confirm", join(folder, "shop.db")],
  hostArgs: (folder) => ["--create", "--allow-ddl", join(folder, "app.db")],
  answer: { confirm: true },
  sample: { name: "read_query", args: { query: "SELECT 1 AS one" } },
  asking: { name: "write_query", args: { query: "DELETE FROM orders WHERE 0" } },
  missing: "sqlite://shop/table/nowhere",
  async show(client, screen) {
    await call(client, screen, "create_table", {
      query: "CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, item TEXT, price REAL)",
    });
    await call(client, screen, "execute_batch", { statements: ORDERS });
    const query = "SELECT item, count(*) AS n, sum(price) AS total FROM orders WHERE price > ? GROUP BY item";
    await call(client, screen, "read_query", { query, params: [3.5] });
    await call(client, screen, "write_query", {
      query: "UPDATE orders SET price = price * 2",
      dry_run: true,
    });
    await call(client, screen, "explain_query", { query: "SELECT * FROM orders o WHERE o.item = 'tea'" });
    screen.sent(`resources/read ${TABLE}`);
    screen.received(textOfRead(await client.readResource(TABLE)));
    await completeTable(client, screen);
    await changeWhileSubscribed(client, screen);
    await fail(client, screen, "read_query", { query: "SELECT * FROM order_s" });
    await stop(client, screen);
  },
};

async function stop(client: Client, screen: Screen): Promise<void> {
  const query = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r";
  await fail(client, screen, "read_query", { query }, { "dev.suite/timeoutMs": 500 });
}

async function completeTable(client: Client, screen: Screen): Promise<void> {
  screen.sent('completion/complete analyze_table, table starts with "or"');
  const { values } = await client.complete({ prompt: "analyze_table" }, { name: "table", value: "or" });
  screen.received(values.join(", "));
}

async function changeWhileSubscribed(client: Client, screen: Screen): Promise<void> {
  let notified: () => void = () => undefined;
  const updated = new Promise<void>((resolve) => (notified = resolve));
  screen.sent(`subscriptions/listen ${TABLE}`);
  const subscription = await client.subscribe(TABLE, notified);
  await call(client, screen, "write_query", { query: "DELETE FROM orders WHERE item = 'cake'" });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no notification about ${TABLE} came`)), NOTIFIED_MS);
  });
  await Promise.race([updated, late]).finally(() => clearTimeout(timer));
  screen.received(`notifications/resources/updated ${TABLE}`);
  await subscription.close();
}
