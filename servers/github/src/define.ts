import { defineFor } from "@suite/server-kit";

import type { GithubState } from "./state.ts";

export const { defineTool, defineResourceTemplate } = defineFor<GithubState>();
