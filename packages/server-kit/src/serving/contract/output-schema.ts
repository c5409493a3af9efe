import {
  compileSchema,
  requireMatch,
  type CompiledSchema,
  type MaybePromise,
  type StandardSchema,
} from "@suite/core";

import { isObject, toCanonicalJson } from "../../domain/text/json-value.ts";
import { EACH, type FieldPath, parseFieldPath } from "./field-path.ts";
import type { ToolDefinition } from "./tool.ts";

/** Whether results are what the schema makes of them, or sent as they are: then, a check refuses what the schema would change. */
export type OutputChecks = "convert" | "compare" | "none";

export interface CheckedOutput {
  readonly output: unknown;
  /** The fields that are present and whose text came from outside. */
  readonly untrusted: readonly string[];
}

/** Prepares the one look at a tool's results: at their schema, and at the fields with text from outside. */
export function createOutputCheck(
  tool: ToolDefinition<never>,
  checks: OutputChecks,
): (output: unknown) => MaybePromise<CheckedOutput> {
  const schema = compileSchema(tool.output);
  const fields = (tool.untrusted ?? []).map((name) => ({ name, path: parseFieldPath(name) }));
  const look = (output: unknown): CheckedOutput => ({
    output,
    untrusted: fields.filter(({ path }) => hasContent(output, path)).map(({ name }) => name),
  });
  if (checks === "none") return look;
  return (given) => {
    const take = (validated: Awaited<ReturnType<CompiledSchema["validate"]>>): CheckedOutput => {
      const output = requireMatch(tool.name, validated);
      if (checks === "convert") return look(output);
      if (toCanonicalJson(output) === toCanonicalJson(given)) return look(given);
      throw new Error(`Tool ${tool.name} returned fields or values that its output schema changes`);
    };
    const validated = schema.validate(given);
    return validated instanceof Promise ? validated.then(take) : take(validated);
  };
}

function hasContent(value: unknown, [step, ...deeper]: FieldPath): boolean {
  if (step === EACH) return Array.isArray(value) && value.some((item) => hasContent(item, deeper));
  if (step !== undefined) return isObject(value) && hasContent(value[step], deeper);
  if (typeof value === "string") return value !== "";
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

/** The tool's own schema, and the fields that the kit adds to its results. */
export function toOutputSchema(tool: ToolDefinition<never>): StandardSchema {
  const own = compileSchema(tool.output);
  let json: Record<string, unknown> | undefined;
  const toJson = (): Record<string, unknown> => (json ??= toOutputJson(tool, own));
  return {
    "~standard": {
      version: 1,
      vendor: "suite",
      validate: (value) => own.validate(value),
      jsonSchema: { input: toJson, output: toJson },
    },
  };
}

const TEXT = { type: "string" };
const NAMES = { type: "array", items: TEXT };

function toOutputJson(tool: ToolDefinition<never>, own: CompiledSchema): Record<string, unknown> {
  const schema = own.outputJson();
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const { changed } = properties;
  const hasDryRun = tool.effects !== "read" && changed !== undefined && properties["dry_run"] === undefined;
  const added = {
    ...((tool.note || hasDryRun) && { note: TEXT }),
    ...(tool.untrusted && { untrusted: NAMES }),
    ...(hasDryRun && { dry_run: { type: "boolean" }, would_change: changed }),
  };
  if (Object.keys(added).length === 0) return schema;
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return {
    ...schema,
    properties: { ...added, ...properties },
    required: hasDryRun ? required.filter((name) => name !== "changed") : required,
  };
}
