import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Fields } from "@suite/check/wires";
import { expect, it } from "vitest";

import { resultOf } from "../git/program.ts";
import { createDatabase } from "../sqlite/direct.ts";
import { STORE, UNDOABLE } from "../sqlite/undo-steps.ts";
import { createPlace } from "../support/place.ts";
import { inSoak } from "../support/soak.ts";
import type { Wire } from "../support/wire.ts";
import { commandOnWindows, describeOnWindows, openOnWindows } from "./windows.ts";

const rowsOf = async (wire: Wire, query: string): Promise<readonly unknown[]> =>
  (await resultOf<{ rows: readonly unknown[] }>(wire, "read_query", { query })).rows;

/** The schema and every row. Only the server may read them: locks of Wine are none to programs of this system. */
async function stateOf(wire: Wire): Promise<unknown> {
  const objects = await rowsOf(
    wire,
    "SELECT name, type, sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name",
  );
  const tables = (objects as [string, string][]).filter(([, type]) => type === "table");
  const rows = tables.map(([name]) => rowsOf(wire, `SELECT * FROM "${name}" LIMIT 100`));
  return [objects, await Promise.all(rows)];
}

describeOnWindows("the SQLite server on Windows", () => {
  it("takes back what it has changed, in the next process too", async () => {
    const folder = createPlace();
    writeFileSync(join(folder, "users.csv"), "id,name,city\r\n7,Eve,Rome\r\n8,Flo,\r\n");
    writeFileSync(join(folder, "bad.csv"), "id,name,city\r\n7,Eve,Rome\r\n1,twice,\r\n9,Bo,\r\n10,Gus,\r\n");
    const file = createDatabase(join(folder, "store.db"), STORE);
    const command = [...commandOnWindows("sqlite"), file, "--allow-ddl", "--exchange", folder];
    const undo = (wire: Wire): Promise<Fields> => resultOf(wire, "undo", { id: "last" });
    const first = await openOnWindows(command);
    const before = await stateOf(first);
    for (const [tool, args] of UNDOABLE.slice(0, inSoak(UNDOABLE.length, 5))) {
      await resultOf(first, tool, args);
      expect(await stateOf(first), JSON.stringify(args)).not.toEqual(before);
      await undo(first);
      expect(await stateOf(first), JSON.stringify(args)).toEqual(before);
    }
    await resultOf(first, "write_query", { query: "DELETE FROM orders" });
    expect(await first.end()).toMatchObject({ code: 0 });
    const next = await openOnWindows(command);
    expect(await stateOf(next)).not.toEqual(before);
    await undo(next);
    expect(await stateOf(next)).toEqual(before);
    expect(await next.end()).toMatchObject({ code: 0 });
  });
});
