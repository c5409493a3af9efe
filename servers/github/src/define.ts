import { defineFor, type Definers } from "@suite/server-kit";

import type { GithubState } from "./state.ts";

const definers: Definers<GithubState> = defineFor<GithubState>();

export const { defineTool, defineTemplate, definePrompt } = definers;
