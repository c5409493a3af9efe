import { defineFor } from "@suite/server-kit";

import type { FilesystemState } from "./state.ts";

export const { defineTool, defineResourceTemplate, definePrompt } = defineFor<FilesystemState>();
