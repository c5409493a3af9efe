export type JsonObject = { readonly [name: string]: unknown };
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };
type SchemaMap = { readonly [name: string]: JsonSchema };

export const TYPES: readonly string[] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** The keywords that are read after their shapes were checked, in their 2020-12 form. */
export interface Keywords {
  readonly $ref?: string;
  readonly $dynamicRef?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly contains?: JsonSchema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: SchemaMap;
  readonly patternProperties?: SchemaMap;
  readonly additionalProperties?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly dependentSchemas?: SchemaMap;
  readonly dependencies?: { readonly [name: string]: JsonSchema | readonly string[] };
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
  readonly unevaluatedItems?: JsonSchema;
  readonly unevaluatedProperties?: JsonSchema;
}
