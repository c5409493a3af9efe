import { untrusted, type TextPart } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { countTables, type DescribedTable, renderDescribed, toDescribed } from "../domain/render.ts";
import { MORE_TABLES } from "./list-tables.ts";
import { DatabaseName, MaxBytes, rowCount, Rows, Table } from "./schemas.ts";

const Names = v.array(v.string());
const True = v.exactOptional(v.literal(true));

const Described: v.GenericSchema<DescribedTable> = v.object({
  name: v.string(),
  kind: v.picklist(["table", "view", "virtual"]),
  ...rowCount,
  options: v.exactOptional(v.string()),
  broken: v.exactOptional(v.string()),
  columns: v.array(
    v.object({
      name: v.string(),
      type: v.string(),
      not_null: True,
      default: v.exactOptional(v.string()),
      primary_key: v.exactOptional(Count),
      collate: v.exactOptional(v.string()),
      generated: v.exactOptional(v.string()),
      hidden: True,
    }),
  ),
  checks: v.exactOptional(Names),
  indexes: v.exactOptional(
    v.array(
      v.object({
        name: v.exactOptional(v.string()),
        unique: True,
        columns: Names,
        where: v.exactOptional(v.string()),
      }),
    ),
  ),
  foreign_keys: v.exactOptional(
    v.array(
      v.object({
        columns: Names,
        table: v.string(),
        references: v.exactOptional(Names),
        on_update: v.exactOptional(v.string()),
        on_delete: v.exactOptional(v.string()),
      }),
    ),
  ),
  triggers: v.exactOptional(v.array(v.object({ name: v.string(), sql: v.string() }))),
  sql: v.exactOptional(v.string()),
  // In the order of the columns, without hidden ones.
  sample: v.exactOptional(Rows),
});

const DEFAULT_SAMPLE = 3;
const LARGEST_SAMPLE = 50;

export const describeTable = defineTool({
  name: "describe_table",
  version: 7,
  title: "Describe tables",
  description: "Columns, keys, checks, indexes, triggers and sample rows; without table, of all.",
  effects: "read",
  affects: "nothing: it reads the database",
  group: "read",
  alsoKnownAs: ["describe", "get_schema", "table_info"],
  aliases: { table: ["table_name", "tables"] },
  input: schema(
    v.strictObject({
      table: v.optional(v.union([Table, v.array(Table)])),
      sample: v.optional(Count),
      max_bytes: MaxBytes,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      tables: v.array(Described),
      omitted: v.exactOptional(Names),
      more: True,
    }),
  ),
  untrusted: ["tables", "omitted"],
  async run({ table, sample, database }, { state, stop, budget }) {
    const { name, engine } = state.databases.get(database);
    const wanted = typeof table === "string" ? [table] : table;
    const args = {
      tables: wanted,
      sample: Math.min(sample ?? (wanted?.length === 1 ? DEFAULT_SAMPLE : 0), LARGEST_SAMPLE),
      budget,
    };
    const { tables, omitted, more } = await engine.task("describe", args, stop);
    return {
      database: name,
      tables: tables.map(toDescribed),
      ...(omitted.length > 0 && { omitted: [...omitted] }),
      ...(more && { more }),
    };
  },
  text: ({ database, tables, omitted = [] }): TextPart[] => [
    tables.length === 1
      ? `${tables[0]?.kind ?? "table"} in ${database}:`
      : `${countTables(tables)} in ${database}:`,
    ...(tables.length > 0 ? [untrusted(tables.map(renderDescribed).join("\n\n"))] : []),
    ...(omitted.length > 0 ? ["Left out:", untrusted(omitted.join(", "))] : []),
  ],
  note: ({ omitted = [], more }) => [
    omitted.length > 0 &&
      `${countOf(omitted.length, "table")} did not fit: pass names from omitted as table.`,
    more && MORE_TABLES,
  ],
});
