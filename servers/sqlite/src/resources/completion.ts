import type { CompletionInput } from "@suite/server-kit";
import type { StopSignal } from "@suite/server-kit/domain";

import type { NamedDatabase } from "../domain/databases.ts";
import type { SqliteContext } from "../state.ts";

const MOST_TABLES = 5000;

export const completeDatabase = (_: CompletionInput, { state }: SqliteContext): readonly string[] =>
  state.databases.names;

/** Tables of the named database, or of all. */
export async function completeTable(
  { arguments: known }: CompletionInput,
  context: SqliteContext,
): Promise<readonly string[]> {
  const lists = await Promise.all(chosen(known, context).map((database) => namesOf(database, context.stop)));
  return [...new Set(lists.flat())];
}

export async function completeColumn(
  { arguments: known }: CompletionInput,
  context: SqliteContext,
): Promise<readonly string[]> {
  const { table } = known;
  const [database, ...others] = chosen(known, context);
  if (table === undefined || !database || others.length > 0) return [];
  const args = { tables: [table], sample: 0, budget: 0 };
  const described = await ask(() => database.engine.task("describe", args, context.stop), context.stop);
  return described?.tables[0]?.columns.map(({ name }) => name) ?? [];
}

export function completeQuery(
  { arguments: known }: CompletionInput,
  context: SqliteContext,
): readonly string[] {
  const { state, principal } = context;
  return chosen(known, context).flatMap(({ name }) => state.results.idsOf(name, principal));
}

/** The argument is called `db` in templates, `database` in prompts. */
function chosen(known: CompletionInput["arguments"], { state }: SqliteContext): readonly NamedDatabase[] {
  const name = known["db"] ?? known["database"];
  return state.databases.all.filter((database) => name === undefined || database.name === name);
}

async function namesOf({ engine }: NamedDatabase, signal: StopSignal): Promise<readonly string[]> {
  const args = { limit: MOST_TABLES, counted: false };
  const found = await ask(() => engine.task("tables", args, signal), signal);
  return found?.tables.map(({ name }) => name) ?? [];
}

/** Completion must not fail while somebody types, nor a list of several databases for one: undefined if it cannot be read. */
export async function ask<T>(work: () => Promise<T>, signal: StopSignal): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
