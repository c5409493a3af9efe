import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { SampleCall } from "@suite/check";

import { createShop } from "../../sqlite/shop.ts";
import { inRoot } from "../../support/root.ts";
import { SQLITE } from "../../support/servers.ts";
import { type ContractServer, type ContractStage, WITH_FORMS } from "../contract-server.ts";

const MANY_ROWS =
  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, printf('%300d', i) AS a FROM n";
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

const CALLS: readonly SampleCall[] = [
  { name: "list_tables", args: {} },
  { name: "describe_table", args: { table: "orders", sample: 1 } },
  { name: "create_table", args: { query: "CREATE TABLE t (a TEXT)", dry_run: true } },
  { name: "create_table", args: { query: "CREATE TABLE t (a TEXT)" } },
  { name: "write_query", args: { query: "INSERT INTO t VALUES ('x')", dry_run: true } },
  { name: "write_query", args: { query: "INSERT INTO t VALUES ('x')" } },
  { name: "read_query", args: { query: "SELECT a FROM t", store: true } },
  { name: "read_query", args: { query: MANY_ROWS } },
  { name: "explain_query", args: { query: "SELECT * FROM users WHERE city = 'x'" } },
  { name: "profile_table", args: { table: "orders" } },
  { name: "execute_batch", args: { statements: [{ query: "DELETE FROM t" }] } },
  { name: "alter_or_drop", args: { query: "DROP TABLE t" } },
  { name: "undo", args: { id: "last", dry_run: true } },
  { name: "undo", args: { id: "last" } },
  { name: "append_insight", args: { insight: "Ada buys most." } },
  { name: "export_data", args: { path: "out.csv", table: "users" } },
  { name: "import_data", args: { path: "in.csv", table: "users" } },
  { name: "backup_database", args: { path: "copy.db" } },
];

function prepare(place: string): ContractStage {
  const folder = realpathSync(place);
  const exchange = join(folder, "exchange");
  mkdirSync(exchange);
  writeFileSync(join(exchange, "in.csv"), "id,name,city\r\n7,Eve,Rome\r\n");
  return {
    // With everything that can be allowed, so that all of its tools are there.
    args: [createShop(folder), "--allow-ddl", "--exchange", exchange],
    calls: CALLS,
    uris: ["sqlite://shop/schema", "sqlite://shop/table/users", "sqlite://shop/table/users/rows?limit=2"],
    prompts: {
      "mcp-demo": { topic: "shops" },
      analyze_table: { table: "users" },
      write_query_for: { question: "Who buys most?" },
      optimize_query: { query: "SELECT * FROM users" },
    },
    change: {
      uri: "sqlite://shop/table/users",
      call: { name: "write_query", args: { query: "UPDATE users SET city = 'Oslo'" } },
    },
    slow: { name: "read_query", args: { query: ENDLESS }, reports: false },
    logged: { name: "create_table", args: { query: "CREATE TABLE logged (x)" } },
    asks: { "elicitation/create": WITH_FORMS },
  };
}

export const sqlite: ContractServer = {
  name: "sqlite",
  command: SQLITE,
  prepare,
  snapshot: inRoot("servers/sqlite/contract.json"),
  tokens: 1200,
};
