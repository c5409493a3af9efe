import { defineFor } from "@suite/server-kit";

import type { FetchState } from "./state.ts";

export const { defineTool, defineResourceTemplate, definePrompt } = defineFor<FetchState>();
