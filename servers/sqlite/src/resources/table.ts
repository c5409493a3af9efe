import { defineTemplate } from "../define.ts";
import { reveal } from "@suite/server-kit/domain";

import { tableUri } from "../domain/uris.ts";
import { completeDatabase, completeTable } from "./completion.ts";
import { JSON_TYPE, toJsonContents } from "./contents.ts";
import { listTables } from "./list-tables.ts";
import { watch } from "./watch.ts";

const SAMPLE = 5;

export const tableTemplate = defineTemplate({
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
  subscribe: watch,
});
