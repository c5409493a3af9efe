import type { Note, TextPart } from "@suite/server-kit";
import { countOf, Fault, fromCursor, toCursor, type JsonValue } from "@suite/server-kit/domain";
import { Count, Cursor, FromOne } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import { isCursorPlace } from "../domain/protocol/statements.ts";
import { queryUri } from "../domain/uris.ts";
import { elapsedSince, type GivenPage, limitsFor, noteValues, pageOutput, renderRows } from "./page.ts";
import { DatabaseName, MaxBytes, Params, Sql, SQL_ALIASES } from "./schemas.ts";

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 10_000;

interface GivenResult extends GivenPage {
  readonly database: string;
  readonly elapsed_ms: number;
  next_cursor?: string;
  paged_by?: "key" | "offset";
  uri?: string;
}

export const readQuery = defineTool({
  name: "read_query",
  version: 6,
  title: "Query",
  description: "Runs one SELECT (or WITH, VALUES, EXPLAIN). store keeps the page.",
  effects: "read",
  affects: "nothing: it reads the database",
  // SQL has random() and the time.
  deterministic: false,
  group: "read",
  view: "query",
  alsoKnownAs: ["query", "execute_query", "run_query", "select"],
  aliases: { ...SQL_ALIASES, limit: ["max_rows", "row_limit"] },
  input: schema(
    v.strictObject({
      query: Sql,
      params: Params,
      limit: v.optional(v.pipe(FromOne, v.description("Rows a page; default 100"))),
      cursor: v.optional(Cursor),
      store: v.optional(v.boolean()),
      max_bytes: MaxBytes,
      database: DatabaseName,
    }),
  ),
  output: schema(
    v.object({
      database: v.string(),
      ...pageOutput,
      elapsed_ms: Count,
      next_cursor: v.exactOptional(v.string()),
      paged_by: v.exactOptional(v.picklist(["key", "offset"])),
      uri: v.exactOptional(v.string()),
    }),
  ),
  untrusted: ["columns", "rows"],
  // The most frequent call: `async` would cost it one more promise.
  run(
    { query, params, limit = DEFAULT_LIMIT, cursor, store, database },
    { state, stop, budget, principal },
  ): Promise<GivenResult> {
    const { name, engine } = state.databases.get(database);
    if (limit > LARGEST_LIMIT)
      throw new Fault("invalid_input", `limit must be a number from 1 to ${LARGEST_LIMIT}.`);
    const about = (): JsonValue => [name, query, params ?? null];
    const request = {
      sql: query,
      limit,
      ...limitsFor(budget),
      params,
      cursor: cursor === undefined ? undefined : fromCursor(cursor, about(), isCursorPlace),
    };
    const begun = performance.now();
    return engine.read(request, stop).then(({ next: place, ...page }) => {
      const result: GivenResult = { database: name, ...page, elapsed_ms: elapsedSince(begun) };
      if (place !== undefined) {
        result.next_cursor = toCursor(place, about());
        result.paged_by = place[0] === 0 ? "key" : "offset";
      }
      if (store === true) {
        const text = toStoredText(query, result);
        result.uri = queryUri(name, state.results.add(name, text, principal));
      }
      return result;
    });
  },
  text: render,
  note: toReadNotes,
});

const toStoredText = (sql: string, { database, columns, rows, truncated }: GivenResult): string =>
  JSON.stringify({ database, sql, time: new Date().toISOString(), columns, rows, truncated }, undefined, 2);

function toReadNotes(result: GivenResult): Note {
  const { truncated, next_cursor: cursor, paged_by: by, uri } = result;
  const more =
    cursor === undefined
      ? `Truncated. random() and dates allow no cursor: raise limit (up to ${LARGEST_LIMIT}), narrow the query, or order it and read it in ranges.`
      : `Truncated. Continue with cursor: "${cursor}" and the same query.`;
  return [
    truncated && more,
    by === "offset" && "The query runs again for the next page: rows shift if the data changes.",
    ...noteValues(result),
    uri !== undefined && `Kept as ${uri}`,
  ];
}

function render(result: GivenResult): TextPart[] {
  const { columns, rows, uri, truncated } = result;
  const count = countOf(rows.length, "row");
  return [
    rows.length === 0 ? "No rows." : `${truncated ? `The first ${count}` : count}:`,
    ...(columns.length > 0 ? [renderRows(result)] : []),
    ...(uri === undefined
      ? []
      : [{ type: "resource_link" as const, uri, name: "result", mimeType: "application/json" }]),
  ];
}
