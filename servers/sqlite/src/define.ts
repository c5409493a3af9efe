import { defineFor, type Definers } from "@suite/server-kit";

import type { SqliteState } from "./state.ts";

const definers: Definers<SqliteState> = defineFor<SqliteState>();

export const defineTool: Definers<SqliteState>["defineTool"] = definers.defineTool;
export const defineResource: Definers<SqliteState>["defineResource"] = definers.defineResource;
export const defineTemplate: Definers<SqliteState>["defineTemplate"] = definers.defineTemplate;
export const definePrompt: Definers<SqliteState>["definePrompt"] = definers.definePrompt;
