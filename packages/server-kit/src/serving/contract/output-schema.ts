import { compileSchema, type CompiledSchema, type StandardSchema } from "@suite/core";

import { isObject } from "../../domain/text/json-value.ts";
import type { ToolDefinition } from "./tool.ts";

/** Fields that the kit adds to a structured result. */
export interface Remarks {
  readonly note?: string;
  /** Fields whose text came from outside. */
  readonly untrusted?: readonly string[];
  readonly dry_run?: true;
}

/** The result of `run`, with the kit's remarks. */
export class RemarkedOutput {
  readonly output: object;
  readonly remarks: Remarks;

  constructor(output: object, remarks: Remarks) {
    this.output = output;
    this.remarks = remarks;
  }
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
      validate(value) {
        if (!(value instanceof RemarkedOutput)) return own.validate(value);
        const validated = own.validate(value.output);
        return validated instanceof Promise
          ? validated.then((settled) => withRemarks(settled, value.remarks))
          : withRemarks(validated, value.remarks);
      },
      jsonSchema: { input: toJson, output: toJson },
    },
  };
}

type Validated = Awaited<ReturnType<CompiledSchema["validate"]>>;

/** Remarks come first: a model reads from the top, and hosts cut at the bottom. */
function withRemarks(validated: Validated, remarks: Remarks): Validated {
  if (validated.issues !== undefined) return validated;
  const value = validated.value as object;
  return { value: { ...remarks, ...(remarks.dry_run ? toProposal(value) : value) } };
}

/** In a dry run nothing was changed, so `changed` becomes `would_change`. */
const toProposal = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name === "changed" ? "would_change" : name, item]),
  );

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
