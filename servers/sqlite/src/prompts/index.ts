import type { PromptDefinition } from "@suite/core";

import type { SqliteState } from "../state.ts";
import { analyzeTable } from "./analyze-table.ts";
import { mcpDemo } from "./mcp-demo.ts";
import { optimizeQuery } from "./optimize-query.ts";
import { writeQueryFor } from "./write-query-for.ts";

/** In the order in which they are listed. */
export const prompts: readonly PromptDefinition<SqliteState>[] = [
  mcpDemo,
  analyzeTable,
  writeQueryFor,
  optimizeQuery,
];
