import { defineTool, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { Fault, type StopSignal } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { NamedDatabase } from "../domain/databases.ts";
import type { WriteRequest, WriteResult } from "../domain/protocol.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { countOf, type GivenPage, pageOutput, renderRows, toGivenPage } from "./page.ts";
import { Changed, Count, DatabaseName, DryRun, Params, Sql } from "./schemas.ts";
import { changedBy, databaseTargets, requireFamily } from "./writing.ts";

/** Of a dry run, and of RETURNING. */
const SAMPLE = 10;
const RETURNED = 100;

export const writeQuery: ToolDefinition<SqliteState> = defineTool({
  name: "write_query",
  title: "Change rows",
  description:
    "Runs one INSERT, UPDATE, DELETE or REPLACE in a transaction. With expected_rows, any other number of changed rows undoes it. " +
    "dry_run shows the number and a sample.",
  effects: "destructive",
  touches: "rows of the database",
  group: "write",
  input: schema(
    v.strictObject({
      query: Sql,
      params: Params,
      expected_rows: v.optional(Count),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      affected_rows: Count,
      further_rows: v.exactOptional(Count),
      last_insert_rowid: v.exactOptional(v.any()),
      sample: v.exactOptional(v.object(pageOutput)),
      changed: Changed,
      dry_run: v.boolean(),
    }),
  ),
  targets: databaseTargets,
  async run(
    { query, params, expected_rows: expectedRows, dry_run: dryRun = false, database },
    context: SqliteContext,
  ) {
    const { state, stop, log } = context;
    const target = state.databases.get(database);
    const { returning } = requireFamily(query, "rows", state);
    const request = {
      sql: query,
      dryRun,
      sample: returning ? RETURNED : dryRun ? SAMPLE : 0,
      ...(params === undefined ? {} : { params }),
      ...(expectedRows === undefined ? {} : { expectedRows }),
    };
    const done = await write(target, request, stop);
    if (!dryRun) {
      log.info({ event: "changed", database: target.name, verb: done.verb, rows: done.changes });
      state.changes.wrote(target);
    }
    return toOutput(target, done);
  },
  text: render,
});

/** SQLite gathers the rows of a sample before it gives the first: of very many, their number alone is to be had. */
async function write(
  { engine }: NamedDatabase,
  request: WriteRequest,
  signal: StopSignal,
): Promise<WriteResult> {
  try {
    return await engine.write(request, signal);
  } catch (thrown) {
    const isTooMuch = thrown instanceof Fault && thrown.code === "too_large" && !engine.isMemory;
    if (!isTooMuch || request.dryRun !== true) throw thrown;
    return engine.write({ ...request, sample: 0 }, signal);
  }
}

interface Output {
  database: string;
  affected_rows: number;
  further_rows?: number;
  last_insert_rowid?: unknown;
  sample?: GivenPage;
  changed: string[];
  dry_run: boolean;
}

function toOutput(database: NamedDatabase, done: WriteResult): Output {
  const { changes, furtherChanges, lastInsertRowid, sample, dryRun } = done;
  return {
    database: database.name,
    affected_rows: changes,
    ...(furtherChanges > 0 ? { further_rows: furtherChanges } : {}),
    ...(lastInsertRowid === undefined ? {} : { last_insert_rowid: lastInsertRowid }),
    ...(sample === undefined ? {} : { sample: toGivenPage(sample) }),
    changed: changedBy(database, [done]),
    dry_run: dryRun,
  };
}

function render(output: Output): TextPart[] {
  const { affected_rows: rows, further_rows: further, sample, database, dry_run: isDryRun } = output;
  const did = isDryRun ? "would change. Nothing was changed" : "changed";
  const more = further === undefined ? "" : ` (and ${further} by triggers or foreign keys)`;
  const parts: TextPart[] = [`${countOf(rows, "row")}${more} ${did}.`];
  if (sample && sample.rows.length > 0) {
    parts.push(
      sample.truncated
        ? `The first ${sample.rows.length}:`
        : sample.rows.length === 1
          ? "It is:"
          : "They are:",
      renderRows(sample, database),
    );
  }
  return parts;
}
