import type { Call, JsonObjectSchema, Middleware, Params } from "@suite/core";

import { isObject } from "../text/json-value.ts";
import { type Aliases, type Choices, findChoices, withOwnCase, withOwnNames } from "./aliases.ts";
import { identity } from "./continue-with.ts";
import type { Selection } from "./selection.ts";
import { findLists, type ListArguments, withItems, withLists } from "./single-items.ts";
import type { ToolDefinition } from "./tool.ts";

/** The parts of a tool's schema that tell how to normalize its arguments. */
interface ArgumentForms extends ListArguments {
  readonly choices: Choices;
  readonly types: NonStringTypes;
}
const NO_FORMS: ArgumentForms = { ofStrings: [], ofObjects: [], choices: {}, types: new Map() };

/**
 * Normalizes the arguments of every call to the form in its tool's schema. The audit log, first results and the tool
 * all see the same arguments.
 */
export function createArgumentsLayer<State>({ offered }: Selection<ToolDefinition<State>>): Middleware {
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const forms = new Map<string, ArgumentForms>();
  const formsOf = ({ name = "", target }: Call, aliases: Aliases | undefined): ArgumentForms => {
    if (target?.kind !== "tool") return NO_FORMS;
    const known = forms.get(name);
    if (known !== undefined) return known;
    const schema = target.entry.input.inputJson();
    const types = findNonStringTypes(schema, aliases);
    const found = { ...findLists(schema), choices: findChoices(schema), types };
    forms.set(name, found);
    return found;
  };
  return (call, next) => {
    if (call.method !== "tools/call") return next(call);
    const tool = tools.get(call.name ?? "");
    const given = call.arguments ?? {};
    const own = toOwnArguments(given, formsOf(call, tool?.aliases), tool);
    return next(own === given ? call : { ...call, arguments: own });
  };
}

function toOwnArguments(
  given: Params,
  forms: ArgumentForms,
  { aliases = {}, toOwnForm = identity }: Pick<ToolDefinition, "aliases" | "toOwnForm"> = {},
): Params {
  const renamed = withOwnNames(withItems(withOwnTypes(given, forms.types), forms, aliases), aliases);
  const own = withOwnCase(withLists(renamed, forms), forms.choices);
  try {
    return toOwnForm(own);
  } catch {
    // Not validated yet: validation will say what is wrong.
    return own;
  }
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

export function findNonStringTypes({ properties }: JsonObjectSchema, aliases: Aliases = {}): NonStringTypes {
  const known = isObject(properties) ? properties : {};
  return new Map(
    Object.entries(known).flatMap(([name, schema]) => {
      const isOfType = isObject(schema) ? NON_STRINGS.get(String(schema["type"])) : undefined;
      if (isOfType === undefined) return [];
      const others = (aliases[name] ?? []).filter((spelling) => !Object.hasOwn(known, spelling));
      return [name, ...others].map((spelling) => [spelling, isOfType] as const);
    }),
  );
}

/** `"3"` for 3, `"true"` for true, `"[…]"` for a list: some clients send every argument as a string. */
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
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
