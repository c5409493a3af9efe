export type JsonObject = { readonly [name: string]: unknown };
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };
type SchemaMap = { readonly [name: string]: JsonSchema };

export const TYPES: readonly string[] = ["null", "boolean", "integer", "number", "string", "array", "object"];

type Optional<Names extends string, Value> = { readonly [Name in Names]?: Value };
type Bounds = "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf";
type Counted = "Length" | "Items" | "Contains" | "Properties";
type Single =
  | "items"
  | "contains"
  | "additionalProperties"
  | "propertyNames"
  | "unevaluatedItems"
  | "unevaluatedProperties";

/** The keywords that are read after their shapes were checked, in their 2020-12 form. */
export interface Keywords
  extends
    Optional<"$ref" | "$dynamicRef" | "pattern" | "format", string>,
    Optional<Bounds | `min${Counted}` | `max${Counted}`, number>,
    Optional<Single | "not" | "if" | "then" | "else", JsonSchema>,
    Optional<"allOf" | "anyOf" | "oneOf" | "prefixItems", readonly JsonSchema[]>,
    Optional<"properties" | "patternProperties" | "dependentSchemas", SchemaMap> {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly dependencies?: { readonly [name: string]: JsonSchema | readonly string[] };
}

/** The schema itself is at fault; `pointer` is the JSON Pointer of the place. */
export class SchemaError extends Error {
  override readonly name: string = "SchemaError";
  readonly pointer: string;

  constructor(message: string, pointer: string, options?: ErrorOptions) {
    super(`${message} (at "#${pointer}")`, options);
    this.pointer = pointer;
  }
}

export interface Limits {
  /** Subschemas in the whole document. */
  readonly subschemas: number;
  /** Subschemas inside one another. */
  readonly nesting: number;
  /** Subschema evaluations spent on one value. */
  readonly evaluations: number;
  /** Schema levels being evaluated at once, counted across `$ref`: what bounds the stack on recursive schemas. */
  readonly depth: number;
  /** Issues reported for one value. */
  readonly issues: number;
  /** 2020-12 makes `format` an annotation; elicitation needs it asserted. */
  readonly formatAssertion: boolean;
}

export const DEFAULT_VALIDATION_LIMITS: Limits = {
  subschemas: 10_000,
  nesting: 64,
  evaluations: 1_000_000,
  depth: 1_024,
  issues: 20,
  formatAssertion: false,
};
