import { isObject, type Params } from "../jsonrpc/message.ts";
import type { SamplingMessage } from "../model/asking.ts";
import type { ContentBlock } from "../model/content.ts";
import { encodeContent } from "./content.ts";
import type { ElicitationFacts, RevisionFacts } from "./facts.ts";
import { isList } from "../values/is-list.ts";
import { pick } from "../values/pick.ts";

const ABOUT = ["type", "title", "description"] as const;
const NUMBER = [...ABOUT, "minimum", "maximum", "default"];

/**
 * The keywords of each kind of field (elicitation#requested-schema). Clients cannot show other keywords, so they are not
 * sent; the answer is still checked against the whole schema.
 */
const KEYWORDS: { readonly [type: string]: readonly string[] } = {
  string: [...ABOUT, "minLength", "maxLength", "format", "enum", "enumNames", "oneOf", "default"],
  number: NUMBER,
  integer: NUMBER,
  boolean: [...ABOUT, "default"],
  array: [...ABOUT, "minItems", "maxItems", "items", "default"],
};

const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);

/** A question to the client in the form of one revision. Throws if the revision cannot express it. */
export function encodeQuestion(facts: RevisionFacts, method: string, params: Params): Params {
  if (method === "elicitation/create") return encodeElicitation(facts.elicitation, params);
  if (method === "sampling/createMessage") return encodeSampling(facts, params);
  return params;
}

function encodeElicitation(facts: ElicitationFacts, params: Params): Params {
  const { mode, requestedSchema, ...rest } = params;
  const kept = facts.hasMode ? { mode, ...rest } : rest;
  if (mode === "url") return facts.hasElicitationId ? { ...kept, elicitationId: crypto.randomUUID() } : kept;
  return { ...kept, requestedSchema: encodeForm(facts, requestedSchema as Params) };
}

/** A form as one revision knows it. Throws for fields that no form can have. */
function encodeForm(facts: ElicitationFacts, schema: Params): Params {
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
      `A form cannot ask for ${name}: fields must be strings, numbers, booleans or choices of strings`,
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

function encodeSampling(facts: RevisionFacts, params: Params): Params {
  const messages = (params["messages"] as readonly SamplingMessage[]).map((message) => {
    const content = facts.hasRichSampling ? message.content : singleBlock(facts, message.content);
    return pick({ ...message, content }, facts.fields.samplingMessage);
  });
  return { ...params, messages };
}

function singleBlock(facts: RevisionFacts, content: SamplingMessage["content"]): unknown {
  const blocks = isList(content) ? content : [content];
  const [block] = blocks;
  if (blocks.length !== 1 || block === undefined || !facts.contentKinds.includes(block.type)) {
    throw new Error(
      `Revision ${facts.version} cannot carry this sampling message: it takes one text, image or audio block`,
    );
  }
  return encodeContent(facts, block as ContentBlock);
}
