import { untrusted, type TextPart } from "@suite/server-kit";
import { fitItems, shownSize } from "@suite/server-kit/domain";
import { Count } from "@suite/server-kit/schemas";
import { toStandardJsonSchema as schema } from "@valibot/to-json-schema";
import * as v from "valibot";

import { defineTool } from "../define.ts";
import type { FullScan, QueryPlan, PlanStep } from "../domain/protocol/tasks.ts";
import { renderPlan, toLine } from "../domain/render.ts";
import { DatabaseName, rowCount, SameParams, Sql, SQL_ALIASES } from "./schemas.ts";

const Step: v.GenericSchema<PlanStep> = v.object({
  detail: v.string(),
  steps: v.exactOptional(v.array(v.any())),
});
const Texts = v.array(v.string());
const Output = v.object({
  database: v.string(),
  plan: v.array(Step),
  full_scans: v.array(v.object({ table: v.string(), ...rowCount })),
  sorts: v.exactOptional(Texts),
  automatic_indexes: v.exactOptional(Texts),
  truncated: v.exactOptional(v.boolean()),
  total_steps: v.exactOptional(Count),
});

export const explainQuery = defineTool({
  name: "explain_query",
  version: 6,
  title: "Explain a query",
  description: "Plan, full scans and sorts of a statement.",
  effects: "read",
  affects: "nothing: the statement is not run",
  group: "read",
  alsoKnownAs: ["explain", "query_plan"],
  aliases: SQL_ALIASES,
  input: schema(v.strictObject({ query: Sql, params: SameParams, database: DatabaseName })),
  output: schema(Output),
  untrusted: ["plan", "full_scans", "automatic_indexes"],
  async run({ query, params, database }, { state, stop, budget }) {
    const { name, engine } = state.databases.get(database);
    return { database: name, ...fitPlan(await engine.task("explain", { sql: query, params }, stop), budget) };
  },
  text: (output): TextPart[] =>
    output.plan.length === 0
      ? ["There is no plan: the statement looks nothing up."]
      : ["Plan:", untrusted(renderPlan(output))],
  note: ({ truncated, total_steps: total }) =>
    truncated
      ? `Truncated: the whole plan has ${total} steps. Explain parts of the statement separately to see the rest.`
      : undefined,
});

type FittedPlan = Omit<v.InferOutput<typeof Output>, "database">;

/** Characters that the text view adds to the JSON of an item. */
const WORDS = 25;

/** Scans, sorts and automatic indexes get up to a quarter of the budget each, steps the rest. */
function fitPlan({ steps, full_scans, sorts, automatic_indexes }: QueryPlan, budget: number): FittedPlan {
  const quarter = Math.floor(budget / 4);
  const sizeOf = (item: FullScan | string): number => shownSize(item) + WORDS;
  const scans = fitItems(full_scans, quarter, sizeOf);
  const [sorting, building] = [fitItems(sorts, quarter), fitItems(automatic_indexes, quarter, sizeOf)];
  const lines = scans.items.length + building.items.length;
  const used = shownSize([scans.items, sorting.items, building.items]) + lines * WORDS;
  const room = { left: budget - used };
  const plan = takeSteps(steps, room, 0);
  const isWhole = room.left >= 0 && [scans, sorting, building].every(({ rest }) => rest.length === 0);
  return {
    plan,
    full_scans: [...scans.items],
    ...(sorting.items.length > 0 && { sorts: [...sorting.items] }),
    ...(building.items.length > 0 && { automatic_indexes: [...building.items] }),
    ...(!isWhole && { truncated: true, total_steps: countSteps(steps) }),
  };
}

/** Takes steps in display order until the budget is used up. */
function takeSteps(steps: readonly PlanStep[], room: { left: number }, depth: number): PlanStep[] {
  const taken: PlanStep[] = [];
  for (const { detail, steps: inner = [] } of steps) {
    room.left -= Math.max(shownSize({ detail, steps: [] }), toLine(detail).length) + 2 * depth + 1;
    if (room.left < 0) break;
    const below = takeSteps(inner, room, depth + 1);
    taken.push({ detail, ...(below.length > 0 && { steps: below }) });
  }
  return taken;
}

const countSteps = (steps: readonly PlanStep[]): number =>
  steps.reduce((sum, { steps: inner = [] }) => sum + 1 + countSteps(inner), 0);
