import { defineResourceTemplate, type ResourceTemplateDefinition } from "@suite/core";
import { reveal } from "@suite/server-kit/domain";

import { tableUri } from "../domain/uris.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { completeDatabase, completeTable } from "./completion.ts";
import { JSON_TYPE, toJsonContents } from "./contents.ts";
import { listTables } from "./list-tables.ts";
import { watch } from "./watch.ts";

const SAMPLE = 5;

export const tableTemplate: ResourceTemplateDefinition<SqliteState> = defineResourceTemplate({
  uriTemplate: "sqlite://{db}/table/{table}",
  name: "table",
  title: "A table",
  description: "Definition and a sample of one table or view",
  mimeType: JSON_TYPE,
  async read({ db, table }, { state, stop }: SqliteContext, uri) {
    const { engine } = state.databases.get(db);
    return toJsonContents(uri, await engine.task("describe", { table, sample: SAMPLE }, stop));
  },
  async list(context: SqliteContext, cursor) {
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
  subscribe: watch,
});
