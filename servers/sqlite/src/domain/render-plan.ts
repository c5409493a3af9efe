import type { FullScan, PlanStep } from "./worker/tasks/explain.ts";
import { toLine } from "./render.ts";

export interface RenderedPlan {
  readonly plan: readonly PlanStep[];
  readonly full_scans: readonly FullScan[];
}

/** A plan as a tree, and what stands out in it. */
export function renderPlan({ plan, full_scans: scans }: RenderedPlan): string {
  return [
    ...plan.flatMap((step) => renderStep(step, 0)),
    ...scans.map(({ table, rows, more }) => {
      const counted = rows === undefined ? "" : ` (${rows}${more ? "+" : ""} rows)`;
      return `Full scan of ${toLine(table)}${counted}`;
    }),
  ].join("\n");
}

const renderStep = ({ detail, steps }: PlanStep, depth: number): string[] => [
  `${"  ".repeat(depth)}${toLine(detail)}`,
  ...steps.flatMap((step) => renderStep(step, depth + 1)),
];
