import { parseCursor, toCursor, type StopSignal } from "@suite/server-kit/domain";

import type { NamedDatabase } from "../domain/databases.ts";
import type { TableList } from "../domain/worker/tasks/objects.ts";
import type { SqliteContext } from "../state.ts";

interface ListedTable {
  readonly database: string;
  readonly table: string;
}

/** The database, and the last of its tables that was listed. */
type Place = readonly [database: string, table: string];

const PAGE = 100;
const ABOUT = "resources/list";

/** The tables of all databases, a page at a time. Whoever has seen the list hears when it is no longer true. */
export async function listTables(
  context: SqliteContext,
  cursor: string | undefined,
): Promise<{ readonly tables: readonly ListedTable[]; readonly nextCursor?: string }> {
  const { databases, changes } = context.state;
  const [name, last] = cursor === undefined ? [] : parseCursor<Place>(cursor, ABOUT);
  const from = name === undefined ? 0 : databases.names.indexOf(name);
  const tables: ListedTable[] = [];
  for (const database of databases.all.slice(Math.max(0, from))) {
    changes.listenToSchema(database, () => context.notify.resourceListChanged());
    const after = database.name === name ? last : undefined;
    const args = { limit: PAGE - tables.length, ...(after !== undefined && { after }) };
    const found = await listIfPossible(database, args, context.stop);
    tables.push(...found.tables.map((table) => ({ database: database.name, table: table.name })));
    if (!found.truncated) continue;
    const place: Place = [database.name, found.tables.at(-1)?.name ?? after ?? ""];
    return { tables: tables.filter(isReachable), nextCursor: toCursor(place, ABOUT) };
  }
  return { tables: tables.filter(isReachable) };
}

/** SQLite takes an empty name for a table, but a URI has no place for it. */
const isReachable = ({ table }: ListedTable): boolean => table !== "";

async function listIfPossible(
  { engine }: NamedDatabase,
  args: { readonly limit: number; readonly after?: string },
  signal: StopSignal,
): Promise<TableList> {
  try {
    return await engine.task("tables", { ...args, counted: false }, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    // What is wrong with it is told to whoever reads from it; the others are listed all the same.
    if (thrown instanceof Error) return { tables: [], truncated: false };
    throw thrown;
  }
}
