import { isObject } from "../jsonrpc/message.ts";
import type { CompiledSchema } from "./compile.ts";
import { shapeOf } from "./json-schema/keywords.ts";
import { DEFAULT_VALIDATION_LIMITS, SchemaError } from "./json-schema/schema.ts";
import { indexSchema } from "./json-schema/references.ts";
import { isStandardSchema } from "./standard-schema.ts";

const OBJECT = '{ type: "object", properties: { … } }';
const NOT_DESCRIBED =
  "cannot describe itself as JSON Schema. With zod, use version 4.2 or later; with valibot, wrap it in toStandardJsonSchema of @valibot/to-json-schema.";
/** Keywords that validate nothing, with the type of their values. */
const ANNOTATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    title: "string",
    description: "string",
    default: "",
    examples: "",
    const: "",
    deprecated: "",
  }),
);

/** Why a schema cannot work, and what to write instead; undefined if it can. Converts and compiles nothing. */
export function findFault(schema: unknown, isInput: boolean): string | undefined {
  if (schema === null || (typeof schema !== "object" && typeof schema !== "function"))
    return `must be a schema: of zod, valibot or arktype, or JSON Schema such as ${OBJECT}`;
  if (isStandardSchema(schema)) return describesItself(schema["~standard"]) ? undefined : NOT_DESCRIBED;
  if (!isObject(schema) || ![Object.prototype, null].includes(Object.getPrototypeOf(schema) as object | null))
    return NOT_DESCRIBED;
  if (Object.values(schema).some(isOfLibrary))
    return "is the shape of an object, and not a schema: wrap it, such as in z.object({ … })";
  const { properties } = schema;
  if (isObject(properties) && Object.values(properties).some(isOfLibrary))
    return "is JSON Schema with schemas of a library as properties: give one schema of the library, such as z.object({ … })";
  const keys = Object.keys(schema);
  if (keys.length > 0 && !keys.some((key) => isKeyword(key, schema[key])))
    return `has no keyword of JSON Schema: write ${OBJECT}`;
  return (isInput ? findTypeFault(schema) : undefined) ?? findKeywordFault(schema);
}

/** Why a schema of a library cannot be listed, once it is converted. */
export function findConversionFault(schema: CompiledSchema, isInput: boolean): string | undefined {
  try {
    return isInput ? findTypeFault(schema.inputJson()) : void schema.outputJson();
  } catch (thrown) {
    return `cannot be written as JSON Schema: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  }
}

function findTypeFault({ type }: { readonly type?: unknown }): string | undefined {
  if (type === undefined || type === "object") return undefined;
  return `has type ${JSON.stringify(type)}, but arguments are always an object: write ${OBJECT}`;
}

const describesItself = (standard: unknown): boolean =>
  isObject(standard) &&
  isObject(standard["jsonSchema"]) &&
  typeof standard["jsonSchema"]["input"] === "function";

/** Also a schema of a library from before the standard: zod 3 keeps its definition in `_def`. */
const isOfLibrary = (value: unknown): boolean =>
  typeof value === "function" ||
  (typeof value === "object" && value !== null && (isStandardSchema(value) || "_def" in value));

function isKeyword(name: string, value: unknown): boolean {
  const type = ANNOTATIONS.get(name);
  if (type !== undefined) return type === "" || typeof value === type;
  return shapeOf(name, "2020-12") !== undefined;
}

function findKeywordFault(schema: { readonly [keyword: string]: unknown }): string | undefined {
  try {
    indexSchema(schema, DEFAULT_VALIDATION_LIMITS);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof SchemaError)) throw thrown;
    // Dialects and documents that are not known here are refused call by call: the other tools work.
    if (/\/\$(?:schema|ref|dynamicRef)$/.test(thrown.pointer)) return undefined;
    return `is not valid JSON Schema: ${thrown.message}`;
  }
}
