import { toComparable } from "./encoding.ts";
import type { Expression, Operator, TemplatePart, VariableSpec } from "./parse.ts";

export interface LiteralStep {
  readonly kind: "literal";
  readonly text: string;
}

/** A stretch of the URI that holds no `forbidden` character. */
interface RunStep {
  /** The character the run starts with; a run with a mark may be absent, mark and all. */
  readonly mark: string;
  readonly forbidden: string;
  readonly minimum: 0 | 1;
  /** Longest instead of shortest. */
  greedy: boolean;
  /** The step to continue with when this one is absent. */
  readonly ifAbsent: number;
  readonly separator: string;
}

export interface ValueStep extends RunStep {
  readonly kind: "value";
  readonly variable: VariableSpec;
}

export interface ParametersStep extends RunStep {
  readonly kind: "parameters";
  readonly variables: Map<string, VariableSpec>;
}

export type MatchStep = LiteralStep | ValueStep | ParametersStep;

export function toMatchSteps(parts: readonly TemplatePart[]): readonly MatchStep[] {
  const steps: MatchStep[] = [];
  for (const part of parts) {
    if (part.kind === "literal") steps.push({ kind: "literal", text: comparable(part.text) });
    else if (part.operator.named) addParameters(steps, part);
    else addValues(steps, part);
  }
  return steps;
}

function addParameters(steps: MatchStep[], { operator, variables }: Expression): void {
  const byName = variables.map((variable) => [comparable(variable.name), variable] as const);
  const last = steps.at(-1);
  // `{?a}{&b}` is one query: its parameters may come in any order.
  if (last?.kind === "parameters" && last.separator === operator.first) {
    for (const [name, variable] of byName) last.variables.set(name, variable);
    return;
  }
  steps.push({
    kind: "parameters",
    mark: operator.first,
    forbidden: operator.separator === "&" ? "#" : "/?#",
    minimum: 0,
    greedy: false,
    ifAbsent: steps.length + 1,
    separator: operator.separator,
    variables: new Map(byName),
  });
}

function addValues(steps: MatchStep[], { operator, variables }: Expression): void {
  const { first, separator } = operator;
  const afterExpression = steps.length + variables.length;
  variables.forEach((variable, index) => {
    const mark = index === 0 ? first : separator;
    const last = steps.at(-1);
    const followsRun = last !== undefined && last.kind !== "literal";
    if (mark === "" && followsRun) last.greedy = true;
    steps.push({
      kind: "value",
      mark,
      forbidden: forbiddenIn(operator, variable, variables.length > 1),
      minimum: mark === "" && !followsRun ? 1 : 0,
      greedy: false,
      // Without its own mark (`#`) an expression is absent as a whole, whatever commas follow.
      ifAbsent: mark === separator ? steps.length + 1 : afterExpression,
      separator,
      variable,
    });
  });
}

function forbiddenIn(operator: Operator, variable: VariableSpec, shared: boolean): string {
  const outside = operator.reserved ? "" : "/?#";
  if (variable.explode) return outside.replace(operator.separator, "");
  return shared ? outside + operator.separator : outside;
}

// The parser rejects broken triplets, so the fallback only satisfies the types.
function comparable(text: string): string {
  return toComparable(text) ?? text;
}
