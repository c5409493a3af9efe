import { untrusted, type TextPart } from "@suite/server-kit";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { PlanStep } from "../domain/worker/tasks/explain.ts";
import { renderPlan } from "../domain/render.ts";
import { DatabaseName, SameParams, Sql, SQL_ALIASES } from "./schemas.ts";

interface Step {
  detail: string;
  steps: Step[];
}

const StepSchema: v.GenericSchema<Step> = v.object({ detail: v.string(), steps: v.array(v.any()) });
const Texts = v.array(v.string());

export const explainQuery = defineTool({
  name: "explain_query",
  version: 3,
  title: "Explain a query",
  description:
    "How SQLite would run a statement: plan, full scans with their rows, sorts, automatic indexes.",
  effects: "read",
  touches: "nothing: the statement is not run",
  group: "read",
  formerly: ["explain", "query_plan"],
  aliases: SQL_ALIASES,
  input: schema(v.strictObject({ query: Sql, params: SameParams, database: DatabaseName })),
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
  untrusted: ["plan", "full_scans", "automatic_indexes"],
  async run({ query, params, database }, { state, stop }) {
    const { name, engine } = state.databases.get(database);
    const args = { sql: query, ...(params === undefined ? {} : { params }) };
    const plan = await engine.task("explain", args, stop);
    return {
      database: name,
      plan: plan.steps.map(toStep),
      full_scans: [...plan.full_scans],
      sorts: [...plan.sorts],
      automatic_indexes: [...plan.automatic_indexes],
    };
  },
  text: (output): TextPart[] =>
    output.plan.length === 0
      ? ["It looks nothing up: there is no plan to speak of."]
      : ["Plan:", untrusted(renderPlan(output))],
});

const toStep = ({ detail, steps }: PlanStep): Step => ({ detail, steps: steps.map(toStep) });
