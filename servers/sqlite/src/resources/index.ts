import type { ResourceTemplateDefinition } from "@suite/core";

import type { SqliteState } from "../state.ts";
import { queryTemplate } from "./query.ts";
import { rowsTemplate } from "./rows.ts";
import { schemaTemplate } from "./schema.ts";
import { tableTemplate } from "./table.ts";

/** In the order in which they are listed. */
export const templates: readonly ResourceTemplateDefinition<SqliteState>[] = [
  schemaTemplate,
  tableTemplate,
  rowsTemplate,
  queryTemplate,
];
