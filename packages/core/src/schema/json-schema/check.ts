import type { JsonSchema, Keywords, Limits } from "./schema.ts";
import type { SchemaResource } from "./references.ts";

/** An expected type or set of values. Alternatives that fail in the same way are reported as one. */
export interface Mismatch {
  readonly kind: "type" | "value";
  readonly expected: readonly string[];
  readonly found: string;
}

/** An issue in the making; its path grows from the leaf to the root while the checks return. */
export interface IssueDraft {
  readonly path: (string | number)[];
  message: string;
  readonly mismatch?: Mismatch | undefined;
}

export interface ValidationRun {
  readonly limits: Limits;
  /** Undefined while only the verdict matters: checks then stop at the first failure and allocate nothing. */
  issues: IssueDraft[] | undefined;
  evaluations: number;
  levels: number;
  /** Property names and item indexes seen by the tracked checks at the current place, innermost last. */
  readonly evaluated: (string | number)[];
  /** Resources entered, outermost first: the dynamic scope of `$dynamicRef`. */
  readonly scope: SchemaResource[];
}

export type Check<Value = unknown> = (value: Value, run: ValidationRun) => boolean;

/** What the compilation of one schema object hands to its keywords. */
export interface CompilationSite {
  readonly keywords: Keywords;
  readonly limits: Limits;
  /** Whether an `unevaluated…` keyword above wants to know what was evaluated at this place. */
  readonly tracked: boolean;
  readonly compile: (schema: JsonSchema, tracked: boolean) => Check;
}

/** Ends a run whose value cannot be validated within the limits. */
export class ValidationHalted extends Error {}

export const TOO_DEEP = "is nested too deeply to validate";

export function createRun(limits: Limits): ValidationRun {
  return { limits, issues: undefined, evaluations: 0, levels: 0, evaluated: [], scope: [] };
}

export function resetRun(run: ValidationRun, issues: IssueDraft[] | undefined): ValidationRun {
  run.issues = issues;
  run.evaluations = run.limits.evaluations;
  run.levels = 0;
  // Left over only after a halt; setting a length costs even where it changes nothing.
  if (run.evaluated.length > 0) run.evaluated.length = 0;
  if (run.scope.length > 0) run.scope.length = 0;
  return run;
}

export function spend(run: ValidationRun, evaluations: number): void {
  run.evaluations -= evaluations;
  if (run.evaluations < 0) throw new ValidationHalted("is too complex to validate; send a smaller value");
}

export function fail(run: ValidationRun, message: string, mismatch?: Mismatch): false {
  if (run.issues !== undefined && run.issues.length < run.limits.issues) {
    run.issues.push({ path: [], message, mismatch });
  }
  return false;
}

/** Whether to stop at a failure, because issues are not collected or there are enough. */
export function isSettled(run: ValidationRun): boolean {
  return run.issues === undefined || run.issues.length >= run.limits.issues;
}

/** Runs a check on a child; the step is added to the path of what it found. */
export function descend(check: Check, value: unknown, step: string | number, run: ValidationRun): boolean {
  const { issues } = run;
  if (issues === undefined) return check(value, run);
  const first = issues.length;
  const ok = check(value, run);
  for (let index = first; index < issues.length; index += 1) issues[index]!.path.push(step);
  return ok;
}

export function failAt(step: string | number, message: string, run: ValidationRun): false {
  descend(() => fail(run, message), undefined, step, run);
  return false;
}

export function passes(check: Check, value: unknown, run: ValidationRun): boolean {
  const { issues } = run;
  run.issues = undefined;
  const ok = check(value, run);
  run.issues = issues;
  return ok;
}

export const accept: Check = () => true;
export const reject: Check = (_value, run) => fail(run, "is not allowed");

export function all<Value>(checks: readonly (Check<Value> | undefined)[]): Check<Value> | undefined {
  const present = checks.filter((check) => check !== undefined);
  const [first, second] = present;
  if (second === undefined) return first;
  return (value, run) => {
    let ok = true;
    for (const check of present) {
      if (check(value, run)) continue;
      if (isSettled(run)) return false;
      ok = false;
    }
    return ok;
  };
}
