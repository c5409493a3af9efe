import type { JsonObjectSchema, Params } from "@suite/core";

import type { Aliases } from "./aliases.ts";
import { isObject } from "../text/json-value.ts";

/** The arguments of a tool that take a list and nothing else. */
export interface ListArguments {
  readonly ofStrings: readonly string[];
  readonly ofObjects: readonly ObjectList[];
}

interface ObjectList {
  readonly name: string;
  /** Of its items, without those that the tool itself has a name for. */
  readonly fields: readonly string[];
  /** Those that one item cannot do without. */
  readonly required: readonly string[];
  /** Whether they can be told from the other arguments: the list is needed, and the tool has none of the names. */
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
      return [{ name, fields, required: needed, isFlat }];
    }),
  };
}

const toNames = (required: unknown): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];

/** One string where a list is wanted is a list of it. What looks like a list in JSON, and is none, is left for validation to refuse. */
export function withLists(args: Params, { ofStrings }: Pick<ListArguments, "ofStrings">): Params {
  const single = ofStrings.filter((name) => {
    const value = args[name];
    return typeof value === "string" && value !== "" && !value.startsWith("[");
  });
  if (single.length === 0) return args;
  return { ...args, ...Object.fromEntries(single.map((name) => [name, [args[name]]])) };
}

/**
 * One object where a list of them is wanted is a list of it, and so are its fields that were given beside the other
 * arguments: `old_text` and `new_text` without `edits`. By any spelling; `aliases` brings them to the tool's own. A string
 * is an object whose only required field it is: `["DELETE …"]` for `[{ query: "DELETE …" }]`.
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
