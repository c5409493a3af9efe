import { untrusted, type TextPart } from "@suite/server-kit";
import { countOf, fitItems } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { renderCell, toLine } from "../domain/render.ts";
import type { Cell } from "../domain/values/cell.ts";
import type { ColumnProfile } from "../domain/protocol/tasks.ts";
import { toProgress } from "./exchange.ts";
import { DatabaseName, Table, TABLE_ALIASES } from "./schemas.ts";

/** The cells of rows, not spelled out again for the model. */
const CellSchema: v.GenericSchema<Cell> = v.any();
const Histogram = v.object({ from: v.number(), to: v.number(), counts: v.array(Count) });
const Profiled: v.GenericSchema<ColumnProfile> = v.object({
  column: v.string(),
  nulls: Count,
  distinct: Count,
  types: v.record(v.string(), Count),
  min: CellSchema,
  max: CellSchema,
  mean: v.exactOptional(v.number()),
  histogram: v.exactOptional(Histogram),
  top: v.array(v.object({ value: CellSchema, count: Count })),
});

export const profileTable = defineTool({
  name: "profile_table",
  version: 3,
  title: "Profile a table",
  description: "NULLs, range, mean, histogram and most frequent values of each column.",
  effects: "read",
  affects: "nothing: it reads the database",
  group: "read",
  aliases: TABLE_ALIASES,
  input: schema(
    v.strictObject({
      table: Table,
      columns: v.optional(v.array(v.string())),
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      table: v.string(),
      rows: Count,
      columns: v.array(Profiled),
      truncated: v.boolean(),
    }),
  ),
  untrusted: ["columns"],
  async run({ table, columns, database }, context) {
    const { state, stop, budget } = context;
    const { name, engine } = state.databases.get(database);
    const options = { isLong: true, onProgress: toProgress(context) };
    const profile = await engine.task("profile", { table, columns }, stop, options);
    const { items, rest } = fitItems(profile.columns, budget);
    const truncated = profile.truncated || rest.length > 0;
    return { ...profile, database: name, truncated, columns: [...items] };
  },
  text: ({ rows, columns }): TextPart[] => [
    `${countOf(rows, "row")}:`,
    untrusted(columns.map(renderColumn).join("\n")),
  ],
  note: ({ truncated }) =>
    truncated ? "There are more columns: name the ones you want in columns." : undefined,
});

function renderColumn(profile: ColumnProfile): string {
  const { column, nulls, distinct, types, min, max, mean, histogram, top } = profile;
  const kinds = Object.entries(types);
  const mixed = kinds.length < 2 ? "" : `, ${kinds.map(([type, count]) => `${count} ${type}`).join(" + ")}`;
  const range = `${renderCell(min)} … ${renderCell(max)}`;
  const average = mean === undefined ? "" : `, mean ${Number(mean.toPrecision(15))}`;
  const spread =
    histogram === undefined
      ? ""
      : `; in ${histogram.counts.length} equal steps: ${histogram.counts.join(" ")}`;
  const most = top.map(({ value, count }) => `${renderCell(value)} ×${count}`).join(", ");
  return `${toLine(column)}: ${nulls} NULL, ${distinct} distinct${mixed}, ${range}${average}${spread}; most: ${most}`;
}
