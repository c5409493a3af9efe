import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { renderCell, toLine } from "../domain/render.ts";
import type { Profile } from "../domain/child/tasks/profile.ts";
import type { Cell } from "../domain/values/cell.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { toProgress } from "./exchange.ts";
import { countOf } from "./page.ts";
import { Count, DatabaseName } from "./schemas.ts";

const Bucket = v.object({ from: v.number(), to: v.number(), count: Count });

export const profileTable: ToolDefinition<SqliteState> = defineTool({
  name: "profile_table",
  title: "Profile a table",
  description:
    "For each column: NULLs, distinct values, least and greatest, mean and histogram of numbers, most frequent values. Reads the whole table.",
  effects: "read",
  touches: "nothing: it reads the database",
  group: "read",
  input: schema(
    v.strictObject({
      table_name: v.string(),
      columns: v.optional(v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(100))),
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      table: v.string(),
      rows: Count,
      columns: v.array(
        v.object({
          column: v.string(),
          nulls: Count,
          distinct: Count,
          types: v.record(v.string(), Count),
          min: v.any(),
          max: v.any(),
          mean: v.exactOptional(v.number()),
          histogram: v.exactOptional(v.array(Bucket)),
          top: v.array(v.object({ value: v.any(), count: Count })),
        }),
      ),
      truncated: v.boolean(),
    }),
  ),
  async run({ table_name: table, columns, database }, context: SqliteContext) {
    const { state, stop } = context;
    const { name, engine } = state.databases.get(database);
    const args = { table, ...(columns === undefined ? {} : { columns }) };
    const options = { isLong: true, onProgress: toProgress(context) };
    const profile = (await engine.task("profile", args, stop, options)) as Profile;
    return {
      database: name,
      table: profile.table,
      rows: profile.rows,
      truncated: profile.truncated,
      columns: profile.columns.map(({ histogram, top, types, ...column }) => ({
        ...column,
        types: { ...types },
        ...(histogram === undefined ? {} : { histogram: histogram.map((bucket) => ({ ...bucket })) }),
        top: top.map((each) => ({ ...each })),
      })),
    };
  },
  text: ({ database, rows, columns, truncated }): TextPart[] => [
    `${countOf(rows, "row")}:`,
    untrusted(columns.map(renderColumn).join("\n"), database),
    ...(truncated ? ["There are more columns: name the ones you want in columns."] : []),
  ],
});

interface ProfiledColumn {
  column: string;
  nulls: number;
  distinct: number;
  types: { [type: string]: number };
  min?: unknown;
  max?: unknown;
  mean?: number;
  top: { value?: unknown; count: number }[];
}

function renderColumn({ column, nulls, distinct, types, min, max, mean, top }: ProfiledColumn): string {
  const kinds = Object.entries(types);
  const mixed = kinds.length < 2 ? "" : `, ${kinds.map(([type, count]) => `${count} ${type}`).join(" + ")}`;
  const range = `${renderCell(min as Cell)} … ${renderCell(max as Cell)}`;
  const average = mean === undefined ? "" : `, mean ${Number(mean.toPrecision(6))}`;
  const most = top.map(({ value, count }) => `${renderCell(value as Cell)} ×${count}`).join(", ");
  return `${toLine(column)}: ${nulls} NULL, ${distinct} distinct${mixed}, ${range}${average}; most: ${most}`;
}
