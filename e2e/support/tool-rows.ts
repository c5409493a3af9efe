import { faultsIn, satisfies } from "@suite/check";
import {
  callTool,
  contentOf,
  type Fields,
  isGood,
  type ListedTool,
  listTools,
  textOf,
} from "@suite/check/wires";
import { expect } from "vitest";

import { complaintsAboutViews } from "./views.ts";
import type { Wire } from "./wire.ts";

/** One call of a tool that works. The scene is what it works on. */
export interface ToolRow<Scene> {
  readonly tool: string;
  /** What the arguments are about, where they do not say it themselves. */
  readonly about?: string;
  readonly args: FieldsIn<Scene>;
  /** A part of what a model reads. */
  readonly text: RegExp;
  /** A part of the structured result. */
  readonly structured: FieldsIn<Scene>;
  /** Kinds of the blocks, where there is more than a text. */
  readonly blocks?: readonly string[];
}

export type FieldsIn<Scene> = Fields | ((scene: Scene) => Fields);

interface RowChecks<Row, Scene> {
  /** Sets the scene of a row. */
  readonly prepare: (row: Row, index: number) => Scene | Promise<Scene>;
  /** Checks what the call left behind. */
  readonly checkTraces?: (row: Row, scene: Scene, about: string) => void;
}

export const fieldsIn = <Scene>(fields: FieldsIn<Scene>, scene: Scene): Fields =>
  typeof fields === "function" ? fields(scene) : fields;

/** That every tool of the server has rows and does what they say, and that the server keeps to the protocol until it ends. */
export async function checkToolRows<Scene, Row extends ToolRow<Scene>>(
  wire: Wire,
  rows: readonly Row[],
  { prepare, checkTraces }: RowChecks<Row, Scene>,
): Promise<void> {
  const tools = new Map((await listTools(wire)).map((tool) => [tool.name, tool]));
  expect(new Set(rows.map(({ tool }) => tool))).toEqual(new Set(tools.keys()));
  const withSchema = [...tools.values()].filter(({ outputSchema }) => outputSchema !== undefined);
  expect(withSchema).toHaveLength(hasStructure(wire) ? tools.size : 0);
  for (const [index, row] of rows.entries()) {
    const scene = await prepare(row, index);
    const about = `${row.tool}, ${row.about ?? JSON.stringify(fieldsIn(row.args, scene))}`;
    await checkToolRow(wire, row, scene, tools.get(row.tool), about);
    checkTraces?.(row, scene, about);
  }
  expect(faultsIn(wire)).toEqual([]);
  expect(await wire.end()).toMatchObject({ code: 0, signal: null });
}

async function checkToolRow<Scene>(
  wire: Wire,
  row: ToolRow<Scene>,
  scene: Scene,
  tool: ListedTool | undefined,
  about: string,
): Promise<void> {
  const args = fieldsIn(row.args, scene);
  const response = await callTool(wire, row.tool, args);
  expect.soft(isGood(response), `${about}: ${textOf(response)}`).toBe(true);
  expect.soft(textOf(response), about).toMatch(row.text);
  const kinds = contentOf(response).map(({ type }) => type);
  expect.soft(kinds, about).toEqual((row.blocks ?? ["text"]).map((kind) => blockIn(wire, kind)));
  expect.soft(complaintsAboutViews(response, args), about).toEqual([]);
  const schema = tool?.outputSchema;
  const structured = response.result?.["structuredContent"];
  const expected = schema && fieldsIn(row.structured, scene);
  expect.soft({ structured }, about).toMatchObject({ structured: expected });
  expect.soft(!schema || satisfies(schema, structured), `${about}: fits its schema`).toBe(true);
}

/** Structured results and links to resources are as old as each other. */
const hasStructure = ({ revision }: Wire): boolean => revision !== undefined && revision >= "2025-06-18";

/** What the oldest revision, which knows no sounds and no links, has in place of a block. */
const EARLIER: Readonly<Record<string, string>> = { resource_link: "text", audio: "resource" };

const blockIn = (wire: Wire, kind: string): string => (hasStructure(wire) ? kind : (EARLIER[kind] ?? kind));
