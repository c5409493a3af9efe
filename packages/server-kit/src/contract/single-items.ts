import type { JsonObjectSchema, Params } from "@suite/core";

import { isObject } from "./field-path.ts";

/** The arguments of a tool that take a list of strings, and nothing else. */
export const findLists = ({ properties }: JsonObjectSchema): readonly string[] =>
  Object.entries(isObject(properties) ? properties : {})
    .filter(
      ([, schema]) =>
        isObject(schema) &&
        schema["type"] === "array" &&
        isObject(schema["items"]) &&
        schema["items"]["type"] === "string",
    )
    .map(([name]) => name);

/** One string where a list is wanted is a list of it. What looks like a list in JSON is left for validation to refuse. */
export function withLists(args: Params, lists: readonly string[]): Params {
  const single = lists.filter((name) => {
    const value = args[name];
    return typeof value === "string" && value !== "" && !value.startsWith("[");
  });
  if (single.length === 0) return args;
  return { ...args, ...Object.fromEntries(single.map((name) => [name, [args[name]]])) };
}
