import { countOf, Fault } from "@suite/server-kit/domain";
import { createLookup, readerOf } from "../lookup.ts";
import { isInexact } from "../page.ts";
import { closeQuery, inSnapshot, openQuery, type Query } from "../query.ts";
import { toStatementFault } from "../statement-error.ts";
import type { TaskContext } from "../task.ts";
import { quoteShort } from "../../values/cite.ts";
import { quoteName } from "../../sql-policy/tokens.ts";
import type { Affinity } from "../../transfer/field.ts";
import type { Format } from "../../transfer/format.ts";
import { createRenderer, type RecordRenderer } from "../../transfer/render-records.ts";
import { type SqlParams, toBinding } from "../../values/params.ts";
import { columnsOf } from "./columns.ts";
import { requireTable } from "../tables.ts";
import type { ExportArgs, Exported } from "../../protocol/tasks.ts";

const CHUNK_CHARACTERS = 256 * 1024;

interface Selection {
  readonly sql: string;
  readonly params?: SqlParams | undefined;
  readonly affinities?: readonly Affinity[];
}

/** The rows of a table or a query as text, every value whole, a chunk at a time. */
export async function exportTask({ from, format }: ExportArgs, context: TaskContext): Promise<Exported> {
  const { pool } = context;
  const selection: Selection = "table" in from ? selectAll(from.table, context) : from;
  const admitted = pool.admit(selection.sql, "read");
  let query: Query | undefined;
  try {
    query = openQuery(pool, { admitted, binding: toBinding(admitted.slots, selection.params) });
    const names = query.columns.map(({ name }) => name);
    requireTellable(names, format);
    return await send(query, createRenderer(format, names, selection.affinities), context);
  } catch (thrown) {
    throw toStatementFault(thrown, selection.sql, createLookup(readerOf(pool)));
  } finally {
    if (query) closeQuery(pool, query);
  }
}

const selectAll = (given: string, { pool }: TaskContext): Selection =>
  inSnapshot(pool, (connection) => {
    const { name } = requireTable(connection, given);
    const affinities = columnsOf(connection, name).map(({ affinity }) => affinity);
    return { sql: `SELECT * FROM ${quoteName(name)}`, affinities };
  });

/** An object in JSON cannot have two members of the same name. */
function requireTellable(names: readonly string[], format: Format): void {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (format !== "jsonl" || twice === undefined) return;
  throw new Fault("invalid_input", `Two columns are called ${quoteShort(twice)}.`, {
    hint: "Give them different names with AS, or write CSV.",
  });
}

async function send(
  query: Query,
  renderer: RecordRenderer,
  { emit, progress }: TaskContext,
): Promise<Exported> {
  const inexact = new Set<number>();
  let [rows, text] = [0, renderer.head()];
  for (const row of query.iterator) {
    row.forEach((value, at) => {
      if (isInexact(value)) inexact.add(at);
    });
    text += renderer.row(row);
    rows += 1;
    if (text.length < CHUNK_CHARACTERS) continue;
    await emit(text);
    text = "";
    progress({ done: rows, message: countOf(rows, "row") });
  }
  if (text !== "") await emit(text);
  return { rows, inexact: [...inexact].map((at) => query.columns[at]?.name ?? "") };
}
