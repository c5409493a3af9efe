import type { JsonObjectSchema, Middleware, Params } from "@suite/core";

import { isObject } from "../../domain/text/json-value.ts";
import {
  type Aliases,
  type Choices,
  findChoices,
  withCamelCase,
  withOwnCase,
  withOwnNames,
} from "./aliases.ts";
import { identity } from "./continue-with.ts";
import type { Selection } from "./selection.ts";
import { findLists, type ListArguments, toNames, withItems, withLists } from "./single-items.ts";
import type { ToolDefinition } from "./tool.ts";

/** The parts of an object's schema that tell how to normalize its fields. */
interface FieldForms {
  readonly types: NonStringTypes;
  readonly omittable: ReadonlySet<string>;
  readonly aliases: Aliases;
}

/** The same for a tool's arguments. */
interface ArgumentForms extends FieldForms, ListArguments {
  readonly choices: Choices;
  /** Of the items of each list of objects. */
  readonly items: ReadonlyMap<string, FieldForms>;
}

/**
 * Normalizes the arguments of every call to the form in its tool's schema. The audit log, first results and the tool
 * all see the same arguments.
 */
export function createArgumentsLayer<State>({ offered }: Selection<ToolDefinition<State>>): Middleware {
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const forms = new Map<string, ArgumentForms>();
  return (call, next) => {
    const { name = "", target, arguments: given = {} } = call;
    if (call.method !== "tools/call" || target?.kind !== "tool") return next(call);
    const tool = tools.get(name);
    const known = forms.get(name) ?? toArgumentForms(target.entry.input.inputJson(), tool?.aliases);
    forms.set(name, known);
    const own = toOwnArguments(given, known, tool);
    return next(own === given ? call : { ...call, arguments: own });
  };
}

function toArgumentForms(schema: JsonObjectSchema, given: Aliases | undefined): ArgumentForms {
  const lists = findLists(schema);
  const items = lists.ofObjects.map(({ name, items: item }) => [name, toFieldForms(item)] as const);
  return {
    ...toFieldForms(schema, given),
    ...lists,
    choices: findChoices(schema),
    items: new Map(items),
  };
}

function toFieldForms(schema: JsonObjectSchema, given?: Aliases): FieldForms {
  const aliases = withCamelCase(schema, given);
  const types = findNonStringTypes(schema, aliases);
  return { types, omittable: findOmittable(schema, aliases), aliases };
}

function toOwnArguments(
  given: Params,
  forms: ArgumentForms,
  { normalize = identity }: Pick<ToolDefinition, "normalize"> = {},
): Params {
  const renamed = withOwnNames(withItems(withOwnFields(given, forms), forms, forms.aliases), forms.aliases);
  const own = withOwnCase(withOwnItems(withLists(renamed, forms), forms), forms.choices);
  try {
    return normalize(own);
  } catch {
    // Not validated yet: validation will say what is wrong.
    return own;
  }
}

const withOwnFields = (fields: Params, { types, omittable }: FieldForms): Params =>
  withOwnTypes(withoutNulls(fields, omittable), types);

function withOwnItems(args: Params, { items }: ArgumentForms): Params {
  const lists = [...items].flatMap(([name, forms]) => {
    const list = args[name];
    if (!Array.isArray(list)) return [];
    const toOwn = (item: unknown): unknown =>
      isObject(item) ? withOwnFields(withOwnNames(item, forms.aliases), forms) : item;
    return [[name, list.map(toOwn)] as const];
  });
  return lists.length === 0 ? args : { ...args, ...Object.fromEntries(lists) };
}

/** Type checks for arguments that do not take strings, by every spelling of the name. */
export type NonStringTypes = ReadonlyMap<string, (value: unknown) => boolean>;

const isNumber = (value: unknown): boolean => typeof value === "number";
const NON_STRINGS: NonStringTypes = new Map([
  ["integer", isNumber],
  ["number", isNumber],
  ["boolean", (value) => typeof value === "boolean"],
  ["array", Array.isArray],
  ["object", isObject],
]);

export function findNonStringTypes(schema: JsonObjectSchema, aliases: Aliases = {}): NonStringTypes {
  return new Map(
    propertiesOf(schema, aliases).flatMap(({ property, spellings }) => {
      const types = [property["type"]].flat().map((type) => NON_STRINGS.get(String(type)));
      if (types.includes(undefined)) return [];
      const isOfType = (value: unknown): boolean => types.some((isOf) => isOf?.(value));
      return spellings.map((spelling) => [spelling, isOfType] as const);
    }),
  );
}

/** The arguments for which null can only mean "none", by every spelling of the name. */
export function findOmittable(schema: JsonObjectSchema, aliases: Aliases = {}): ReadonlySet<string> {
  const required = toNames(schema.required);
  const omittable = propertiesOf(schema, aliases).filter(
    ({ name, property }) => !required.includes(name) && !takesNull(property),
  );
  return new Set(omittable.flatMap(({ spellings }) => spellings));
}

interface Property {
  readonly name: string;
  readonly property: { readonly [keyword: string]: unknown };
  readonly spellings: readonly string[];
}

function propertiesOf({ properties }: JsonObjectSchema, aliases: Aliases): readonly Property[] {
  const known = isObject(properties) ? properties : {};
  return Object.entries(known).flatMap(([name, property]) => {
    const others = (aliases[name] ?? []).filter((spelling) => !Object.hasOwn(known, spelling));
    return isObject(property) ? [{ name, property, spellings: [name, ...others] }] : [];
  });
}

function takesNull(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { anyOf, enum: values, type = "null" } = schema;
  if (Array.isArray(anyOf)) return anyOf.some(takesNull);
  return Array.isArray(values) ? values.includes(null) : [type].flat().includes("null");
}

/** Clients that must fill in every argument send null for those they would omit. */
export function withoutNulls(args: Params, omittable: ReadonlySet<string>): Params {
  const given = Object.entries(args);
  const kept = given.filter(([name, value]) => value !== null || !omittable.has(name));
  return kept.length === given.length ? args : Object.fromEntries(kept);
}

/** `"3"` for 3, `"true"` or `"True"` for true, `"[…]"` for a list: some clients send every argument as a string. */
export function withOwnTypes(args: Params, types: NonStringTypes): Params {
  const strings = Object.keys(args).filter((name) => typeof args[name] === "string" && types.has(name));
  if (strings.length === 0) return args;
  const parsed = strings
    .map((name) => [name, parseJson(args[name] as string)] as const)
    .filter(([name, value]) => types.get(name)?.(value));
  return parsed.length === 0 ? args : { ...args, ...Object.fromEntries(parsed) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(/^(?:True|False)$/.test(text) ? text.toLowerCase() : text);
  } catch {
    return undefined;
  }
}
