import { isObject, type Params } from "../jsonrpc/message.ts";
import type { ElicitationFacts } from "./facts.ts";
import { pick } from "./pick.ts";

const ABOUT = ["type", "title", "description"] as const;
const NUMBER = [...ABOUT, "minimum", "maximum", "default"];

/**
 * The keywords of each kind of field (elicitation#requested-schema). What else a schema says is kept from the client, who
 * could not show it; the answer is checked against all of it all the same.
 */
const KEYWORDS: { readonly [type: string]: readonly string[] } = {
  string: [...ABOUT, "minLength", "maxLength", "format", "enum", "enumNames", "oneOf", "default"],
  number: NUMBER,
  integer: NUMBER,
  boolean: [...ABOUT, "default"],
  array: [...ABOUT, "minItems", "maxItems", "items", "default"],
};

const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** A form as one revision knows it. Throws for what no form can hold. */
export function encodeForm(facts: ElicitationFacts, schema: Params): Params {
  const { properties, required } = schema;
  const fields = Object.entries((properties ?? {}) as Params).map(([name, field]) => [
    name,
    facts.hasRichForms ? encodeField(name, field) : simplifyField(name, encodeField(name, field)),
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(fields) as Params,
    ...(required !== undefined && { required }),
  };
}

function encodeField(name: string, field: unknown): Params {
  const type = isObject(field) ? field["type"] : undefined;
  const keywords = typeof type === "string" && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type] : undefined;
  if (!isObject(field) || keywords === undefined || (type === "array" && !isChoice(field["items"]))) {
    throw new Error(
      `A form cannot ask for ${name}: fields are texts, numbers, yes or no, and choices of texts`,
    );
  }
  const { format, ...rest } = pick(field, keywords);
  return FORMATS.has(format) ? { ...rest, format } : rest;
}

const isChoice = (items: unknown): boolean =>
  isObject(items) && (Array.isArray(items["enum"]) || Array.isArray(items["anyOf"]));

/** 2025-06-18 knows neither titled choices nor defaults other than a boolean's, and no lists at all. */
function simplifyField(name: string, field: Params): Params {
  if (field["type"] === "array") {
    throw new Error(
      `Field ${name} takes several choices, which needs a client of revision 2025-11-25 or later`,
    );
  }
  const { default: preset, oneOf, ...rest } = field;
  if (Array.isArray(oneOf)) {
    const choices = oneOf as readonly { const: string; title: string }[];
    return {
      ...rest,
      enum: choices.map((choice) => choice.const),
      enumNames: choices.map((choice) => choice.title),
    };
  }
  return rest["type"] === "boolean" && preset !== undefined ? { ...rest, default: preset } : rest;
}
