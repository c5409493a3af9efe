import { defineFor } from "@suite/server-kit";

import type { SqliteState } from "./state.ts";

export const { defineTool, defineResource, defineResourceTemplate, definePrompt } = defineFor<SqliteState>();
