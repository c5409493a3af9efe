import { defineTemplate } from "../define.ts";
import { Fault, parseCursor, toCursor, type JsonValue } from "@suite/server-kit/domain";

import type { CursorPlace } from "../domain/protocol.ts";
import { rowsUri } from "../domain/uris.ts";
import { completeDatabase, completeTable } from "./completion.ts";
import { JSON_TYPE, toJsonContents } from "./contents.ts";
import { watch } from "./watch.ts";

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1000;

export const rowsTemplate = defineTemplate({
  uriTemplate: "sqlite://{db}/table/{table}/rows{?limit,cursor}",
  name: "rows",
  title: "Rows of a table",
  description: "Rows of one table or view, page by page: next_uri goes on",
  mimeType: JSON_TYPE,
  async read({ db, table: given, limit: wanted, cursor }, { state, stop }, uri) {
    const { name: database, engine } = state.databases.get(db);
    const limit = readLimit(wanted);
    const { table, sql } = await engine.task("select", { table: given }, stop);
    const about: JsonValue = ["rows", database, table];
    const { next, ...page } = await engine.read(
      {
        sql,
        limit,
        ...(cursor === undefined ? {} : { cursor: parseCursor<CursorPlace>(cursor, about) }),
      },
      stop,
    );
    const nextUri = next && rowsUri(database, table, limit, toCursor([...next] as JsonValue, about));
    return toJsonContents(uri, {
      database,
      table,
      ...page,
      ...(nextUri !== undefined && { next_uri: nextUri }),
    });
  },
  complete: { db: completeDatabase, table: completeTable },
  subscribe: watch,
});

function readLimit(limit: string | undefined): number {
  const number = limit === undefined ? DEFAULT_LIMIT : /^\d+$/.test(limit) ? Number(limit) : 0;
  if (number >= 1 && number <= LARGEST_LIMIT) return number;
  throw new Fault("invalid_input", `limit must be a number from 1 to ${LARGEST_LIMIT}.`);
}
