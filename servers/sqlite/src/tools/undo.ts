import { type TextPart, untrusted } from "@suite/server-kit";
import { countOf, Fault, fitItems } from "@suite/server-kit/domain";
import { Changed, Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { KeptChange } from "../domain/protocol/undo.ts";
import { renderTable, toLine } from "../domain/render.ts";
import { citeAll } from "../domain/values/cite.ts";
import { pageOutput } from "./page.ts";
import { DatabaseName, DryRun } from "./schemas.ts";
import { databaseTargets, howToUndo, keptOutput, noteKept, toAuthor, toKept } from "./writing.ts";

const Change = v.object({
  id: v.string(),
  time: v.string(),
  tool: v.string(),
  summary: v.string(),
  tables: v.array(v.string()),
  rows: v.exactOptional(Count),
  undoable: v.exactOptional(v.literal(false)),
  reason: v.exactOptional(v.string()),
});
/** Of a dry run: rows of a table before the undo and after it. */
const Undone = v.object({ table: v.string(), rows: Count, sample: v.object(pageOutput) });
type ListedChange = v.InferOutput<typeof Change>;

const ONE_BY_ONE = 'one call undoes one change: give id: "last", and repeat it to go further back.';
const DEFAULT_LIMIT = 20;
const LARGEST_LIMIT = 100;
const MOST_NAMED = 5;

export const undoTool = defineTool({
  name: "undo",
  title: "Undo a change",
  description: 'Lists recent changes. With id, or "last": undoes one, unless its rows changed since.',
  effects: "destructive",
  affects: "rows of the database, and the schema with --allow-ddl",
  group: "write",
  view: "history",
  version: 3,
  argumentHints: { count: ONE_BY_ONE, steps: ONE_BY_ONE },
  input: schema(
    v.pipe(
      v.strictObject({
        id: v.optional(v.string()),
        force: v.optional(v.boolean()),
        limit: v.optional(v.number()),
        dry_run: DryRun,
        database: DatabaseName,
      }),
      // Listing changes nothing, so it needs no confirmation.
      v.transform((input) => ({ ...input, dry_run: input.dry_run === true || input.id === undefined })),
    ),
  ),
  output: schema(
    v.object({
      changes: v.exactOptional(v.array(Change)),
      truncated: v.exactOptional(v.literal(true)),
      undone: v.exactOptional(Change),
      results: v.exactOptional(v.array(Undone)),
      ...keptOutput,
      // Missing for a list.
      changed: v.exactOptional(Changed),
    }),
  ),
  untrusted: ["changes", "undone", "results[].sample"],
  targets: databaseTargets,
  async run({ id, force = false, limit = DEFAULT_LIMIT, dry_run: dryRun, database }, context) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new Fault("invalid_input", "limit is a whole number from 1.", {
        hint: "Leave it out for the default.",
      });
    const { state, stop, principal, budget } = context;
    const target = state.databases.get(database);
    const only = state.sharedUndo ? undefined : principal;
    if (id === undefined) {
      const most = Math.min(Math.max(1, Math.floor(limit)), LARGEST_LIMIT);
      const { changes, truncated } = await target.engine.task("changes", { only, limit: most }, stop);
      return { changes: changes.map(toListed), ...(truncated && { truncated }) };
    }
    const author = toAuthor(context, "undo", "");
    const request = { id, force, dryRun, only, author };
    const done = await target.engine.task("undo", request, stop, { writes: true });
    if (!dryRun) state.watch.wrote(target);
    const { items: results } = fitItems(done.results, budget / 2);
    return {
      undone: toListed(done.undone),
      ...(results.length > 0 && { results: [...results] }),
      ...toKept(done),
      changed: [target.name],
    };
  },
  text(output, { dry_run: isDryRun }): TextPart[] {
    const { undone, results = [], changes = [] } = output;
    if (undone) {
      const rows = results.flatMap(({ table, rows: number, sample }) => [
        `${countOf(number, "row")} of ${table}:`,
        renderTable(sample),
      ]);
      return [
        `${isDryRun ? "Would be taken back" : "Taken back"}.${howToUndo(output)}`,
        untrusted([describe(undone), ...rows].join("\n")),
      ];
    }
    if (changes.length === 0) return ["There are no changes to undo."];
    return ["Changes, the newest first:", untrusted(changes.map(describe).join("\n"))];
  },
  note: ({ truncated, changes = [], ...output }, { dry_run: isDryRun }) => [
    noteKept(output, isDryRun),
    truncated && `The newest ${countOf(changes.length, "change")}: set limit for older ones.`,
  ],
});

const toListed = ({ rows, reason, tables, ...change }: KeptChange): ListedChange => ({
  ...change,
  tables: tables.slice(0, MOST_NAMED),
  ...(rows > 0 && { rows }),
  ...(reason !== undefined && { undoable: false as const, reason }),
});

function describe({ id, time, tool, summary, tables, rows, reason }: ListedChange): string {
  const where = tables.length === 0 ? "" : ` ${citeAll(tables)}`;
  const count = rows === undefined ? "" : ` (${countOf(rows, "row")})`;
  const how = reason === undefined ? "" : ` (cannot be undone: ${reason})`;
  return `${id} ${time} ${tool}${where}${count}: ${toLine(summary)}${how}`;
}
