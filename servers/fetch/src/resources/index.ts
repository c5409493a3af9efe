import type { ResourceTemplateDefinition } from "@suite/server-kit";

import type { FetchState } from "../state.ts";
import { pageTemplate, urlTemplate } from "./page.ts";

export const templates: readonly ResourceTemplateDefinition<FetchState>[] = [pageTemplate, urlTemplate];
