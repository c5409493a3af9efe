import { defineTool, untrusted, type TextPart, type ToolDefinition } from "@suite/server-kit";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { renderPlan } from "../domain/render-plan.ts";
import type { Plan, PlanStep } from "../domain/child/tasks/explain.ts";
import type { SqliteContext, SqliteState } from "../state.ts";
import { Count, DatabaseName, Params, Sql } from "./schemas.ts";

interface Step {
  detail: string;
  steps: Step[];
}

const StepSchema: v.GenericSchema<Step> = v.object({ detail: v.string(), steps: v.array(v.any()) });
const Texts = v.array(v.string());

export const explainQuery: ToolDefinition<SqliteState> = defineTool({
  name: "explain_query",
  version: 2,
  title: "Explain a query",
  description:
    "Shows how SQLite would run a statement, without running it: the plan, full scans with their rows, sorts, automatic indexes.",
  effects: "read",
  touches: "nothing: the statement is not run",
  group: "read",
  input: schema(v.strictObject({ query: Sql, params: Params, database: DatabaseName })),
  output: schema(
    v.object({
      database: v.string(),
      plan: v.array(StepSchema),
      full_scans: v.array(
        v.object({ table: v.string(), rows: v.exactOptional(Count), more: v.exactOptional(v.literal(true)) }),
      ),
      sorts: Texts,
      automatic_indexes: Texts,
    }),
  ),
  async run({ query, params, database }, { state, stop }: SqliteContext) {
    const { name, engine } = state.databases.get(database);
    const args = { sql: query, ...(params === undefined ? {} : { params }) };
    const plan = (await engine.task("explain", args, stop)) as Plan;
    return {
      database: name,
      plan: plan.steps.map(toStep),
      full_scans: plan.full_scans.map((scan) => ({ ...scan })),
      sorts: [...plan.sorts],
      automatic_indexes: [...plan.automatic_indexes],
    };
  },
  text: (output): TextPart[] =>
    output.plan.length === 0
      ? ["It looks nothing up: there is no plan to speak of."]
      : ["Plan:", untrusted(renderPlan(output), output.database)],
});

const toStep = ({ detail, steps }: PlanStep): Step => ({ detail, steps: steps.map(toStep) });
