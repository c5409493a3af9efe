import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { BOTH_ENDS } from "@suite/check/wires";
import { describe, expect, it } from "vitest";

import { createPlace } from "../support/place.ts";
import { checkToolRows } from "../support/tool-rows.ts";
import { rowsOf } from "./direct.ts";
import { openSqlite } from "./program.ts";
import { READING } from "./reading-rows.ts";
import { createShop } from "./shop.ts";
import type { ShopScene, SqliteRow } from "./tool-row.ts";
import { WRITING } from "./writing-rows.ts";

const ROWS: readonly SqliteRow[] = [...READING, ...WRITING];

const readFile = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);

function checkTraces(
  { rows = {}, written = {} }: SqliteRow,
  { file, exchange }: ShopScene,
  about: string,
): void {
  for (const [sql, expected] of Object.entries(rows))
    expect.soft(rowsOf(file, sql), `${about}: ${sql}`).toEqual(expected);
  for (const [name, expected] of Object.entries(written))
    expect.soft(readFile(join(exchange, name)), about).toEqual(expected);
}

/** As it was at first, for those that change it. The server notices that it is another file. */
function prepare(row: SqliteRow, { file, exchange }: ShopScene): ShopScene {
  const { files = {} } = row;
  if (WRITING.includes(row)) renameSync(createShop(exchange, "fresh.db"), file);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(exchange, name), content);
  return { file, exchange };
}

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("every tool does what it says", async () => {
    const folder = createPlace();
    const scene = { file: createShop(folder), exchange: join(folder, "exchange") };
    mkdirSync(scene.exchange);
    const wire = await openSqlite([scene.file, "--allow-ddl", "--exchange", scene.exchange], { revision });
    await checkToolRows(wire, ROWS, { prepare: (row) => prepare(row, scene), checkTraces });
    expect(wire.stderr).toBe("");
  });
});
