import type { JsonObjectSchema, Params } from "@suite/core";

import { isObject } from "../../domain/text/json-value.ts";
import { EACH, type FieldPath, parseFieldPath } from "./field-path.ts";

/** Alternative spellings accepted for an argument: `{ path: ["file_path"], "edits[].oldText": ["old_string"] }`. */
export type Aliases = { readonly [argument: string]: readonly string[] };

/** Also accepts `dryRun` for `dry_run`. */
export function withCamelCase({ properties }: JsonObjectSchema, aliases: Aliases = {}): Aliases {
  const names = Object.keys(isObject(properties) ? properties : {});
  const spelled = names.map((name) => [name, name.replace(/_([a-z])/g, toSecondUpper)] as const);
  const others = spelled.filter(([, spelling]) => !names.includes(spelling));
  return {
    ...aliases,
    ...Object.fromEntries(others.map(([name, spelling]) => [name, [...(aliases[name] ?? []), spelling]])),
  };
}

const toSecondUpper = (_: string, letter: string): string => letter.toUpperCase();

/** Renames aliased arguments to the tool's own names. If both names are given, validation refuses the alias. */
export function withOwnNames(args: Params, aliases: Aliases): Params {
  return Object.entries(aliases).reduce<unknown>(
    (value, [argument, spellings]) => rename(value, parseFieldPath(argument), spellings),
    args,
  ) as Params;
}

/** The enum values of each argument (or of its items); for an object, the choices of its fields. */
export interface Choices {
  readonly [argument: string]: readonly string[] | Choices;
}

export function findChoices({ properties }: JsonObjectSchema): Choices {
  const known = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(
    known.flatMap(([name, schema]): [string, Choices[string]][] => {
      const item = isObject(schema) && isObject(schema["items"]) ? schema["items"] : schema;
      if (!isObject(item)) return [];
      const values: unknown = item["enum"];
      if (Array.isArray(values)) return [[name, values.filter((value) => typeof value === "string")]];
      return isObject(item["properties"]) ? [[name, findChoices(item)]] : [];
    }),
  );
}

/** Accepts `OPEN` for `open`, if exactly one choice matches when case is ignored. */
export const withOwnCase = (args: Params, choices: Choices): Params => toOwnCase(args, choices) as Params;

function toOwnCase(value: unknown, choices: Choices[string]): unknown {
  if (Array.isArray(value)) {
    // Does not recurse into nested lists: the caller controls their depth.
    const items = value.map((item: unknown) => (Array.isArray(item) ? item : toOwnCase(item, choices)));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (isList(choices)) {
    if (typeof value !== "string" || choices.includes(value)) return value;
    const near = choices.filter((one) => one.toLowerCase() === value.toLowerCase());
    return near.length === 1 ? near[0] : value;
  }
  if (!isObject(value)) return value;
  const changed = Object.entries(choices).flatMap(([name, inner]) => {
    const own = toOwnCase(value[name], inner);
    return own === value[name] ? [] : [[name, own] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

const isList = (choices: Choices[string]): choices is readonly string[] => Array.isArray(choices);

function rename(value: unknown, [step = "", ...deeper]: FieldPath, spellings: readonly string[]): unknown {
  if (step === EACH) {
    if (!Array.isArray(value)) return value;
    const items = value.map((item: unknown) => rename(item, deeper, spellings));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (!isObject(value)) return value;
  if (deeper.length === 0) return renameMember(value, step, spellings);
  if (!Object.hasOwn(value, step)) return value;
  const inner = rename(value[step], deeper, spellings);
  return inner === value[step] ? value : { ...value, [step]: inner };
}

function renameMember(
  value: { readonly [name: string]: unknown },
  own: string,
  spellings: readonly string[],
): unknown {
  if (Object.hasOwn(value, own)) return value;
  const given = spellings.find((spelling) => Object.hasOwn(value, spelling));
  if (given === undefined) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name === given ? own : name, item]));
}
