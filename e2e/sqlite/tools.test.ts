import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { callTool, contentOf, listTools, type ListedTool, textOf } from "../support/calls.ts";
import { faultsIn } from "../support/faults.ts";
import { satisfies } from "../support/json-schema.ts";
import { BOTH_ENDS, type Revision } from "../support/revisions.ts";
import type { Wire } from "../support/wire.ts";
import { rowsOf } from "./direct.ts";
import { createPlace, openSqlite } from "./program.ts";
import { READING } from "./reading-rows.ts";
import { createShop } from "./shop.ts";
import type { Scene, ToolRow } from "./tool-row.ts";
import { WRITING } from "./writing-rows.ts";

const ROWS: readonly ToolRow[] = [...READING, ...WRITING];

const hasStructure = (revision: Revision): boolean => revision >= "2025-06-18";

const readFile = (path: string): string | null => (existsSync(path) ? readFileSync(path, "utf8") : null);

function checkTraces({ rows = {}, written = {} }: ToolRow, { file, exchange }: Scene, about: string): void {
  for (const [sql, expected] of Object.entries(rows))
    expect.soft(rowsOf(file, sql), `${about}: ${sql}`).toEqual(expected);
  for (const [name, expected] of Object.entries(written)) {
    const content = readFile(join(exchange, name));
    if (expected instanceof RegExp) expect.soft(content, about).toMatch(expected);
    else expect.soft(content, about).toBe(expected);
  }
}

async function checkRow(wire: Wire, row: ToolRow, scene: Scene, tool: ListedTool | undefined): Promise<void> {
  const about = `${row.tool}, ${row.about}`;
  const response = await callTool(wire, row.tool, row.args);
  expect.soft(response.result?.["isError"], `${about}: ${textOf(response)}`).toBeFalsy();
  expect.soft(textOf(response), about).toMatch(row.text);
  const kinds = contentOf(response).map(({ type }) => type);
  const blocks = row.blocks ?? ["text"];
  expect.soft(kinds, about).toEqual(tool?.outputSchema ? blocks : blocks.map(() => "text"));
  const structured = response.result?.["structuredContent"];
  const schema = tool?.outputSchema;
  const expected = typeof row.structured === "function" ? row.structured(scene) : row.structured;
  expect.soft({ structured }, about).toMatchObject({ structured: schema ? expected : undefined });
  expect.soft(!schema || satisfies(schema, structured), `${about}: fits its schema`).toBe(true);
  checkTraces(row, scene, about);
}

/** As it was at first. The server notices that it is another file. */
function prepare({ files = {} }: ToolRow, { file, exchange }: Scene): void {
  renameSync(createShop(exchange, "fresh.db"), file);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(exchange, name), content);
}

describe.each(BOTH_ENDS)("in %s", (revision) => {
  it("every tool does what it says", async () => {
    const folder = createPlace();
    const scene = { file: createShop(folder), exchange: join(folder, "exchange") };
    mkdirSync(scene.exchange);
    const wire = await openSqlite([scene.file, "--allow-ddl", "--exchange", scene.exchange], { revision });
    const tools = await listTools(wire);
    expect(new Set(ROWS.map(({ tool }) => tool))).toEqual(new Set(tools.map(({ name }) => name)));
    expect(tools.every(({ outputSchema }) => (outputSchema !== undefined) === hasStructure(revision))).toBe(
      true,
    );
    for (const row of ROWS) {
      prepare(row, scene);
      const tool = tools.find(({ name }) => name === row.tool);
      await checkRow(wire, row, scene, tool);
    }
    expect(faultsIn(wire)).toEqual([]);
    expect(await wire.end()).toMatchObject({ code: 0, signal: null });
    expect(wire.stderr).toBe("");
  });
});
