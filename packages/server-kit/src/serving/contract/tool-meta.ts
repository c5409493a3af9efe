import { compileSchema, type MetaObject, type Schema, type ToolAnnotations } from "@suite/core";

import { toCanonicalJson } from "../../domain/text/json-value.ts";
import { digestOf } from "../../domain/text/digest.ts";
import type { ToolDefinition } from "./tool.ts";

/** Version and digest of a tool's contract: an agent that learned a tool can tell whether it is still the same. */
const SCHEMA_META = "dev.suite/schema";
/** What a tool may touch. */
const EFFECTS_META = "dev.suite/effects";
/** Whether the same call on the same state gives the same result. */
const DETERMINISTIC_META = "dev.suite/deterministic";

const DIGEST_LENGTH = 8;

/** Tools are closed-world unless they say otherwise. */
export const annotationsOf = (tool: ToolDefinition<never>): ToolAnnotations => ({
  openWorldHint: tool.openWorld ?? false,
  ...tool.annotations,
});

export const toToolMeta = (tool: ToolDefinition<never>, output: Schema): MetaObject => ({
  [SCHEMA_META]: `${tool.version ?? 1}-${digestOfContract(tool, output)}`,
  [EFFECTS_META]: tool.affects,
  [DETERMINISTIC_META]: tool.deterministic ?? true,
});

/** Digest of the parts a caller relies on, without titles and descriptions. */
function digestOfContract(tool: ToolDefinition<never>, output: Schema): string {
  const { name, effects } = tool;
  const contract = {
    name,
    effects,
    annotations: annotationsOf(tool),
    input: compileSchema(tool.input).inputJson(),
    output: compileSchema(output).outputJson(),
  };
  return digestOf(toCanonicalJson(withoutDescriptions(contract)), DIGEST_LENGTH);
}

/** Removes only strings: a property of a schema may itself be called "description". */
function withoutDescriptions(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(withoutDescriptions);
  if (typeof data !== "object" || data === null) return data;
  const kept = Object.entries(data).filter(
    ([key, value]) => !(typeof value === "string" && (key === "description" || key === "title")),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutDescriptions(value)]));
}
