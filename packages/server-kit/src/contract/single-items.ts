import type { JsonObjectSchema, Params } from "@suite/core";

import type { Aliases } from "./aliases.ts";
import { isObject } from "./field-path.ts";

/** The arguments of a tool that take a list and nothing else. */
export interface Lists {
  readonly ofStrings: readonly string[];
  readonly ofObjects: readonly ObjectList[];
}

interface ObjectList {
  readonly name: string;
  /** Of its items, without those that the tool itself has a name for. */
  readonly fields: readonly string[];
  /** Those that one item cannot do without. None where the list may be left out, or the tool has one of the names. */
  readonly required: readonly string[];
}

export function findLists({ properties, required = [] }: JsonObjectSchema): Lists {
  const known = Object.entries(isObject(properties) ? properties : {});
  const lists = known.flatMap(([name, schema]) =>
    isObject(schema) && schema["type"] === "array" && isObject(schema["items"])
      ? [{ name, items: schema["items"] }]
      : [],
  );
  const own = new Set(known.map(([name]) => name));
  return {
    ofStrings: lists.filter(({ items }) => items["type"] === "string").map(({ name }) => name),
    ofObjects: lists
      .filter(({ items }) => isObject(items["properties"]))
      .map(({ name, items }) => {
        const needed = (items["required"] ?? []) as readonly string[];
        const isFlat =
          (required as readonly string[]).includes(name) && !needed.some((field) => own.has(field));
        return {
          name,
          fields: Object.keys(items["properties"] as object).filter((field) => !own.has(field)),
          required: isFlat ? needed : [],
        };
      }),
  };
}

/** One string where a list is wanted is a list of it. What looks like a list in JSON is left for validation to refuse. */
export function withLists(args: Params, { ofStrings }: Pick<Lists, "ofStrings">): Params {
  const single = ofStrings.filter((name) => {
    const value = args[name];
    return typeof value === "string" && value !== "" && !value.startsWith("[");
  });
  if (single.length === 0) return args;
  return { ...args, ...Object.fromEntries(single.map((name) => [name, [args[name]]])) };
}

/**
 * One object where a list of them is wanted is a list of it, and so are its fields that were given beside the other
 * arguments: `old_text` and `new_text` without `edits`. By any spelling; `aliases` brings them to the tool's own.
 */
export function withItems(
  args: Params,
  { ofObjects }: Pick<Lists, "ofObjects">,
  aliases: Aliases = {},
): Params {
  return ofObjects.reduce((given, list) => withItem(given, list, aliases), args);
}

function withItem(args: Params, { name, fields, required }: ObjectList, aliases: Aliases): Params {
  const { [name]: value, ...others } = args;
  if (isObject(value)) return { ...args, [name]: [value] };
  if (value !== undefined || required.length === 0) return args;
  const spellings = (field: string): readonly string[] => [field, ...(aliases[`${name}[].${field}`] ?? [])];
  const isGiven = (field: string): boolean =>
    spellings(field).some((spelling) => Object.hasOwn(args, spelling));
  if (!required.every(isGiven)) return args;
  const ofItem = new Set(fields.flatMap(spellings));
  const entries = Object.entries(others);
  return {
    ...Object.fromEntries(entries.filter(([key]) => !ofItem.has(key))),
    [name]: [Object.fromEntries(entries.filter(([key]) => ofItem.has(key)))],
  };
}
