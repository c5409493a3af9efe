import type { ResourceContents, ResourceTemplateDefinition } from "@suite/server-kit";
import {
  Fault,
  type JsonValue,
  fromCursor,
  isListOf,
  isText,
  reveal,
  toCursor,
} from "@suite/server-kit/domain";
import { defineResource, defineResourceTemplate } from "../define.ts";
import { isCursorPlace } from "../domain/protocol/statements.ts";
import { rowsUri, schemaUri, tableUri } from "../domain/uris.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { INSIGHTS_URI } from "../tools/append-insight.ts";
import { ask, completeDatabase, completeQuery, completeTable } from "./completion.ts";

const JSON_TYPE = "application/json";

/** Tells hosts that the contents of a database are untrusted. */
const UNTRUSTED = { "dev.suite/untrusted": true };

const toJsonContents = (uri: string, data: unknown): ResourceContents =>
  toContents(uri, JSON_TYPE, JSON.stringify(data, undefined, 2));

const toContents = (uri: string, mimeType: string, text: string): ResourceContents => ({
  uri,
  mimeType,
  text,
  _meta: UNTRUSTED,
});

/** Any commit to a database may change any of its resources. */
function subscribe(uri: string, changed: () => void, state: SqliteState): () => void {
  const name = /^sqlite:\/\/([^/]+)\//.exec(uri)?.[1] ?? "";
  return state.watch.listen(state.databases.get(decodeURIComponent(name)), changed);
}

const LONGEST = 1_000_000;

const schemaTemplate = defineResourceTemplate({
  uriTemplate: "sqlite://{db}/schema",
  name: "schema",
  title: "Schema of a database",
  description: "Tables and views of a database, with their definitions",
  mimeType: JSON_TYPE,
  async read({ db }, { state, stop }, uri) {
    const { name, engine } = state.databases.get(db);
    const { tables, omitted, more } = await engine.task("describe", { sample: 0, budget: LONGEST }, stop);
    return toJsonContents(uri, { database: name, tables, truncated: omitted.length > 0 || more });
  },
  list: ({ state }) => ({
    resources: state.databases.names.map((name) => ({
      uri: schemaUri(name),
      name: `${name} schema`,
      mimeType: JSON_TYPE,
    })),
  }),
  complete: { db: completeDatabase },
  subscribe,
});

const SAMPLE = 5;

const tableTemplate = defineResourceTemplate({
  uriTemplate: "sqlite://{db}/table/{table}",
  name: "table",
  title: "A table",
  description: "Definition and a sample of one table or view",
  mimeType: JSON_TYPE,
  async read({ db, table }, { state, stop }, uri) {
    const { engine } = state.databases.get(db);
    const args = { tables: [table], sample: SAMPLE, budget: Number.MAX_SAFE_INTEGER };
    const { tables } = await engine.task("describe", args, stop);
    return toJsonContents(uri, tables[0]);
  },
  async list(context, cursor) {
    const { tables, nextCursor } = await listTables(context, cursor);
    return {
      resources: tables.map(({ database, table }) => ({
        uri: tableUri(database, table),
        name: reveal(table),
        mimeType: JSON_TYPE,
      })),
      ...(nextCursor !== undefined && { nextCursor }),
    };
  },
  complete: { db: completeDatabase, table: completeTable },
  subscribe,
});

interface ListedTable {
  readonly database: string;
  readonly table: string;
}

/** The database, and the last of its tables that was listed. */
type ListPosition = readonly [database: string, table: string];

const PAGE = 100;
const ABOUT = "resources/list";

/** The tables of all databases, a page at a time. From then on, changes of the list are announced. */
async function listTables(
  context: SqliteContext,
  cursor: string | undefined,
): Promise<{ readonly tables: readonly ListedTable[]; readonly nextCursor?: string }> {
  const { databases, watch } = context.state;
  const [name, last] = fromCursor(cursor, ABOUT, isListOf(isText, isText)) ?? [];
  const from = name === undefined ? 0 : databases.names.indexOf(name);
  const tables: ListedTable[] = [];
  for (const database of databases.all.slice(Math.max(0, from))) {
    watch.listenToSchema(database, () => context.notify.resourceListChanged());
    const after = database.name === name ? last : undefined;
    const args = { limit: PAGE - tables.length, after, counted: false };
    // Reading from a database that cannot be listed reports the error; the others are still listed.
    const found = await ask(() => database.engine.task("tables", args, context.stop), context.stop);
    if (!found) continue;
    tables.push(...found.tables.map((table) => ({ database: database.name, table: table.name })));
    if (!found.truncated) continue;
    const position: ListPosition = [database.name, found.tables.at(-1)?.name ?? after ?? ""];
    return { tables: tables.filter(isReachable), nextCursor: toCursor(position, ABOUT) };
  }
  return { tables: tables.filter(isReachable) };
}

/** SQLite allows an empty table name, but a URI cannot express it. */
const isReachable = ({ table }: ListedTable): boolean => table !== "";

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1000;

const rowsTemplate = defineResourceTemplate({
  uriTemplate: "sqlite://{db}/table/{table}/rows{?limit,cursor}",
  name: "rows",
  title: "Rows of a table",
  description: "Rows of one table or view, page by page: next_uri continues",
  mimeType: JSON_TYPE,
  async read({ db, table: given, limit: wanted, cursor }, { state, stop }, uri) {
    const { name: database, engine } = state.databases.get(db);
    const limit = readLimit(wanted);
    const { table, sql } = await engine.task("select", { table: given }, stop);
    const about: JsonValue = ["rows", database, table];
    const { next, ...page } = await engine.read(
      { sql, limit, cursor: fromCursor(cursor, about, isCursorPlace) },
      stop,
    );
    const nextUri = next && rowsUri(database, table, limit, toCursor(next, about));
    return toJsonContents(uri, { database, table, ...page, next_uri: nextUri });
  },
  complete: { db: completeDatabase, table: completeTable },
  subscribe,
});

function readLimit(limit: string | undefined): number {
  const number = limit === undefined ? DEFAULT_LIMIT : /^\d+$/.test(limit) ? Number(limit) : 0;
  if (number >= 1 && number <= LARGEST_LIMIT) return number;
  throw new Fault("invalid_input", `limit must be a number from 1 to ${LARGEST_LIMIT}.`);
}

const queryTemplate = defineResourceTemplate({
  uriTemplate: "sqlite://{db}/query/{id}",
  name: "query",
  title: "A stored result",
  description: "The page that read_query gave with store: true",
  mimeType: JSON_TYPE,
  read({ db, id }, { state, principal }, uri) {
    const found = state.results.get(id, state.databases.get(db).name, principal);
    return found === undefined ? undefined : toContents(uri, JSON_TYPE, found);
  },
  complete: { db: completeDatabase, id: completeQuery },
});

const TYPE = "text/plain";

export const insights = defineResource({
  uri: INSIGHTS_URI,
  name: "insights",
  title: "Insights",
  description: "What was found out about the data, one insight a line",
  mimeType: TYPE,
  subscribe: true,
  read: ({ state, principal }) => toContents(INSIGHTS_URI, TYPE, state.insights.toMemo(principal)),
});

/** In the order in which they are listed. */
export const templates: readonly ResourceTemplateDefinition<SqliteState>[] = [
  schemaTemplate,
  tableTemplate,
  rowsTemplate,
  queryTemplate,
];
