import { definePrompt, type PromptDefinition } from "@suite/core";
import { renderParts, untrusted } from "@suite/server-kit/domain";

import { renderPlan } from "../domain/render-plan.ts";
import type { Plan } from "../domain/child/tasks/explain.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { databaseArgument } from "./arguments.ts";

export const optimizeQuery: PromptDefinition<SqliteState> = definePrompt({
  name: "optimize_query",
  title: "Make a query faster",
  description: "Why a query is slow, and what would help: its plan is in the prompt",
  arguments: { query: { description: "The SQL", required: true }, database: databaseArgument },
  async render({ query, database }, { state, stop }: SqliteContext) {
    const { name, engine } = state.databases.get(database);
    const { steps, ...plan } = (await engine.task("explain", { sql: query }, stop)) as Plan;
    return renderParts([
      `This query on the database ${name} should be faster:\n${query}`,
      "How SQLite runs it:",
      untrusted(renderPlan({ ...plan, plan: steps }), name),
      "Explain in plain words where the time goes. Propose a better query or an index, compare the plans with explain_query, and say what an index costs when rows change.",
    ]);
  },
});
