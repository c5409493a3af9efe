import type { JsonObjectSchema } from "../model/entities.ts";
import type { Schema } from "./infer.ts";
import { compileJsonSchema, type Validator } from "./json-schema/compile.ts";
import type { Issue } from "./json-schema/issue.ts";
import type { Limits } from "./json-schema/schema.ts";
import { isStandardSchema, type StandardIssue, type StandardSchema } from "./standard-schema.ts";

export type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** One interface for both kinds of schema. Converts and compiles on first use, so that start-up does not pay for it. */
export interface CompiledSchema {
  validate(value: unknown): Validated | Promise<Validated>;
  /** JSON Schema of what validation accepts. */
  inputJson(): JsonObjectSchema;
  /** JSON Schema of what validation gives back. */
  outputJson(): JsonObjectSchema;
}

/** Prepares a schema of a library, or JSON Schema, for validation. Converts and compiles on first use. */
export const compileSchema = (schema: Schema, limits?: Partial<Limits>): CompiledSchema =>
  isStandardSchema(schema) ? fromStandard(schema) : fromJson(schema, limits);

function fromJson(schema: JsonObjectSchema, limits: Partial<Limits> | undefined): CompiledSchema {
  let validator: Validator | undefined;
  return {
    validate(value) {
      validator ??= compileJsonSchema(schema, limits);
      const issues = validator(value);
      return issues === undefined ? { value } : { issues };
    },
    inputJson: () => schema,
    outputJson: () => schema,
  };
}

const TARGET = { target: "draft-2020-12" };
const DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema";

function fromStandard(schema: StandardSchema): CompiledSchema {
  const standard = schema["~standard"];
  let input: JsonObjectSchema | undefined;
  let output: JsonObjectSchema | undefined;
  return {
    validate(value) {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(fromStandardResult) : fromStandardResult(result);
    },
    inputJson: () => (input ??= withoutDefaultDialect(standard.jsonSchema.input(TARGET))),
    outputJson: () => (output ??= withoutDefaultDialect(standard.jsonSchema.output(TARGET))),
  };
}

function fromStandardResult(result: {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
}): Validated {
  return result.issues === undefined ? { value: result.value } : { issues: result.issues.map(toIssue) };
}

const toIssue = ({ message, path = [] }: StandardIssue): Issue => ({
  message,
  path: path.map((step) => {
    const key = typeof step === "object" ? step.key : step;
    return typeof key === "number" ? key : String(key);
  }),
});

/** 2020-12 is MCP's default, so naming it would only cost the model tokens. */
function withoutDefaultDialect(schema: Record<string, unknown>): JsonObjectSchema {
  const { $schema, ...rest } = schema;
  return $schema === undefined || $schema === DEFAULT_DIALECT ? rest : schema;
}
