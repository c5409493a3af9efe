import { isObject } from "../../jsonrpc/message.ts";
import { toRegExp } from "./patterns.ts";
import { type JsonObject, type Keywords, SchemaError, TYPES } from "./schema.ts";

export interface KeywordShape {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  /** Where subschemas sit inside the keyword's value. */
  readonly holds?: "one" | "list" | "map";
}

const isString = (value: unknown): boolean => typeof value === "string";
const isStrings = (value: unknown): boolean => Array.isArray(value) && value.every(isString);
const isType = (value: unknown): boolean => typeof value === "string" && TYPES.includes(value);
const isPattern = (value: unknown): boolean => typeof value === "string" && toRegExp(value) !== undefined;
const isSchema = (value: unknown): boolean => typeof value === "boolean" || isObject(value);

const schema: KeywordShape = { expected: "an object or a boolean", accepts: isSchema, holds: "one" };
const schemas: KeywordShape = {
  expected: "a non-empty array of schemas",
  accepts: (value) => Array.isArray(value) && value.length > 0,
  holds: "list",
};
const schemaMap: KeywordShape = { expected: "an object of schemas", accepts: isObject, holds: "map" };
const string: KeywordShape = { expected: "a string", accepts: isString };
const number: KeywordShape = { expected: "a number", accepts: Number.isFinite };
const count: KeywordShape = {
  expected: "a non-negative integer",
  accepts: (value) => Number.isInteger(value) && Number(value) >= 0,
};

type ShapeTable = Readonly<Record<string, KeywordShape>>;

function shared(names: string, shape: KeywordShape): ShapeTable {
  return Object.fromEntries(names.split(" ").map((name) => [name, shape]));
}

const COMMON: ShapeTable = {
  ...shared("$id $schema $ref $comment format", string),
  ...shared("minimum maximum exclusiveMinimum exclusiveMaximum", number),
  ...shared("minLength maxLength minItems maxItems minProperties maxProperties", count),
  ...shared("items contains additionalProperties propertyNames not if then else", schema),
  ...shared("allOf anyOf oneOf", schemas),
  ...shared("definitions properties dependencies", schemaMap),
  type: {
    expected: `one of ${TYPES.join(", ")}, or an array of them`,
    accepts: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  },
  enum: { expected: "an array", accepts: Array.isArray },
  multipleOf: {
    expected: "a number above 0",
    accepts: (value) => Number.isFinite(value) && Number(value) > 0,
  },
  pattern: { expected: "a valid regular expression", accepts: isPattern },
  uniqueItems: { expected: "a boolean", accepts: (value) => typeof value === "boolean" },
  required: { expected: "an array of strings", accepts: isStrings },
  patternProperties: {
    expected: "an object of schemas, named by valid regular expressions",
    accepts: (value) => isObject(value) && Object.keys(value).every(isPattern),
    holds: "map",
  },
};

const SINCE_2019: ShapeTable = {
  ...shared("$anchor $dynamicAnchor $dynamicRef", string),
  ...shared("minContains maxContains", count),
  ...shared("unevaluatedItems unevaluatedProperties", schema),
  ...shared("$defs dependentSchemas", schemaMap),
  prefixItems: schemas,
  dependentRequired: {
    expected: "an object of arrays of strings",
    accepts: (value) => isObject(value) && Object.values(value).every(isStrings),
  },
};

const TUPLE_ITEMS: KeywordShape = {
  expected: "a schema or an array of schemas",
  accepts: (value) => Array.isArray(value) || isSchema(value),
  holds: "list",
};

export type SchemaDialect = "2020-12" | "draft-07";

const SHAPES: Record<SchemaDialect, ReadonlyMap<string, KeywordShape>> = {
  "2020-12": new Map(Object.entries({ ...COMMON, ...SINCE_2019 })),
  "draft-07": new Map(Object.entries({ ...COMMON, items: TUPLE_ITEMS, additionalItems: schema })),
};

const DIALECTS: Record<string, SchemaDialect> = {
  "https://json-schema.org/draft/2020-12/schema": "2020-12",
  "http://json-schema.org/draft-07/schema": "draft-07",
};

export function parseDialect(uri: string, pointer: string): SchemaDialect {
  const name = uri.replace(/#$/, "");
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect !== undefined) return dialect;
  const known = Object.keys(DIALECTS).join(" and ");
  throw new SchemaError(`unsupported $schema; supported are ${known}`, `${pointer}/$schema`);
}

/** The shape a keyword must have, or undefined where the dialect does not know it. */
export function shapeOf(keyword: string, dialect: SchemaDialect): KeywordShape | undefined {
  return SHAPES[dialect].get(keyword);
}

/** Draft-07 in the words of 2020-12, so that one set of checks serves both. */
export function toKeywords(raw: JsonObject, dialect: SchemaDialect): Keywords {
  if (dialect === "2020-12") return raw;
  // In draft-07 a reference replaces everything beside it.
  if (typeof raw["$ref"] === "string") return { $ref: raw["$ref"] };
  const { items, additionalItems, ...rest } = raw;
  const known = Object.fromEntries(
    Object.entries(rest).filter(([keyword]) => !Object.hasOwn(SINCE_2019, keyword)),
  );
  const tuple = Array.isArray(items) ? { prefixItems: items, items: additionalItems } : { items };
  return { ...known, ...(tuple as Keywords) };
}
