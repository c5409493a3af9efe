import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, Fault, fitItems } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { BatchStep } from "../domain/protocol/statements.ts";
import { renderTable } from "../domain/render.ts";
import { elapsedSince, limitsFor, noteValues, pageOutput } from "./page.ts";
import { DatabaseName, DryRun, SameParams, Sql, SQL_ALIASES } from "./schemas.ts";
import { changedBy, databaseTargets, howToUndo, keptOutput, noteKept, toAuthor, toKept } from "./writing.ts";

const MOST_STATEMENTS = 20_000;
/** Rows shown of a dry run. */
const SAMPLE = 20;

/** Statements that follow each other and did the same are one result. */
const Step = v.object({
  verb: v.string(),
  statements: v.exactOptional(Count),
  affected_rows: v.exactOptional(Count),
  further_rows: v.exactOptional(Count),
  rows: v.exactOptional(Count),
  sample: v.exactOptional(v.object(pageOutput)),
});

export const executeBatch = defineTool({
  name: "execute_batch",
  version: 4,
  title: "Run a batch",
  description: "Runs several statements of write_query, create_table and alter_or_drop: all, or none.",
  effects: "destructive",
  affects: "rows of the database, and the schema with --allow-ddl",
  group: "write",
  alsoKnownAs: ["batch", "transaction"],
  aliases: {
    statements: ["queries"],
    "statements[].query": SQL_ALIASES.query,
    "statements[].params": SQL_ALIASES.params,
  },
  input: schema(
    v.strictObject({
      statements: v.pipe(v.array(v.strictObject({ query: Sql, params: SameParams })), v.minLength(1)),
      expected_rows: v.optional(Count),
      dry_run: DryRun,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      statements: Count,
      results: v.array(Step),
      affected_rows: Count,
      elapsed_ms: Count,
      ...keptOutput,
      changed: Changed,
    }),
  ),
  untrusted: ["results[].sample"],
  targets: databaseTargets,
  async run({ statements, expected_rows: expectedRows, dry_run: dryRun = false, database }, context) {
    const { state, stop, budget } = context;
    const target = state.databases.get(database);
    if (statements.length > MOST_STATEMENTS) {
      throw new Fault("too_large", `A batch can have at most ${MOST_STATEMENTS} statements.`);
    }
    const [first] = statements;
    const more = statements.length > 1 ? ` (and ${statements.length - 1} more)` : "";
    const { maxBytes = budget, maxCellBytes } = limitsFor(budget);
    const begun = performance.now();
    const done = await target.engine.batch(
      {
        statements: statements.map(({ query, params }) => ({ sql: query, params })),
        dryRun,
        expectedRows,
        schemaTools: state.schemaTools,
        author: toAuthor(context, "execute_batch", `${first?.query.slice(0, LONGEST_FIRST)}${more}`),
        // Each result has its share, and one that is shown has a row at least.
        ...(dryRun && { sample: SAMPLE, maxBytes: Math.floor(maxBytes / (SAMPLE + 1)), maxCellBytes }),
      },
      stop,
    );
    if (!dryRun) state.watch.wrote(target);
    return {
      database: target.name,
      statements: statements.length,
      results: [...fitItems(done.results.map(toStep), budget).items],
      affected_rows: done.changes,
      elapsed_ms: elapsedSince(begun),
      ...toKept(done),
      changed: changedBy(target, done.results),
    };
  },
  text: (output, { dry_run: isDryRun = false }) => {
    const { statements, results, affected_rows: rows } = output;
    const heading = `${countOf(statements, "statement")}, ${countOf(rows, "row")} ${isDryRun ? "would change" : "changed"}:`;
    return [
      heading,
      ...renderSteps(results),
      ...(output.undo === undefined ? [] : [howToUndo(output).trim()]),
    ];
  },
  note: ({ statements, results, ...output }, { dry_run: isDryRun }) => {
    const listed = results.reduce((sum, { statements: count = 1 }) => sum + count, 0);
    const samples = results.flatMap(({ sample }) => sample ?? []);
    return [
      noteKept(output, isDryRun),
      listed < statements && `Only the first ${listed} of ${statements} results are listed.`,
      samples.some(({ truncated }) => truncated) && `Of all rows, the first ${SAMPLE} at most are shown.`,
      ...new Set(samples.flatMap(noteValues)),
    ];
  },
});

const LONGEST_FIRST = 150;

type BatchOutput = v.InferOutput<typeof Step>;

function toStep({ verb, statements, changes, furtherChanges, dropped, sample }: BatchStep): BatchOutput {
  const isOfRows = ["INSERT", "REPLACE", "UPDATE", "DELETE"].includes(verb);
  return {
    verb,
    ...(statements > 1 && { statements }),
    ...(isOfRows && { affected_rows: changes }),
    ...(isOfRows && furtherChanges > 0 && { further_rows: furtherChanges }),
    ...(dropped !== undefined && { rows: dropped }),
    ...(sample && sample.rows.length > 0 && { sample }),
  };
}

function renderSteps(steps: readonly BatchOutput[]): TextPart[] {
  let at = 1;
  return steps.flatMap(
    ({ verb, statements = 1, affected_rows: rows, further_rows: further, rows: gone, sample }) => {
      const places = statements === 1 ? `${at}` : `${at}-${at + statements - 1}`;
      at += statements;
      const each = statements > 1 ? " each" : "";
      const more = further === undefined ? "" : ` (and ${further} further rows)`;
      const count =
        gone === undefined ? (rows === undefined ? "" : ` ${rows}`) : `, with ${countOf(gone, "row")}`;
      const line = `${places}. ${verb}${count}${each}${more}`;
      return sample ? [line, untrusted(renderTable(sample))] : [line];
    },
  );
}
