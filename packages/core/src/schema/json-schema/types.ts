import { isObject } from "../../jsonrpc/message.ts";
import { accept, type Check, fail, type Mismatch, type ValidationRun } from "./check.ts";
import { describeMismatch, typeName } from "./wording.ts";

const TESTS: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  array: Array.isArray,
  object: isObject,
};

const SAME_AS_TYPEOF: ReadonlySet<string> = new Set(["boolean", "number", "string"]);

/** If the type is wrong, nothing else is checked: every other message would be noise. */
export function typeCheck(type: string | readonly string[] | undefined, rest: Check = accept): Check {
  if (type === undefined) return rest;
  const names = typeof type === "string" ? [type] : type;
  const tests = names.map((name) => TESTS[name]!);
  const [name] = names;
  if (tests.length === 1 && SAME_AS_TYPEOF.has(name!)) {
    return (value, run) => (typeof value === name ? rest(value, run) : failType(names, value, run));
  }
  const test = tests.length === 1 ? tests[0]! : (value: unknown) => tests.some((is) => is(value));
  return (value, run) => (test(value) ? rest(value, run) : failType(names, value, run));
}

function failType(expected: readonly string[], value: unknown, run: ValidationRun): false {
  if (run.issues === undefined) return false;
  const isFraction = expected.includes("integer") && typeof value === "number";
  const mismatch: Mismatch = {
    kind: "type",
    expected,
    found: isFraction ? "fractional number" : typeName(value),
  };
  return fail(run, describeMismatch(mismatch), mismatch);
}
