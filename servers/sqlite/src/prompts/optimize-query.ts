import { renderParts, untrusted } from "@suite/server-kit/domain";

import { definePrompt } from "../define.ts";
import { renderPlan } from "../domain/render-plan.ts";
import { databaseArgument } from "./arguments.ts";

export const optimizeQuery = definePrompt({
  name: "optimize_query",
  title: "Make a query faster",
  description: "Why a query is slow, and what would help: its plan is in the prompt",
  arguments: { query: { description: "The SQL", required: true }, database: databaseArgument },
  async render({ query, database }, { state, stop }) {
    const { name, engine } = state.databases.get(database);
    const { steps, ...plan } = await engine.task("explain", { sql: query }, stop);
    return renderParts([
      `This query on the database ${name} should be faster:\n${query}`,
      "How SQLite runs it:",
      untrusted(renderPlan({ ...plan, plan: steps })),
      "Explain in plain words where the time goes. Propose a better query or an index, compare the plans with explain_query, and say what an index costs when rows change.",
    ]);
  },
});
