import { isObject } from "./field-path.ts";

export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a JSON Schema asks for, in a few words: "a whole number of at least 1". None for what would take more. */
export function describeSchema(schema: JsonSchema | undefined): string | undefined {
  if (schema === undefined) return undefined;
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"]))
    return joinAlternatives(schema["enum"].map((value) => JSON.stringify(value)));
  const alternatives = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(alternatives)) {
    const words = alternatives.map((one) => (isObject(one) ? describeSchema(one) : undefined));
    return words.includes(undefined) ? undefined : joinAlternatives(words as string[]);
  }
  const { type } = schema;
  return typeof type === "string" ? DESCRIPTIONS[type]?.(schema) : undefined;
}

const DESCRIPTIONS: { readonly [type: string]: (schema: JsonSchema) => string } = {
  integer: (schema) => `a whole number${describeRange(schema["minimum"], schema["maximum"])}`,
  number: (schema) => `a number${describeRange(schema["minimum"], schema["maximum"])}`,
  string: describeString,
  boolean: () => "true or false",
  array: describeList,
  object: () => "an object",
  null: () => "null",
};

function describeRange(least: unknown, most: unknown): string {
  if (typeof least === "number" && typeof most === "number") return ` from ${least} to ${most}`;
  if (typeof least === "number") return ` of at least ${least}`;
  return typeof most === "number" ? ` of at most ${most}` : "";
}

function describeString({ minLength, maxLength, pattern }: JsonSchema): string {
  const length =
    minLength === 1 && maxLength === undefined
      ? " that is not empty"
      : describeRange(minLength, maxLength) && `${describeRange(minLength, maxLength)} characters`;
  return `a string${length}${typeof pattern === "string" ? ` that matches /${pattern}/` : ""}`;
}

function describeList({ items, minItems, maxItems }: JsonSchema): string {
  const range =
    minItems === undefined && maxItems === undefined ? "" : `${describeRange(minItems, maxItems)} items`;
  const item = isObject(items) ? describeSchema(items) : undefined;
  return `a list${range}${item === undefined ? "" : ` (each ${item})`}`;
}

const joinAlternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
