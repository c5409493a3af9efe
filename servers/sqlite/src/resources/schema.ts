import { defineTemplate } from "../define.ts";

import { schemaUri } from "../domain/uris.ts";
import { completeDatabase } from "./completion.ts";
import { JSON_TYPE, toJsonContents } from "./contents.ts";
import { watch } from "./watch.ts";

const LONGEST = 1_000_000;

export const schemaTemplate = defineTemplate({
  uriTemplate: "sqlite://{db}/schema",
  name: "schema",
  title: "Schema of a database",
  description: "Tables and views of a database, with their definitions",
  mimeType: JSON_TYPE,
  async read({ db }, { state, stop }, uri) {
    const { name, engine } = state.databases.get(db);
    const { tables, omitted } = await engine.task("describe", { sample: 0, budget: LONGEST }, stop);
    return toJsonContents(uri, { database: name, tables, truncated: omitted.length > 0 });
  },
  list: ({ state }) => ({
    resources: state.databases.names.map((name) => ({
      uri: schemaUri(name),
      name: `${name} schema`,
      mimeType: JSON_TYPE,
    })),
  }),
  complete: { db: completeDatabase },
  subscribe: watch,
});
