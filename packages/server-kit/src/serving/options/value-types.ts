import type { OptionSpec } from "./option.ts";

/** A value, or what was expected in its place. */
export type ParsedValue = { readonly value: unknown } | { readonly expected: string };

interface ValueType<Spec> {
  fromText(text: string, spec: Spec): ParsedValue;
  /** Only if the form in a configuration file differs from the command line. */
  fromJson?(value: unknown, spec: Spec): ParsedValue;
  toText?(value: never): string;
  /** In --help, if the option has no placeholder of its own. */
  placeholder(spec: Spec): string;
}

const BOOLEANS: { readonly [text: string]: boolean } = { true: true, 1: true, false: false, 0: false };
const UNITS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;

type SpecOf<Type> = Extract<OptionSpec, { readonly type: Type }>;

const VALUE_TYPES: { readonly [Type in OptionSpec["type"]]: ValueType<SpecOf<Type>> } = {
  string: {
    fromText: (text) => ({ value: text }),
    placeholder: () => "TEXT",
  },
  boolean: {
    fromText: (text) =>
      Object.hasOwn(BOOLEANS, text) ? { value: BOOLEANS[text] } : { expected: "true or false" },
    fromJson: (value) => (typeof value === "boolean" ? { value } : { expected: "true or false" }),
    placeholder: () => "",
  },
  integer: {
    fromText: (text, spec) => toInteger(/^-?\d+$/.test(text) ? Number(text) : text, spec),
    fromJson: toInteger,
    placeholder: () => "N",
  },
  duration: {
    fromText: toDuration,
    toText: fromDuration,
    placeholder: () => "TIME",
  },
  list: {
    fromText: (text, spec) => ({ value: splitList(text, spec) }),
    fromJson: (value) =>
      Array.isArray(value) && value.every((item) => typeof item === "string")
        ? { value: Object.freeze([...value]) }
        : { expected: "a list of strings" },
    toText: (items: readonly string[]) => items.join(", "),
    placeholder: () => "LIST",
  },
  enum: {
    fromText: (text, { values }) =>
      values.includes(text) ? { value: text } : { expected: `one of ${values.join(", ")}` },
    placeholder: ({ values }) => values.join("|"),
  },
};

const typeOf = ({ type }: OptionSpec): ValueType<OptionSpec> => VALUE_TYPES[type];

export function readText(text: string, spec: OptionSpec): ParsedValue {
  return checked(typeOf(spec).fromText(text, spec), spec);
}

/** Several texts for one option, which must be a list. */
export function readItems(items: readonly string[], spec: OptionSpec): ParsedValue {
  return checked({ value: Object.freeze([...items]) }, spec);
}

export function readJson(value: unknown, spec: OptionSpec): ParsedValue {
  const type = typeOf(spec);
  if (type.fromJson) return checked(type.fromJson(value, spec), spec);
  if (typeof value === "string") return readText(value, spec);
  const parsed = type.fromText(JSON.stringify(value), spec);
  return "expected" in parsed ? parsed : { expected: "a string" };
}

export function valueToText(value: unknown, spec: OptionSpec): string {
  return typeOf(spec).toText?.(value as never) ?? String(value);
}

export function placeholderOf(spec: OptionSpec): string {
  return spec.placeholder ?? typeOf(spec).placeholder(spec);
}

export const separatorOf = (spec: OptionSpec): string =>
  spec.type === "list" ? (spec.separator ?? ",") : ",";

export const splitList = (text: string, spec: OptionSpec): readonly string[] =>
  Object.freeze(
    text
      .split(separatorOf(spec))
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  );

function checked(parsed: ParsedValue, spec: OptionSpec): ParsedValue {
  if ("expected" in parsed) return parsed;
  // An empty path would resolve to the working directory.
  if (spec.toAbsolute && [parsed.value].flat().includes("")) return { expected: "a path" };
  const expected = spec.check?.(parsed.value as never);
  return expected === undefined ? parsed : { expected };
}

function toInteger(value: unknown, { min, max }: SpecOf<"integer">): ParsedValue {
  const isInRange =
    Number.isSafeInteger(value) && !(Number(value) < (min ?? -Infinity) || Number(value) > (max ?? Infinity));
  if (isInRange) return { value };
  const from = min === undefined ? "" : ` from ${min}`;
  return { expected: `a whole number${from}${max === undefined ? "" : ` up to ${max}`}` };
}

function toDuration(text: string): ParsedValue {
  const [, amount, unit = ""] = DURATION.exec(text) ?? [];
  const value = Math.round(Number(amount) * (UNITS[unit] ?? Number.NaN));
  return Number.isSafeInteger(value)
    ? { value }
    : { expected: "a duration with its unit, such as 500ms, 30s, 5m or 1h" };
}

function fromDuration(ms: number): string {
  const fitting = Object.entries(UNITS).filter(([, size]) => ms % size === 0);
  const [unit, size] = (ms === 0 ? undefined : fitting.at(-1)) ?? ["ms", 1];
  return `${ms / size}${unit}`;
}
