import { definePrompt, type PromptDefinition } from "@suite/core";
import { renderParts, untrusted } from "@suite/server-kit/domain";

import { renderDefinition } from "../domain/render-definition.ts";
import type { TableInfo } from "../domain/child/tasks/describe.ts";
import { completeColumn } from "../resources/completion.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { databaseArgument, tableArgument } from "./arguments.ts";

export const analyzeTable: PromptDefinition<SqliteState> = definePrompt({
  name: "analyze_table",
  title: "Analyze a table",
  description: "What a table holds, how good its data is, and what to ask it",
  arguments: {
    table: tableArgument,
    column: { description: "A column to look at closely", complete: completeColumn },
    database: databaseArgument,
  },
  async render({ table, column, database }, { state, stop }: SqliteContext) {
    const { name, engine } = state.databases.get(database);
    const info = (await engine.task("describe", { table, sample: 0 }, stop)) as TableInfo;
    return renderParts([
      `Analyze this table of the database ${name}:`,
      untrusted(renderDefinition(info), name),
      "Use profile_table first. Then say what a row stands for, which columns have gaps or odd values, how the table hangs together with others, and three questions it could answer, with their SQL. Record what is worth keeping with append_insight.",
      ...(column === undefined ? [] : [`Look most closely at the column ${JSON.stringify(column)}.`]),
    ]);
  },
});
