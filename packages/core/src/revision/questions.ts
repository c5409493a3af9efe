import type { Params } from "../jsonrpc/message.ts";
import type { SamplingMessage } from "../model/asking.ts";
import type { ContentBlock } from "../model/content.ts";
import { encodeContent } from "./content.ts";
import type { ElicitationFacts, RevisionFacts } from "./facts.ts";
import { encodeForm } from "./forms.ts";
import { pick } from "./pick.ts";

/** What the server asks of the client, as one revision can ask it. Throws for what it cannot ask at all. */
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

function encodeSampling(facts: RevisionFacts, params: Params): Params {
  const messages = (params["messages"] as readonly SamplingMessage[]).map((message) => {
    const content = facts.hasRichSampling ? message.content : singleBlock(facts, message.content);
    return pick({ ...message, content }, facts.fields.samplingMessage);
  });
  return { ...params, messages };
}

function singleBlock(facts: RevisionFacts, content: SamplingMessage["content"]): unknown {
  const blocks = Array.isArray(content)
    ? (content as readonly { type: string }[])
    : [content as { type: string }];
  const [block] = blocks;
  if (blocks.length !== 1 || block === undefined || !facts.contentKinds.includes(block.type)) {
    throw new Error(
      `Revision ${facts.version} cannot carry this sampling message: it takes one text, image or audio block`,
    );
  }
  return encodeContent(facts, block as ContentBlock);
}
