import { isObject, type Params } from "../jsonrpc/message.ts";
import type { ContentBlock, ResourceContents } from "../model/content.ts";
import {
  STRUCTURED_IS_NOT_OBJECT,
  type CallToolResult,
  type GetPromptResult,
  type JsonObjectSchema,
  type Prompt,
  type PromptArgument,
  type Resource,
  type ResourceTemplate,
  type Tool,
} from "../model/entities.ts";
import { annotated, encodeContent, encodeContents } from "./content.ts";
import type { RevisionFacts } from "./facts.ts";
import { pick } from "../values/pick.ts";
import { remembered } from "../values/remembered.ts";

type EncodeResult = (result: Params) => Params;

/** One encoder per method whose result differs between revisions. */
export function createResultEncoders(facts: RevisionFacts): { readonly [method: string]: EncodeResult } {
  const { fields } = facts;
  // Entries of the catalog live as long as the server does, so each is encoded once per revision.
  const tool = remembered((item: Tool) => encodeTool(facts, item));
  const resource = (item: Resource): Params => annotated(facts, pick(item, fields.resource));
  const template = (item: ResourceTemplate): Params => annotated(facts, pick(item, fields.resourceTemplate));
  const prompt = remembered((item: Prompt) => encodePrompt(facts, item));
  return {
    "tools/list": listEncoder("tools", tool),
    "resources/list": listEncoder("resources", resource),
    "resources/directory/read": listEncoder("resources", resource),
    "resources/templates/list": listEncoder("resourceTemplates", template),
    "prompts/list": listEncoder("prompts", prompt),
    // The features made these results, so the casts are safe.
    "tools/call": (result) => encodeCallToolResult(facts, result as unknown as CallToolResult),
    "prompts/get": (result) => encodeGetPromptResult(facts, result as unknown as GetPromptResult),
    "resources/read": (result) => ({
      ...result,
      contents: (result["contents"] as readonly ResourceContents[]).map((item) =>
        encodeContents(facts, item),
      ),
    }),
  };
}

const listEncoder =
  <T>(key: string, encode: (item: T) => Params): EncodeResult =>
  (result) => ({ ...result, [key]: (result[key] as readonly T[]).map(encode) });

function encodeTool(facts: RevisionFacts, tool: Tool): Params {
  const picked = pick(tool, facts.fields.tool);
  if (facts.structuredContent !== "object" || tool.outputSchema === undefined) return picked;
  return isObjectSchema(tool.outputSchema)
    ? picked
    : { ...picked, outputSchema: wrapSchema(tool.outputSchema) };
}

const isObjectSchema = (schema: JsonObjectSchema): boolean => schema["type"] === "object";

/** Before 2026-07-28 a structured result had to be an object; anything else travels as its member `result`. */
function wrapSchema({ $schema, ...inner }: JsonObjectSchema): JsonObjectSchema {
  return {
    ...($schema !== undefined && { $schema }),
    type: "object",
    properties: { result: moveReferences(inner) },
    required: ["result"],
  };
}

/** Adjusts references after the schema moved to `properties/result`. A schema with an `$id` is its own root. */
function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences);
  if (!isObject(schema) || typeof schema["$id"] === "string") return schema;
  const move = ([key, value]: [string, unknown]): [string, unknown] => [
    key,
    (key === "$ref" || key === "$dynamicRef") && typeof value === "string"
      ? value.replace(/^#(?=\/|$)/, "#/properties/result")
      : moveReferences(value),
  ];
  return Object.fromEntries(Object.entries(schema).map(move));
}

function encodePrompt(facts: RevisionFacts, prompt: Prompt): Params {
  const picked = pick(prompt, facts.fields.prompt);
  if (prompt.arguments === undefined) return picked;
  const encode = (argument: PromptArgument): Params => pick(argument, facts.fields.promptArgument);
  return { ...picked, arguments: prompt.arguments.map(encode) };
}

function encodeCallToolResult(facts: RevisionFacts, result: CallToolResult): Params {
  const { structuredContent, isError, _meta } = result;
  const encoded: Record<string, unknown> = {
    content: result.content.map((block: ContentBlock) => encodeContent(facts, block)),
  };
  if (structuredContent !== undefined && facts.structuredContent !== "none") {
    const mustWrap = facts.structuredContent === "object" && result[STRUCTURED_IS_NOT_OBJECT] === true;
    encoded["structuredContent"] = mustWrap ? { result: structuredContent } : structuredContent;
  }
  if (isError !== undefined) encoded["isError"] = isError;
  if (_meta !== undefined) encoded["_meta"] = _meta;
  return encoded;
}

const encodeGetPromptResult = (facts: RevisionFacts, result: GetPromptResult): Params => ({
  ...result,
  messages: result.messages.map(({ role, content }) => ({ role, content: encodeContent(facts, content) })),
});
