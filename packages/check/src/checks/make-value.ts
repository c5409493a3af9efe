import type { Fields } from "../wires/message.ts";

interface Taste {
  /** Says yes to whatever can be answered so, whatever the schema proposes. */
  readonly agrees?: boolean;
}

const DEEPEST = 8;

const BY_FORMAT: { readonly [format: string]: string } = {
  uri: "https://example.org/",
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  email: "somebody@example.org",
};

/** The smallest value that a schema seems to want: what it requires, and nothing else. */
export function makeValue(schema: Fields, taste: Taste = {}): unknown {
  return make(schema, schema, taste, 0);
}

function make(given: unknown, root: Fields, taste: Taste, depth: number): unknown {
  if (typeof given !== "object" || given === null || depth > DEEPEST) return null;
  const schema = follow(given as Fields, root);
  if (taste.agrees && schema["type"] === "boolean") return true;
  const example = [schema["const"], schema["default"], first(schema["examples"]), first(schema["enum"])].find(
    (value) => value !== undefined,
  );
  if (example !== undefined) return example;
  const choice = first(schema["anyOf"]) ?? first(schema["oneOf"]) ?? first(schema["allOf"]);
  if (choice !== undefined && schema["properties"] === undefined) return make(choice, root, taste, depth + 1);
  const type = first(schema["type"]) ?? schema["type"];
  const inner = (one: unknown): unknown => make(one, root, taste, depth + 1);
  return MAKERS[String(type)]?.(schema, inner) ?? {};
}

type Maker = (schema: Fields, inner: (one: unknown) => unknown) => unknown;

const MAKERS: { readonly [type: string]: Maker } = {
  string: ({ format, minLength }) =>
    BY_FORMAT[String(format)] ?? "example".padEnd(Number(minLength ?? 0), "."),
  integer: makeNumber,
  number: makeNumber,
  boolean: () => false,
  null: () => null,
  array: ({ items, minItems }, inner) => Array.from({ length: Number(minItems ?? 0) }, () => inner(items)),
  object: ({ properties = {}, required = [] }, inner) =>
    Object.fromEntries(
      (required as string[]).map((name) => [name, inner((properties as Fields)[name] ?? {})]),
    ),
};

function makeNumber({ minimum, exclusiveMinimum, maximum }: Fields): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : Number(exclusiveMinimum) + 1);
  return Number(least ?? Math.min(1, Number(maximum ?? 1)));
}

const first = (value: unknown): unknown => (Array.isArray(value) ? (value as unknown[])[0] : undefined);

/** A reference into the schema itself; others lead nowhere. */
function follow(schema: Fields, root: Fields): Fields {
  const { $ref } = schema;
  if (typeof $ref !== "string" || !$ref.startsWith("#/")) return schema;
  const target = $ref
    .slice(2)
    .split("/")
    .reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], root);
  return (target ?? {}) as Fields;
}
