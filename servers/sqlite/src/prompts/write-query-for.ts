import { renderParts, untrusted } from "@suite/server-kit/domain";

import { definePrompt } from "../define.ts";
import { toLine } from "../domain/render.ts";
import { databaseArgument } from "./arguments.ts";

const MOST_TABLES = 40;

export const writeQueryFor = definePrompt({
  name: "write_query_for",
  title: "Write a query",
  description: "SQL for a question in plain words, tried before it is shown",
  arguments: {
    question: { description: "What you want to know", required: true },
    database: databaseArgument,
  },
  async render({ question, database }, { state, stop }) {
    const { name, engine } = state.databases.get(database);
    const args = { limit: MOST_TABLES, counted: false };
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
