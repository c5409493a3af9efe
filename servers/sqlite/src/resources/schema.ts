import { defineResourceTemplate, type ResourceTemplateDefinition } from "@suite/core";

import type { Schema } from "../domain/child/tasks/describe.ts";
import { schemaUri } from "../domain/uris.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { completeDatabase } from "./completion.ts";
import { JSON_TYPE, toJsonContents } from "./contents.ts";
import { watch } from "./watch.ts";

export const schemaTemplate: ResourceTemplateDefinition<SqliteState> = defineResourceTemplate({
  uriTemplate: "sqlite://{db}/schema",
  name: "schema",
  title: "Schema of a database",
  description: "Tables and views of a database, with their definitions",
  mimeType: JSON_TYPE,
  async read({ db }, { state, stop }: SqliteContext, uri) {
    const { name, engine } = state.databases.get(db);
    const schema = (await engine.task("schema", {}, stop)) as Schema;
    return toJsonContents(uri, { database: name, ...schema });
  },
  list: ({ state }: SqliteContext) => ({
    resources: state.databases.names.map((name) => ({
      uri: schemaUri(name),
      name: `${name} schema`,
      mimeType: JSON_TYPE,
    })),
  }),
  complete: { db: completeDatabase },
  subscribe: watch,
});
