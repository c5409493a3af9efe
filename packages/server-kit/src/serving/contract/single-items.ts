import type { JsonObjectSchema, Params } from "@suite/core";

import type { Aliases } from "./aliases.ts";
import { isObject } from "../../domain/text/json-value.ts";

/** The arguments of a tool that take only a list. */
export interface ListArguments {
  readonly ofStrings: readonly string[];
  readonly ofObjects: readonly ObjectList[];
}

interface ObjectList {
  readonly name: string;
  /** Their schema. */
  readonly items: JsonObjectSchema;
  /** Fields of the items, except those that are also arguments of the tool. */
  readonly fields: readonly string[];
  /** Required fields of an item. */
  readonly required: readonly string[];
  /** Whether an item's fields may be given as arguments: the list is required, and no required field is also an argument. */
  readonly isFlat: boolean;
}

export function findLists({ properties, required }: JsonObjectSchema): ListArguments {
  const known = Object.entries(isObject(properties) ? properties : {});
  const lists = known.flatMap(([name, schema]) =>
    isObject(schema) && schema["type"] === "array" && isObject(schema["items"])
      ? [{ name, items: schema["items"] }]
      : [],
  );
  const own = new Set(known.map(([name]) => name));
  return {
    ofStrings: lists.filter(({ items }) => items["type"] === "string").map(({ name }) => name),
    ofObjects: lists.flatMap(({ name, items }) => {
      if (!isObject(items["properties"])) return [];
      const fields = Object.keys(items["properties"]).filter((field) => !own.has(field));
      const needed = toNames(items["required"]);
      const isFlat = toNames(required).includes(name) && !needed.some((field) => own.has(field));
      return [{ name, items, fields, required: needed, isFlat }];
    }),
  };
}

export const toNames = (required: unknown): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];

/** Wraps a single string in a list. A string that looks like JSON but did not parse as a list is left for validation to refuse. */
export function withLists(args: Params, { ofStrings }: Pick<ListArguments, "ofStrings">): Params {
  const single = ofStrings.filter((name) => {
    const value = args[name];
    return typeof value === "string" && value !== "" && !value.startsWith("[");
  });
  if (single.length === 0) return args;
  return { ...args, ...Object.fromEntries(single.map((name) => [name, [args[name]]])) };
}

/**
 * Wraps a single object in a list. Also collects an item's fields that were given, under any spelling, as top-level
 * arguments: `old_text` and `new_text` without `edits`. A string in the list becomes an object if items have one
 * required field: `["DELETE …"]` for `[{ query: "DELETE …" }]`.
 */
export function withItems(
  args: Params,
  { ofObjects }: Pick<ListArguments, "ofObjects">,
  aliases: Aliases = {},
): Params {
  return ofObjects.reduce((given, list) => withItem(given, list, aliases), args);
}

function withItem(args: Params, { name, fields, required, isFlat }: ObjectList, aliases: Aliases): Params {
  const list = [name, ...(aliases[name] ?? [])].find((spelling) => Object.hasOwn(args, spelling));
  if (list !== undefined) {
    const items = toItems(args[list], required);
    return items === args[list] ? args : { ...args, [list]: items };
  }
  const spellings = (field: string): readonly string[] => [field, ...(aliases[`${name}[].${field}`] ?? [])];
  const isGiven = (field: string): boolean =>
    spellings(field).some((spelling) => Object.hasOwn(args, spelling));
  if (!isFlat || required.length === 0 || !required.every(isGiven)) return args;
  const ofItem = new Set(fields.flatMap(spellings));
  const entries = Object.entries(args);
  return {
    ...Object.fromEntries(entries.filter(([key]) => !ofItem.has(key))),
    [name]: [Object.fromEntries(entries.filter(([key]) => ofItem.has(key)))],
  };
}

function toItems(value: unknown, [only = "", ...more]: readonly string[]): unknown {
  if (isObject(value)) return [value];
  const isString = (item: unknown): boolean => typeof item === "string";
  if (!Array.isArray(value) || only === "" || more.length > 0 || !value.some(isString)) return value;
  return value.map((item: unknown) => (isString(item) ? { [only]: item } : item));
}
