import { defineFor } from "@suite/server-kit";

import type { GitState } from "./state.ts";

export const { defineTool, defineResourceTemplate, definePrompt } = defineFor<GitState>();
