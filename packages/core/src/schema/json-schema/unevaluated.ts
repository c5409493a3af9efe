import { isObject } from "../../jsonrpc/message.ts";
import {
  type Check,
  type CompilationSite,
  descend,
  failAt,
  isSettled,
  spend,
  type ValidationRun,
} from "./check.ts";
import type { JsonSchema } from "./schema.ts";

export function hasUnevaluated({
  unevaluatedItems,
  unevaluatedProperties,
}: CompilationSite["keywords"]): boolean {
  return unevaluatedItems !== undefined || unevaluatedProperties !== undefined;
}

/** Applies `unevaluated…` to what the schema's other keywords, already run by `inner`, left over. */
export function unevaluatedCheck(
  { keywords, compile }: CompilationSite,
  isTrackedAbove: boolean,
  inner: Check,
): Check {
  const items = leftOver(keywords.unevaluatedItems, compile, "unexpected item");
  const properties = leftOver(keywords.unevaluatedProperties, compile, "unknown property");
  return (value, run) => {
    const mark = run.evaluated.length;
    // After another failure the rest is left alone: what a failed keyword would have evaluated is not known.
    const ok =
      inner(value, run) &&
      (items === undefined || !Array.isArray(value) || items(value.keys(), value, mark, run)) &&
      (properties === undefined || !isObject(value) || properties(Object.keys(value), value, mark, run));
    if (!isTrackedAbove && run.evaluated.length > mark) run.evaluated.length = mark;
    return ok;
  };
}

type LeftOver = (
  steps: Iterable<string | number>,
  container: object,
  mark: number,
  run: ValidationRun,
) => boolean;

function leftOver(
  schema: JsonSchema | undefined,
  compile: CompilationSite["compile"],
  refusal: string,
): LeftOver | undefined {
  if (schema === undefined) return undefined;
  const check = schema === false ? undefined : compile(schema, false);
  return (steps, container, mark, run) => {
    const evaluated = new Set(run.evaluated.slice(mark));
    let ok = true;
    for (const step of steps) {
      const value: unknown = (container as Record<string | number, unknown>)[step];
      if (evaluated.has(step) || value === undefined) continue;
      spend(run, 1);
      run.evaluated.push(step);
      if (check === undefined ? failAt(step, refusal, run) : descend(check, value, step, run)) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    return ok;
  };
}
