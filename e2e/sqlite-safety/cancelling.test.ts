import { join } from "node:path";

import { faultsIn } from "@suite/check";
import { BOTH_ENDS, callTool, type Fields, isAnswerTo, textOf, until } from "@suite/check/wires";
import { expect, it } from "vitest";

import { errorOf } from "../support/calls.ts";
import type { Wire } from "../support/wire.ts";
import { createDatabase, rowsOf } from "../sqlite/direct.ts";
import { cpuOf, descendantsOf, isGone, peakOf } from "../support/processes.ts";
import { createPlace } from "../support/place.ts";
import { openSqlite } from "../sqlite/program.ts";
import { describeOnLinux } from "../support/programs.ts";

const ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)";
const SUM = `${ENDLESS} SELECT sum(i) FROM r`;
const SCRIPT = `CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE VIEW endless AS ${ENDLESS} SELECT max(i) AS i FROM r;`;

const createRunaway = (): string => createDatabase(join(createPlace(), "app.db"), SCRIPT);

async function expectWorking(wire: Wire): Promise<void> {
  const response = await callTool(wire, "read_query", { query: "SELECT a FROM t" });
  expect(textOf(response)).toMatch(/^1 row:/);
}

const childOf = (wire: Wire): number => descendantsOf(wire.pid ?? 0)[0] ?? 0;

/** It takes time from the processor: the statement has begun. */
async function untilBusy(pid: number): Promise<void> {
  const before = cpuOf(pid);
  await until(() => cpuOf(pid) > before + 3, "Some work");
}

describeOnLinux("a query that does not end", () => {
  it("is stopped by its client, again and again", async () => {
    const wire = await openSqlite([createRunaway()]);
    for (let time = 0; time < 10; time += 1) {
      await expectWorking(wire);
      const child = childOf(wire);
      const id = wire.send("tools/call", { name: "read_query", arguments: { query: SUM } });
      await untilBusy(child);
      wire.notify("notifications/cancelled", { requestId: id });
      await until(() => isGone(child), "The end of the process");
    }
    await expectWorking(wire);
    expect(faultsIn(wire)).toEqual([]);
  });

  it.each(BOTH_ENDS)("leaves the queries behind it alone, in %s", async (revision) => {
    const wire = await openSqlite([createRunaway()], { revision });
    await expectWorking(wire);
    const endless = wire.send("tools/call", { name: "read_query", arguments: { query: SUM } });
    const behind = Array.from({ length: 5 }, () =>
      callTool(wire, "read_query", { query: "SELECT a FROM t" }),
    );
    await untilBusy(childOf(wire));
    wire.notify("notifications/cancelled", { requestId: endless });
    for (const response of await Promise.all(behind)) expect(textOf(response)).toMatch(/^1 row:/);
    expect(wire.heard.filter(isAnswerTo(endless)).every(({ error }) => error !== undefined)).toBe(true);
  });

  it("of other kinds is stopped, too", async () => {
    const folder = createPlace();
    const file = createDatabase(join(folder, "app.db"), SCRIPT);
    const wire = await openSqlite([file, "--exchange", folder, "--allow-ddl"]);
    const calls: readonly (readonly [tool: string, args: Fields])[] = [
      ["write_query", { query: `INSERT INTO t ${ENDLESS} SELECT i FROM r` }],
      ["write_query", { query: `UPDATE t SET a = (${ENDLESS} SELECT sum(i) FROM r)`, dry_run: true }],
      [
        "execute_batch",
        {
          statements: [
            { query: "DELETE FROM t" },
            { query: `INSERT INTO t ${ENDLESS} SELECT max(i) FROM r` },
          ],
        },
      ],
      ["create_table", { query: `CREATE TABLE u AS ${ENDLESS} SELECT sum(i) FROM r` }],
      ["describe_table", { table_name: "endless" }],
      ["profile_table", { table_name: "endless" }],
      ["export_data", { path: "x.csv", table_name: "endless" }],
      ["export_data", { path: "x.csv", query: `${ENDLESS} SELECT i FROM r` }],
    ];
    for (const [tool, args] of calls) {
      const response = await callTool(wire, tool, args, { meta: { "dev.suite/timeoutMs": 300 } });
      expect(errorOf(response).code, `${tool}: ${textOf(response)}`).toBe("timeout");
      await expectWorking(wire);
    }
    expect(rowsOf(file, "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM sqlite_schema)")).toEqual([
      [1, 2],
    ]);
    await wire.end();
  });
});

describeOnLinux("a result of a hundred megabytes", () => {
  it("comes in pages that are small", async () => {
    const script = `PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (1); CREATE TABLE big (id INTEGER PRIMARY KEY, x);
      INSERT INTO big WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 50000) SELECT i, printf('%.*c', 2000, 'x') FROM r;`;
    const wire = await openSqlite([createDatabase(join(createPlace(), "app.db"), script)]);
    await expectWorking(wire);
    let [cursor, rows, pages] = [undefined as unknown, 0, 0];
    do {
      const most = { limit: 10_000, max_bytes: 1_000_000 };
      const args = { query: "SELECT * FROM big", ...most, ...(cursor === undefined ? {} : { cursor }) };
      const { result } = await callTool(wire, "read_query", args);
      const page = result?.["structuredContent"] as { rows: unknown[][]; next_cursor?: string };
      rows += page.rows.length;
      cursor = page.next_cursor;
      pages += 1;
    } while (cursor !== undefined && pages < 1000);
    expect(rows).toBe(50_000);
    // Whole messages: more than the results in them.
    expect(Math.max(...wire.rawLines.map((line) => line.length))).toBeLessThan(2_500_000);
    expect(peakOf(childOf(wire))).toBeLessThan(256);
    expect(peakOf(wire.pid ?? 0)).toBeLessThan(300);
  });
});
