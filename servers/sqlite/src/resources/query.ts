import { defineTemplate } from "../define.ts";

import { completeDatabase, completeQuery } from "./completion.ts";
import { JSON_TYPE, toContents } from "./contents.ts";

export const queryTemplate = defineTemplate({
  uriTemplate: "sqlite://{db}/query/{id}",
  name: "query",
  title: "A stored result",
  description: "The page that read_query gave with store: true",
  mimeType: JSON_TYPE,
  read({ db, id }, { state }, uri) {
    const found = state.results.get(id, state.databases.get(db).name);
    return found === undefined ? undefined : toContents(uri, JSON_TYPE, found);
  },
  complete: { db: completeDatabase, id: completeQuery },
});
