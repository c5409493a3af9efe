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
