import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { callTool, contentOf, listTools, type ListedTool, textOf } from "../support/calls.ts";
import { faultsIn } from "../support/faults.ts";
import { satisfies } from "../support/json-schema.ts";
import { REVISIONS, type Revision } from "../support/revisions.ts";
import { complaintsAboutViews } from "../support/views.ts";
import type { Wire } from "../support/wire.ts";
import { createPlace, openFiles } from "./program.ts";
import { writeProject } from "./project.ts";
import { READING } from "./reading-rows.ts";
import { readDisk, type Scene, type ToolRow } from "./tool-row.ts";
import { WRITING } from "./writing-rows.ts";

const ROWS: readonly ToolRow[] = [...READING, ...WRITING];
/** As many processes as there are revisions, and a project for each row. */

const hasStructure = (revision: Revision): boolean => revision >= "2025-06-18";

function createScene(root: string, name: string): Scene {
  const folder = join(root, name);
  mkdirSync(folder);
  return { root, folder: writeProject(folder) };
}

async function checkRow(wire: Wire, row: ToolRow, scene: Scene, tool: ListedTool | undefined): Promise<void> {
  const about = `${row.tool}, ${row.about}`;
  for (const { tool: name, args } of row.before ?? []) await callTool(wire, name, args(scene));
  const response = await callTool(wire, row.tool, row.args(scene));
  expect.soft(response.result?.["isError"], `${about}: ${textOf(response)}`).toBeFalsy();
  expect.soft(textOf(response), about).toMatch(row.text);
  const kinds = contentOf(response).map(({ type }) => type);
  expect.soft(kinds, about).toEqual(row.blocks ?? ["text"]);
  const structured = response.result?.["structuredContent"];
  expect.soft(complaintsAboutViews(response, row.args(scene)), about).toEqual([]);
  const hasSchema = tool?.outputSchema !== undefined;
  expect.soft(structured !== undefined, about).toBe(hasSchema);
  expect.soft(structured ?? {}, about).toMatchObject(hasSchema ? row.structured(scene) : {});
  const fits = tool?.outputSchema === undefined || satisfies(tool.outputSchema, structured);
  expect.soft(fits, `${about}: the result fits its schema`).toBe(true);
  const { disk = {} } = row;
  expect.soft(readDisk(scene.folder, Object.keys(disk)), about).toEqual(disk);
}

describe.each(REVISIONS)("in %s", (revision) => {
  it("every tool does what it says", async () => {
    const root = createPlace();
    const wire = await openFiles([root], { revision });
    const tools = await listTools(wire);
    expect(new Set(ROWS.map(({ tool }) => tool))).toEqual(new Set(tools.map(({ name }) => name)));
    expect(tools.every(({ outputSchema }) => (outputSchema !== undefined) === hasStructure(revision))).toBe(
      true,
    );
    for (const [index, row] of ROWS.entries()) {
      const tool = tools.find(({ name }) => name === row.tool);
      await checkRow(wire, row, createScene(root, `row-${index}`), tool);
    }
    expect(faultsIn(wire)).toEqual([]);
    expect(await wire.end()).toMatchObject({ code: 0, signal: null });
    expect(wire.stderr).toBe("");
  });

  it("sound is sound where the revision knows it", async () => {
    const { root, folder } = createScene(createPlace(), "project");
    const wire = await openFiles([root], { revision });
    const response = await callTool(wire, "read_media_file", { path: `${folder}/beep.wav` });
    const block = contentOf(response)[1];
    const mimeType = "audio/wav";
    const expected = revision === "2024-11-05" ? { resource: { mimeType } } : { type: "audio", mimeType };
    expect(block).toMatchObject(expected);
  });

  it("what was cut goes on where it stopped", async () => {
    const { root, folder } = createScene(createPlace(), "project");
    const wire = await openFiles([root], { revision });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const args = { path: folder, limit: 4, ...(cursor !== undefined && { cursor }) };
      const text = textOf(await callTool(wire, "list_directory", args));
      names.push(...[...text.matchAll(/^\[\w+\] (.*)$/gm)].map(([, name = ""]) => name));
      cursor = /cursor: "([^"]+)"/.exec(text)?.[1];
    } while (cursor !== undefined && names.length < 20);
    const all = ".gitignore README.md beep.wav data.bin link.md notes pixel.png run.sh src";
    expect(names.join(" ")).toBe(all);
  });
});
