import type { TextPart } from "@suite/server-kit";
import { countOf } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { NamedDatabase } from "../domain/databases.ts";
import type { WriteResult } from "../domain/protocol/statements.ts";
import { elapsedSince, limitsFor, noteValues, pageOutput, renderRows } from "./page.ts";
import { DatabaseName, DryRun, SameParams, Sql, SQL_ALIASES } from "./schemas.ts";
import {
  changedBy,
  databaseTargets,
  howToUndo,
  keptOutput,
  noteKept,
  requireStatement,
  toAuthor,
  toKept,
} from "./writing.ts";

/** Rows shown of a dry run, and of RETURNING. */
const SAMPLE = 10;
const RETURNED = 100;

const Output = v.object({
  database: v.string(),
  affected_rows: Count,
  further_rows: v.exactOptional(Count),
  last_insert_rowid: v.exactOptional(v.any()),
  sample: v.exactOptional(v.object(pageOutput)),
  elapsed_ms: Count,
  ...keptOutput,
  changed: Changed,
});
type WriteOutput = v.InferOutput<typeof Output>;

export const writeQuery = defineTool({
  name: "write_query",
  version: 4,
  title: "Change rows",
  description: "Runs one INSERT, UPDATE, DELETE or REPLACE; rolled back unless it changes expected_rows.",
  effects: "destructive",
  affects: "rows of the database",
  group: "write",
  alsoKnownAs: ["execute", "update_query", "insert_query", "delete_query"],
  aliases: SQL_ALIASES,
  input: schema(
    v.strictObject({
      query: Sql,
      params: SameParams,
      expected_rows: v.optional(Count),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(Output),
  untrusted: ["sample"],
  targets: databaseTargets,
  async run({ query, params, expected_rows: expectedRows, dry_run: dryRun = false, database }, context) {
    const { state, stop, budget } = context;
    const target = state.databases.get(database);
    const { returning } = requireStatement(query, "write_query", state);
    const request = {
      sql: query,
      dryRun,
      sample: returning ? RETURNED : dryRun ? SAMPLE : 0,
      ...limitsFor(budget),
      params,
      expectedRows,
      author: toAuthor(context, "write_query", query),
    };
    const begun = performance.now();
    const done = await target.engine.writeWithSample(request, stop);
    if (!dryRun) state.watch.wrote(target);
    return toOutput(target, done, begun);
  },
  text: (output, { dry_run: isDryRun = false }) => render(output, isDryRun),
  note: ({ sample, ...output }, { dry_run: isDryRun }) => [
    noteKept(output, isDryRun),
    sample?.truncated && `The sample has the first ${countOf(sample.rows.length, "row")}.`,
    ...(sample ? noteValues(sample) : []),
  ],
});

function toOutput(database: NamedDatabase, done: WriteResult, begun: number): WriteOutput {
  const { changes, furtherChanges, lastInsertRowid, sample, dryRun } = done;
  return {
    database: database.name,
    affected_rows: changes,
    ...(furtherChanges > 0 ? { further_rows: furtherChanges } : {}),
    // After a dry run, the row no longer exists.
    ...(lastInsertRowid === undefined || dryRun ? {} : { last_insert_rowid: lastInsertRowid }),
    ...(sample === undefined ? {} : { sample }),
    elapsed_ms: elapsedSince(begun),
    ...toKept(done),
    changed: changedBy(database, [done]),
  };
}

function render(output: WriteOutput, isDryRun: boolean): TextPart[] {
  const { affected_rows: rows, further_rows: further, last_insert_rowid: id, sample } = output;
  const more = further === undefined ? "" : ` (and ${further} by triggers, foreign keys or virtual tables)`;
  const number = id === undefined ? "" : ` The last one has the rowid ${JSON.stringify(id)}.`;
  const heading = `${countOf(rows, "row")}${more} ${isDryRun ? "would change" : "changed"}.${number}${howToUndo(output)}`;
  return sample && sample.rows.length > 0 ? [heading, renderRows(sample)] : [heading];
}
