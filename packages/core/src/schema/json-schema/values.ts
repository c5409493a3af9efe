import {
  type Check,
  type CompilationSite,
  type Mismatch,
  TOO_DEEP,
  ValidationHalted,
  type ValidationRun,
  createRun,
  fail,
  resetRun,
  spend,
} from "./check.ts";
import { describeMismatch, toJsonText, typeName } from "./wording.ts";
import type { JsonObject } from "./schema.ts";

const isContainer = (value: unknown): boolean => typeof value === "object" && value !== null;

function oneOfValues(values: readonly unknown[], { limits }: CompilationSite): Check {
  const ahead = resetRun(createRun(limits), undefined);
  const plain = new Set(values.filter((value) => !isContainer(value)));
  const containers = new Set(values.filter(isContainer).map((value) => toCanonicalJson(value, ahead)));
  const has: Check = (value, run) =>
    isContainer(value)
      ? containers.size > 0 && containers.has(toCanonicalJson(value, run))
      : plain.has(value);
  return (value, run) => {
    if (has(value, run)) return true;
    if (run.issues === undefined) return false;
    const mismatch: Mismatch = { kind: "value", expected: values.map(toJsonText), found: typeName(value) };
    return fail(run, describeMismatch(mismatch), mismatch);
  };
}

export function valueChecks(site: CompilationSite): (Check | undefined)[] {
  const { enum: values, const: constant } = site.keywords;
  return [
    values === undefined ? undefined : oneOfValues(values, site),
    constant === undefined ? undefined : oneOfValues([constant], site),
  ];
}

const MAX_DEPTH = 256;

/** One text per JSON value, so that equality of values is equality of texts. */
export function toCanonicalJson(value: unknown, run: ValidationRun, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth > MAX_DEPTH) throw new ValidationHalted(TOO_DEEP);
  if (Array.isArray(value)) {
    spend(run, value.length);
    return `[${value.map((item) => toCanonicalJson(item, run, depth + 1)).join()}]`;
  }
  const object = value as JsonObject;
  const names = Object.keys(object).filter((name) => object[name] !== undefined);
  spend(run, names.length);
  const members = names
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${toCanonicalJson(object[name], run, depth + 1)}`);
  return `{${members.join()}}`;
}
