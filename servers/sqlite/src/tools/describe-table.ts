import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { TableInfo } from "../domain/child/tasks/describe.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { renderDefinition } from "../domain/render-definition.ts";
import { pageOutput, renderRows, toGivenPage } from "./page.ts";
import { Count, DatabaseName } from "./schemas.ts";

const Names = v.array(v.string());

export const describeTable: ToolDefinition<SqliteState> = defineTool({
  name: "describe_table",
  title: "Describe a table",
  description:
    "Columns, keys, indexes, foreign keys, triggers, number of rows and a sample of one table or view.",
  effects: "read",
  touches: "nothing: it reads the database",
  group: "read",
  input: schema(
    v.strictObject({
      table_name: v.string(),
      sample: v.optional(v.pipe(Count, v.maxValue(50), v.description("Rows, default 3"))),
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      name: v.string(),
      kind: v.picklist(["table", "view", "virtual"]),
      sql: v.exactOptional(v.string()),
      broken: v.exactOptional(v.string()),
      rows: v.exactOptional(Count),
      more: v.exactOptional(v.literal(true)),
      columns: v.array(
        v.object({
          name: v.string(),
          type: v.string(),
          not_null: v.exactOptional(v.literal(true)),
          default: v.exactOptional(v.string()),
          primary_key: v.exactOptional(Count),
          generated: v.exactOptional(v.picklist(["virtual", "stored"])),
          hidden: v.exactOptional(v.literal(true)),
        }),
      ),
      indexes: v.array(
        v.object({
          name: v.string(),
          unique: v.exactOptional(v.literal(true)),
          partial: v.exactOptional(v.literal(true)),
          columns: v.array(v.nullable(v.string())),
        }),
      ),
      foreign_keys: v.array(
        v.object({
          columns: Names,
          table: v.string(),
          references: Names,
          on_update: v.string(),
          on_delete: v.string(),
        }),
      ),
      triggers: v.array(v.object({ name: v.string(), sql: v.string() })),
      sample: v.object(pageOutput),
    }),
  ),
  async run({ table_name: table, sample = 3, database }, { state, stop }: SqliteContext) {
    const { name, engine } = state.databases.get(database);
    const info = (await engine.task("describe", { table, sample }, stop)) as TableInfo;
    return {
      ...info,
      database: name,
      columns: info.columns.map((column) => ({ ...column })),
      indexes: info.indexes.map((index) => ({ ...index, columns: [...index.columns] })),
      foreign_keys: info.foreign_keys.map((key) => ({
        ...key,
        columns: [...key.columns],
        references: [...key.references],
      })),
      triggers: info.triggers.map((trigger) => ({ ...trigger })),
      sample: toGivenPage(info.sample),
    };
  },
  text: ({ sample, ...table }): TextPart[] => {
    const definition = untrusted(renderDefinition(table), table.database);
    const heading = `${table.kind} in ${table.database}:`;
    return sample.rows.length === 0
      ? [heading, definition]
      : [heading, definition, "Sample:", renderRows(sample, table.database)];
  },
});
