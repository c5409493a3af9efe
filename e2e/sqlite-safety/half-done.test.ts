import { readdirSync } from "node:fs";
import { join } from "node:path";

import { callTool, textOf, until } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import type { Wire } from "../support/wire.ts";
import { createDatabase, withDirect } from "../sqlite/direct.ts";
import { descendantsOf } from "../support/processes.ts";
import { createPlace } from "../support/place.ts";
import { openSqlite } from "../sqlite/program.ts";
import { describeOnLinux } from "../support/programs.ts";

const ROWS = 300_000;

const SCRIPT = `CREATE TABLE t (a, b); CREATE TABLE copy (a, b);
  INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < ${ROWS}) SELECT i, 'row ' || i FROM r;`;

const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ["import_data", { path: "t.csv", table_name: "copy" }],
  ["export_data", { path: "x.csv", table_name: "t" }],
  ["export_data", { path: "t.csv", table_name: "copy", overwrite: true }],
  ["backup_database", { path: "x.db" }],
];
/** What may be in the folder: what was there, and what was finished in time. */
const KNOWN = /^(app\.db(\.suite-undo)?(-wal|-shm|-journal)?|t\.csv|x\.csv|x\.db)$/;

async function killAll(wire: Wire): Promise<void> {
  await until(() => descendantsOf(wire.pid ?? 0).length > 0, "A process");
  await new Promise((resolve) => setTimeout(resolve, 80));
  for (const child of descendantsOf(wire.pid ?? 0)) process.kill(child, "SIGKILL");
}

describeOnLinux("processes that are killed", () => {
  describe.each(["delete", "wal"])("in the journal mode %s", (mode) => {
    it("an import, an export and a backup whose process is killed leave nothing half done", async () => {
      const folder = createPlace();
      const file = createDatabase(join(folder, "app.db"), `PRAGMA journal_mode = ${mode}; ${SCRIPT}`);
      const wire = await openSqlite([file, "--exchange", folder]);
      expect(textOf(await callTool(wire, "export_data", { path: "t.csv", table_name: "t" }))).toMatch(
        /^300,000 rows/,
      );
      for (const [tool, args] of CALLS) {
        const calling = callTool(wire, tool, { ...args });
        await killAll(wire);
        expect(textOf(await calling), tool).toMatch(
          /ended unexpectedly|could not be started|were added|were written|Copied/,
        );
        expect(
          readdirSync(folder).filter((name) => !KNOWN.test(name)),
          tool,
        ).toEqual([]);
      }
      await wire.end();
      withDirect(file, (database) => {
        expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
        expect([0, ROWS]).toContain(database.prepare("SELECT count(*) FROM copy").pluck().get());
      });
    });
  });
});
