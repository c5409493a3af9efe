import { DEFAULT_BUDGET, renderParts, untrusted } from "@suite/server-kit/domain";

import { definePrompt } from "../define.ts";
import { renderDefinition } from "../domain/render-definition.ts";
import { completeColumn } from "../resources/completion.ts";
import { databaseArgument, tableArgument } from "./arguments.ts";

export const analyzeTable = definePrompt({
  name: "analyze_table",
  title: "Analyze a table",
  description: "What a table holds, how good its data is, and what to ask it",
  arguments: {
    table: tableArgument,
    column: { description: "A column to look at closely", complete: completeColumn },
    database: databaseArgument,
  },
  async render({ table, column, database }, { state, stop }) {
    const { name, engine } = state.databases.get(database);
    const args = { tables: [table], sample: 0, budget: DEFAULT_BUDGET };
    const { tables } = await engine.task("describe", args, stop);
    return renderParts([
      `Analyze this table of the database ${name}:`,
      untrusted(tables.map(renderDefinition).join("\n").slice(0, DEFAULT_BUDGET)),
      "Use profile_table first. Then say what a row stands for, which columns have gaps or odd values, how the table hangs together with others, and three questions it could answer, with their SQL. Record what is worth keeping with append_insight.",
      ...(column === undefined ? [] : [`Look most closely at the column ${JSON.stringify(column)}.`]),
    ]);
  },
});
