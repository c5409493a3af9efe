interface Step {
  readonly detail: string;
  readonly steps: readonly Step[];
}

export interface RenderedPlan {
  readonly plan: readonly Step[];
  readonly full_scans: readonly string[];
  readonly suggestions: readonly string[];
}

/** A plan as a tree, and what stands out in it. */
export function renderPlan({ plan, full_scans: scans, suggestions }: RenderedPlan): string {
  return [
    ...plan.flatMap((step) => renderStep(step, 0)),
    ...(scans.length === 0 ? [] : [`Full scan of: ${scans.join(", ")}`]),
    ...suggestions.map((suggestion) => `Could help: ${suggestion}`),
  ].join("\n");
}

const renderStep = ({ detail, steps }: Step, depth: number): string[] => [
  `${"  ".repeat(depth)}${detail}`,
  ...steps.flatMap((step) => renderStep(step, depth + 1)),
];
