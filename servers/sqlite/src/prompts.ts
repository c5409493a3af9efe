import type { PromptDefinition } from "@suite/server-kit";
import { DEFAULT_BUDGET, renderParts, untrusted } from "@suite/server-kit/domain";
import { definePrompt } from "./define.ts";
import { renderDefinition, renderPlan, toLine } from "./domain/render.ts";
import { completeColumn, completeDatabase, completeTable } from "./resources/completion.ts";
import type { SqliteState } from "./state.ts";

const databaseArgument = {
  description: "Which database; not needed if there is one",
  complete: completeDatabase,
};

const tableArgument = { description: "The table", required: true, complete: completeTable } as const;

const mcpDemo = definePrompt({
  name: "mcp-demo",
  title: "Demo: build a database about a topic",
  description: "Makes tables about a topic, fills them, and finds something out, step by step",
  arguments: {
    topic: {
      description: "What the data is about",
      required: true,
      complete: ["retail sales", "a city library", "football league", "coffee roastery", "hospital shifts"],
    },
  },
  render: ({ topic }) =>
    [
      `Let us explore what this server can do, with invented data about: ${topic}.`,
      "1. Think of a short story with a question that data could answer, and tell me.",
      "2. Make two or three related tables with create_table, and fill them with write_query or execute_batch (20 to 50 rows).",
      "3. Answer the question with read_query, one step at a time; look at plans with explain_query where it is interesting.",
      "4. Record what you find with append_insight as you go, and end with a summary of memo://insights.",
      "Ask me before each step whether to go on. Without permission to change the schema, use the tables that are there.",
    ].join("\n"),
});

const analyzeTable = definePrompt({
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

const MOST_NAMED = 40;

const writeQueryFor = definePrompt({
  name: "write_query_for",
  title: "Write a query",
  description: "SQL for a question in plain words, tried before it is shown",
  arguments: {
    question: { description: "What you want to know", required: true },
    database: databaseArgument,
  },
  async render({ question, database }, { state, stop }) {
    const { name, engine } = state.databases.get(database);
    const args = { limit: MOST_NAMED, counted: false };
    const { tables, truncated } = await engine.task("tables", args, stop);
    return renderParts([
      `Write one SELECT for the database ${name} that answers: ${question}`,
      tables.length === 0
        ? "It has no tables."
        : `Its tables${truncated ? " (list_tables shows more)" : ""}:`,
      ...(tables.length === 0 ? [] : [untrusted(tables.map((table) => toLine(table.name)).join("\n"))]),
      "Look at the tables it needs with describe_table, try it with read_query and a small limit, then show the SQL, the first rows, and what you assumed.",
    ]);
  },
});

const optimizeQuery = definePrompt({
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

/** In the order in which they are listed. */
export const prompts: readonly PromptDefinition<SqliteState>[] = [
  mcpDemo,
  analyzeTable,
  writeQueryFor,
  optimizeQuery,
];
