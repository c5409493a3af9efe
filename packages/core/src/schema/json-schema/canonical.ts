import { spend, TOO_DEEP, ValidationHalted, type ValidationRun } from "./check.ts";
import type { JsonObject } from "./schema.ts";

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
