import { join } from "node:path";
import type { TourServer } from "../tour-server.ts";

const TABLE = "sqlite://shop/table/orders";

const ORDERS = {
  query: "INSERT INTO orders (item, price) VALUES (?, ?), (?, ?), (?, ?)",
  params: ["tea", 4.5, "cake", 3, "tea", 5],
};
const MORE_ORDERS = [
  { query: "INSERT INTO orders (item, price) VALUES (?, ?)", params: ["pie", 4] },
  { query: "UPDATE orders SET price = ? WHERE item = ?", params: [5, "tea"] },
];
const ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r";

export const sqlite: TourServer = {
  name: "sqlite",
  summary: "Queries that can always be stopped, and changes you can preview.",
  packageName: "@suite/server-sqlite",
  args: (folder) => ["--create", "--allow-ddl", "--confirm", join(folder, "shop.db")],
  hostArgs: () => ["--allow-ddl", ":memory:"],
  answer: { confirm: true },
  sample: { name: "read_query", args: { query: "SELECT 1 AS one" } },
  asking: { name: "write_query", args: { query: "DELETE FROM orders WHERE 0" } },
  missing: "sqlite://shop/table/nowhere",
  async show(conversation) {
    await conversation.call("create_table", {
      query: "CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, item TEXT, price REAL)",
    });
    await conversation.call("write_query", ORDERS);
    const query = "SELECT item, sum(price) AS total FROM orders GROUP BY item";
    await conversation.call("read_query", { query });
    await conversation.call("write_query", { query: "UPDATE orders SET price = price * 2", dry_run: true });
    await conversation.fail("read_query", { query: "DROP TABLE orders" });
    await conversation.fail("read_query", { query: ENDLESS }, { "dev.suite/timeoutMs": 500 });
  },
  async more(conversation) {
    await conversation.call("execute_batch", { statements: MORE_ORDERS });
    await conversation.call("explain_query", { query: "SELECT * FROM orders o WHERE o.item = 'tea'" });
    await conversation.read(TABLE);
    await conversation.complete("analyze_table", "table", "or");
    await conversation.hearOf(TABLE, () =>
      conversation.call("write_query", { query: "DELETE FROM orders WHERE item = 'cake'" }),
    );
    await conversation.fail("read_query", { query: "SELECT * FROM order_s" });
  },
};
