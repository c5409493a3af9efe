import { join } from "node:path";

import { callTool, type Fields, isGood, textOf } from "@suite/check/wires";
import { expect, it } from "vitest";

import { createDatabase } from "../sqlite/direct.ts";
import { openSqlite } from "../sqlite/program.ts";
import { createPlace } from "../support/place.ts";
import { complaintsAboutViews } from "../support/views.ts";

/** Each takes eight characters, or two, when it is shown. */
const HIDDEN = '\u200B"'.repeat(1500);
const TABLES = 1001;

it("results keep to the budget, whatever values hold and however many tables there are", async () => {
  const folder = createPlace();
  const tables = Array.from(
    { length: TABLES },
    (_, at) => `CREATE TABLE a_table_with_a_name_${at} (a, b, c);`,
  );
  const rows = Array.from({ length: 50 }, (_, at) => `(${at}, '${HIDDEN}')`);
  const file = createDatabase(
    join(folder, "app.db"),
    `BEGIN; ${tables.join("\n")} COMMIT; CREATE TABLE wide (${Array.from({ length: 101 }, (_, at) => `c${at}`).join(", ")});
    INSERT INTO wide (c0, c1) VALUES (1, 1709164801), ('x', 1709164803); CREATE TABLE t (id INTEGER PRIMARY KEY, words TEXT); INSERT INTO t VALUES ${rows.join(", ")};`,
  );
  const wire = await openSqlite([file, "--allow-ddl", "--exchange", folder]);
  const calls: readonly (readonly [tool: string, args: Fields])[] = [
    ["list_tables", {}],
    ["describe_table", {}],
    ["describe_table", { table: "t" }],
    ["profile_table", { table: "t" }],
    ["read_query", { query: "SELECT * FROM t" }],
    ["read_query", { query: `SELECT ${Array.from({ length: 60 }, () => "words").join(", ")} FROM t` }],
    ["write_query", { query: "UPDATE t SET words = words || 'x'", dry_run: true }],
    ["write_query", { query: "DELETE FROM t RETURNING *", dry_run: true }],
    ["export_data", { path: "t.csv", table: "t" }],
    ["import_data", { path: "t.csv", table: "back", create: true, dry_run: true }],
  ];
  for (const [tool, args] of calls) {
    const response = await callTool(wire, tool, args);
    const what = `${tool} ${JSON.stringify(args).slice(0, 60)}`;
    expect.soft([what, !isGood(response) && textOf(response)]).toEqual([what, false]);
    expect.soft(complaintsAboutViews(response, args), what).toEqual([]);
  }
  const { result } = await callTool(wire, "describe_table", {});
  const { tables: described, omitted } = (result?.["structuredContent"] ?? {}) as {
    tables: unknown[];
    omitted: unknown[];
  };
  // None of them is passed over in silence.
  expect(described.length + omitted.length).toBe(1000);
  expect(result?.["structuredContent"]).toMatchObject({
    more: true,
    note: expect.stringMatching(/tables did not fit: .* There are more tables: SELECT name/) as unknown,
  });
  expect(textOf(await callTool(wire, "list_tables", {}))).toContain("There are more tables: SELECT name");
  const wide = textOf(await callTool(wire, "profile_table", { table: "wide" }));
  expect(wide).toMatch(/c0: 0 NULL, 2 distinct, 1 integer \+ 1 text, 1 … x, mean 1;/);
  // Not rounded out of their range.
  expect(wide).toMatch(/c1: .* 1709164801 … 1709164803, mean 1709164802;/);
  expect(wide).toMatch(/There are more columns: name the ones you want in columns\.$/);
  await wire.end();
});

it("a long row of spaces in a batch takes no longer than its length", async () => {
  const wire = await openSqlite([createDatabase(join(createPlace(), "app.db"), "CREATE TABLE t (a)")]);
  const query = `INSERT INTO t VALUES (1${" ".repeat(900_000)})`;
  const response = await callTool(wire, "execute_batch", { statements: [{ query }] });
  expect(isGood(response), textOf(response)).toBe(true);
  await wire.end();
});
