import { defineTool, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { parseCursor, toCursor, type JsonValue } from "@suite/server-kit/domain";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import type { CursorPlace, Page } from "../domain/protocol.ts";
import { queryUri } from "../domain/uris.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { countOf, type GivenPage, noteInexact, pageOutput, renderRows, toGivenPage } from "./page.ts";
import { Count, DatabaseName, Params, Sql } from "./schemas.ts";

const DEFAULT_LIMIT = 100;

interface GivenResult extends GivenPage {
  database: string;
  next_cursor?: string;
  paged_by?: "key" | "offset";
  uri?: string;
}

export const readQuery: ToolDefinition<SqliteState> = defineTool({
  name: "read_query",
  version: 2,
  title: "Query",
  description:
    "Runs one SELECT (WITH, VALUES and EXPLAIN too) and gives its rows. Pass values as params. 100 rows a page; next_cursor goes on " +
    "with the same query. store keeps the page as a resource.",
  effects: "read",
  touches: "nothing: it reads the database",
  // SQL has random() and the time.
  deterministic: false,
  group: "read",
  input: schema(
    v.strictObject({
      query: Sql,
      params: Params,
      limit: v.optional(v.pipe(Count, v.minValue(1), v.maxValue(10_000))),
      cursor: v.optional(v.string()),
      store: v.optional(v.boolean()),
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      ...pageOutput,
      next_cursor: v.exactOptional(v.string()),
      paged_by: v.exactOptional(v.picklist(["key", "offset"])),
      uri: v.exactOptional(v.string()),
    }),
  ),
  // The call that is made more than any other: `async` would cost it one promise more.
  run(
    { query, params, limit = DEFAULT_LIMIT, cursor, store, database },
    { state, stop }: SqliteContext,
  ): Promise<GivenResult> {
    const { name, engine } = state.databases.get(database);
    const about = (): JsonValue => [name, query, (params ?? null) as JsonValue];
    const request = {
      sql: query,
      limit,
      ...(params !== undefined && { params }),
      ...(cursor !== undefined && { cursor: parseCursor<CursorPlace>(cursor, about()) }),
    };
    return engine.read(request, stop).then((page) => {
      const { columns, rows, truncated } = toGivenPage(page);
      const result: GivenResult = { database: name, columns, rows, truncated };
      if (page.next !== undefined) {
        result.next_cursor = toCursor([...page.next] as JsonValue, about());
        result.paged_by = page.next[0] === 0 ? "key" : "offset";
      }
      if (store === true) result.uri = keep(state, name, query, page);
      return result;
    });
  },
  text: render,
});

function keep(
  { results }: SqliteState,
  database: string,
  sql: string,
  { columns, rows, truncated }: Page,
): string {
  const result = { database, sql, time: new Date().toISOString(), columns, rows, truncated };
  return queryUri(database, results.add(database, JSON.stringify(result, undefined, 2)));
}

function render(result: GivenResult): TextPart[] {
  const { columns, rows, truncated, next_cursor: cursor, paged_by: by, uri, database } = result;
  const parts: TextPart[] = [
    rows.length === 0 ? "No rows." : `${countOf(rows.length, "row")}${truncated ? ", cut" : ""}:`,
  ];
  if (columns.length > 0) parts.push(renderRows(result, database));
  if (columns.some(({ inexact }) => inexact))
    parts.push(...noteInexact(columns.filter(({ inexact }) => inexact).map(({ name }) => name)));
  if (cursor !== undefined) parts.push(`There are more: go on with cursor: "${cursor}"`);
  else if (truncated) parts.push("There are more: narrow the query, or order it and take ranges.");
  if (by === "offset") parts.push("The query runs again for the next page: rows shift if the data changes.");
  if (uri !== undefined) {
    parts.push(`Kept as ${uri}`, {
      type: "resource_link",
      uri,
      name: "result",
      mimeType: "application/json",
    });
  }
  return parts;
}
