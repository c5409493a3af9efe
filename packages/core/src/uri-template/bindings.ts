import { fromEncoded, truncate } from "./encoding.ts";
import type { ParametersStep, ValueStep } from "./match-steps.ts";
import type { VariableSpec } from "./parse.ts";

export interface Occurrence {
  readonly variable: VariableSpec;
  readonly value: string | string[];
}

export function readValue({ variable, separator }: ValueStep, raw: string): Occurrence[] | undefined {
  const value = variable.explode ? fromEncodedList(raw.split(separator)) : fromEncoded(raw);
  return value === undefined ? undefined : [{ variable, value }];
}

/** Undefined for an unknown parameter, or one given twice without `*`. */
export function readParameters(
  { variables, separator }: ParametersStep,
  raw: string,
): Occurrence[] | undefined {
  const texts = new Map<VariableSpec, string[]>();
  for (const parameter of raw.split(separator)) {
    const [name = "", ...rest] = parameter.split("=");
    const variable = variables.get(name);
    if (variable === undefined) return undefined;
    const earlier = texts.get(variable);
    if (earlier === undefined) texts.set(variable, [rest.join("=")]);
    else if (variable.explode) earlier.push(rest.join("="));
    else return undefined;
  }
  const occurrences: Occurrence[] = [];
  for (const [variable, encoded] of texts) {
    const values = fromEncodedList(encoded);
    if (values === undefined) return undefined;
    occurrences.push({ variable, value: variable.explode ? values : values.join() });
  }
  return occurrences;
}

/** Undefined when one variable stands at two places with different values. */
export function collectBindings(
  occurrences: readonly Occurrence[],
): Record<string, string | string[]> | undefined {
  // No prototype: a variable may be called `__proto__`.
  const bindings: Record<string, string | string[]> = Object.create(null);
  for (const { variable, value } of occurrences) {
    const known = bindings[variable.name];
    if (known === undefined || String(value).length > String(known).length) bindings[variable.name] = value;
  }
  // `{user:1}/{user}`: the longest occurrence is the value, and each place must be what it expands to there.
  const agree = occurrences.every(({ variable, value }) => {
    return truncate(String(bindings[variable.name]), variable.prefix ?? Infinity) === String(value);
  });
  return agree ? bindings : undefined;
}

function fromEncodedList(encoded: readonly string[]): string[] | undefined {
  const values: string[] = [];
  for (const text of encoded) {
    const value = fromEncoded(text);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}
