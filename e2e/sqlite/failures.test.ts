import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { faultsIn } from "@suite/check";
import { BOTH_ENDS, callTool, textOf } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import { checkFailing, type FailingRow } from "../support/failing.ts";
import { createPlace } from "../support/place.ts";
import { fieldsIn } from "../support/tool-rows.ts";
import { changesBetween, takeSnapshot } from "../filesystem/snapshot.ts";
import { openDirect } from "./direct.ts";
import { openSqlite } from "./program.ts";
import { createShop } from "./shop.ts";

const ROWS: readonly FailingRow<undefined>[] = [
  {
    about: "a table that is nearly right",
    tool: "read_query",
    args: { query: "SELECT * FROM user" },
    code: "invalid_input",
    text: /No such table: user at 1:15 \(did you mean users\?\)/,
  },
  {
    about: "a column that is nearly right",
    tool: "read_query",
    args: { query: "SELECT nme FROM users" },
    code: "invalid_input",
    text: /No such column: nme at 1:8 \(did you mean name\?\)/,
  },
  {
    about: "a word too many",
    tool: "read_query",
    args: { query: "SELECT *\nFROM FROM users" },
    code: "invalid_input",
    text: /Syntax error near "FROM" at 2:6/,
  },
  {
    about: "two statements",
    tool: "read_query",
    args: { query: "SELECT 1; SELECT 2" },
    code: "invalid_input",
    text: /more than one statement: the second begins at 1:11/,
  },
  {
    about: "a change where one only reads",
    tool: "read_query",
    args: { query: "DELETE FROM users RETURNING id" },
    code: "permission_denied",
    text: /DELETE … RETURNING changes data[\s\S]*Use write_query\.$/m,
  },
  {
    about: "a setting",
    tool: "read_query",
    args: { query: "PRAGMA journal_mode" },
    code: "permission_denied",
    text: /PRAGMA is refused/,
  },
  {
    about: "a query where one writes",
    tool: "write_query",
    args: { query: "SELECT 1" },
    code: "invalid_input",
    text: /Use read_query/,
  },
  {
    about: "another name that is taken",
    tool: "write_query",
    args: { query: "INSERT INTO users (name) VALUES ('Ada')" },
    code: "conflict",
    text: /A row with the same users\.name already exists/,
  },
  {
    about: "nothing where something must be",
    tool: "write_query",
    args: { query: "INSERT INTO users (name) VALUES (NULL)" },
    code: "invalid_input",
    text: /users\.name must not be NULL/,
  },
  {
    about: "a check that does not hold",
    tool: "write_query",
    args: { query: "UPDATE orders SET total = -1" },
    code: "invalid_input",
    text: /The check total >= 0 does not hold/,
  },
  {
    about: "a key that leads nowhere",
    tool: "write_query",
    args: { query: "INSERT INTO orders (user_id) VALUES (99)" },
    code: "conflict",
    text: /foreign key would point to a row that does not exist.*The key: orders \(user_id\) -> users \(primary key\)\.[^]*Insert the row that is pointed to \(in users\) first/,
  },
  {
    about: "rows that others point to",
    tool: "write_query",
    args: { query: "DELETE FROM users", database: "inside" },
    code: "conflict",
    text: /The key: kept \(\w+\) -> users [^]*Delete the rows that point to it \(in kept\) first, or point them elsewhere/,
  },
  {
    about: "a table that others point to",
    tool: "alter_or_drop",
    args: { query: "DROP TABLE users", database: "inside", dry_run: true },
    code: "conflict",
    text: /Delete the rows that point to it \(in kept\) first, or drop their tables/,
  },
  {
    about: "a table whose rows others would lose",
    tool: "alter_or_drop",
    args: { query: "DROP TABLE users", dry_run: true },
    code: "conflict",
    text: /rows of other tables by foreign keys \(those of orders point to it\)[^]*delete its rows with write_query/,
    details: { tables: ["orders"] },
  },
  {
    about: "a type that does not fit",
    tool: "write_query",
    args: { query: "INSERT INTO settings (key) VALUES (NULL)" },
    code: "invalid_input",
    text: /settings\.key must not be NULL/,
  },
  {
    about: "other rows than expected",
    tool: "write_query",
    args: { query: "DELETE FROM orders", expected_rows: 1 },
    code: "conflict",
    text: /would change 3 rows, 1 was expected\. Nothing was changed/,
    details: { expected: 1, changes: 3 },
  },
  {
    about: "a parameter too few",
    tool: "read_query",
    args: { query: "SELECT ?, ?", params: [1] },
    code: "invalid_input",
    text: /takes 2 parameters, 1 was given/,
  },
  {
    about: "a parameter of another name",
    tool: "read_query",
    args: { query: "SELECT :user", params: { usr: 1 } },
    code: "invalid_input",
    text: /no parameter usr \(did you mean user\?\)/,
  },
  {
    about: "a parameter that JSON has rounded",
    tool: "execute_batch",
    args: { statements: [{ query: "DELETE FROM users WHERE id = ?", params: [2 ** 53] }] },
    code: "invalid_input",
    text: /past 2\^53 as \{"\$int": "…"\}/,
  },
  {
    about: "a parameter that is no value",
    tool: "read_query",
    args: { query: "SELECT :a", params: { a: [] } },
    code: "invalid_input",
    text: /params must hold null/,
  },
  {
    about: "one value in place of parameters",
    tool: "read_query",
    args: { query: "SELECT ?", params: 5 },
    code: "invalid_input",
    text: /params must be a list for \?, or an object by name/,
  },
  {
    about: "a cursor of nothing",
    tool: "read_query",
    args: { query: "SELECT id FROM users", cursor: "x" },
    code: "invalid_input",
    text: /cursor/,
  },
  {
    about: "an argument of another kind",
    tool: "read_query",
    args: { query: "SELECT 1", limit: 0 },
    code: "invalid_input",
    text: /limit/,
  },
  {
    about: "a batch that fails at its end",
    tool: "execute_batch",
    args: {
      statements: [
        { query: "DELETE FROM log" },
        { query: "DELETE FROM users" },
        { query: "DELETE FROM nowhere" },
      ],
    },
    code: "invalid_input",
    text: /Statement 3 of 3 failed, so nothing was changed\. No such table: nowhere/,
  },
  {
    // What SQLite says of a full disk, too.
    about: "no room for a row",
    tool: "execute_batch",
    args: {
      statements: [
        { query: "INSERT INTO orders (id, user_id) VALUES (9223372036854775807, 1)" },
        { query: "INSERT INTO orders (user_id) VALUES (1)" },
      ],
    },
    code: "unavailable",
    text: /Statement 2 of 2 failed, so nothing was changed\. The disk is full, or no rowid is available/,
  },
  {
    about: "a table that is there",
    tool: "create_table",
    args: { query: "CREATE TABLE users (a)" },
    code: "invalid_input",
    text: /already exists/,
  },
  {
    about: "a new table by the tool for rows",
    tool: "write_query",
    args: { query: "CREATE TABLE fresh (a)" },
    code: "invalid_input",
    text: /Use create_table\./,
  },
  {
    about: "rows by the tool for schemas",
    tool: "create_table",
    args: { query: "DELETE FROM users" },
    code: "invalid_input",
    text: /Use write_query/,
  },
  {
    about: "a table to describe",
    tool: "describe_table",
    args: { table_name: "orderz" },
    code: "not_found",
    text: /There is no table "orderz"\.\nDid you mean orders\?/,
  },
  {
    about: "a column to profile",
    tool: "profile_table",
    args: { table_name: "users", columns: ["cty"] },
    code: "not_found",
    text: /Did you mean city\?/,
  },
  {
    about: "another database",
    tool: "read_query",
    args: { query: "SELECT 1", database: "shopp" },
    code: "not_found",
    text: /Did you mean shop\?/,
  },
  {
    about: "a file outside",
    tool: "export_data",
    args: { path: "../x.csv", table_name: "users" },
    code: "permission_denied",
    text: /outside the allowed directories/,
  },
  {
    about: "a file outside to read",
    tool: "import_data",
    args: { path: "../x.csv", table_name: "users" },
    code: "permission_denied",
    text: /outside the allowed directories/,
  },
  {
    about: "a file that is there",
    tool: "export_data",
    args: { path: "new.csv", table_name: "users", dry_run: true },
    code: "conflict",
    text: /new\.csv" exists\./,
  },
  {
    about: "two things to write",
    tool: "export_data",
    args: { path: "x.csv", table_name: "users", query: "SELECT 1" },
    code: "invalid_input",
    text: /table/,
  },
  {
    about: "a file that is the database",
    tool: "export_data",
    args: { path: "inside.db", table_name: "users", overwrite: true, database: "inside" },
    code: "permission_denied",
    text: /in use by this server/,
  },
  {
    about: "a file that is not there",
    tool: "import_data",
    args: { path: "x.csv", table_name: "users" },
    code: "not_found",
    text: /x\.csv" does not exist/,
  },
  {
    about: "a table that is to be made",
    tool: "import_data",
    args: { path: "new.csv", table_name: "fresh" },
    code: "not_found",
    text: /There is no table "fresh"\.\ncreate: true makes it\. There are: /,
  },
  {
    about: "an insight without words",
    tool: "append_insight",
    args: { insight: "", database: undefined },
    code: "invalid_input",
    text: /insight/,
  },
];

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("a call that fails says what kind of failure it is, and changes nothing", async () => {
    const folder = createPlace();
    const exchange = join(folder, "exchange");
    mkdirSync(exchange);
    writeFileSync(join(exchange, "new.csv"), "a\n1\n");
    const files = [createShop(folder), createShop(exchange, "inside.db")];
    const direct = openDirect(join(exchange, "inside.db"));
    direct.exec("CREATE TABLE kept (user_id REFERENCES users); INSERT INTO kept VALUES (1)");
    direct.close();
    const wire = await openSqlite([...files, "--allow-ddl", "--exchange", exchange], { revision });
    const before = takeSnapshot(folder);
    for (const row of ROWS)
      checkFailing(
        await callTool(wire, row.tool, { database: "shop", ...fieldsIn(row.args, undefined) }),
        row,
      );
    expect(changesBetween(before, takeSnapshot(folder))).toEqual([]);
    expect(faultsIn(wire)).toEqual([]);
  });
});

describe("a lock of somebody else", () => {
  it("is waited for, and told of when it lasts", async () => {
    const file = createShop(createPlace());
    const wire = await openSqlite([file, "--busy-timeout", "300ms"]);
    const query = "INSERT INTO log VALUES ('x')";
    const other = openDirect(file);
    other.exec("BEGIN EXCLUSIVE");
    const locked = await callTool(wire, "write_query", { query });
    expect(errorOf(locked)).toMatchObject({ code: "unavailable", retryable: true, retryAfterMs: 250 });
    expect(textOf(locked)).toMatch(/locked by another process[\s\S]*Nothing was changed\. Try again/);
    const waiting = callTool(wire, "write_query", { query });
    other.exec("COMMIT");
    other.close();
    expect(textOf(await waiting)).toMatch(/^1 row changed\./);
  });
});
