import type { Params } from "../jsonrpc/message.ts";
import type { AudioContent, ContentBlock, ResourceContents, ResourceLink } from "../model/content.ts";
import type { RevisionFacts } from "./facts.ts";
import { pick } from "../values/pick.ts";

/** Content as one revision knows it. Kinds that it lacks are converted to one that it has, so that nothing is lost. */
export function encodeContent(facts: RevisionFacts, block: ContentBlock): object {
  if (!facts.contentKinds.includes(block.type)) return encodeContent(facts, substitute(block));
  if (block.type === "resource_link") return annotated(facts, pick(block, facts.fields.resourceLink));
  if (block.type === "resource") {
    const resource = encodeContents(facts, block.resource);
    return annotated(facts, pick({ ...block, resource }, facts.fields.content));
  }
  // Nearly every block is plain text, and plain text is the same in all revisions.
  if (block.annotations === undefined && block._meta === undefined) return block;
  return annotated(facts, pick(block, facts.fields.content));
}

export const encodeContents = (facts: RevisionFacts, contents: ResourceContents): Params =>
  pick(contents, facts.fields.resourceContents);

export const annotated = (facts: RevisionFacts, value: Params): Params =>
  value["annotations"] === undefined
    ? value
    : { ...value, annotations: pick(value["annotations"] as object, facts.fields.annotations) };

function substitute(block: ContentBlock): ContentBlock {
  if (block.type === "audio") return audioAsResource(block);
  if (block.type === "resource_link") return { type: "text", text: linkAsText(block) };
  throw new Error(`There is no content of type ${JSON.stringify((block as { type?: unknown }).type)}`);
}

const audioAsResource = ({ data, mimeType }: AudioContent): ContentBlock => ({
  type: "resource",
  resource: { uri: "attachment:audio", mimeType, blob: data },
});

function linkAsText({ name, title, description, uri }: ResourceLink): string {
  const label = title ?? name;
  return description === undefined ? `${label}: ${uri}` : `${label}: ${uri}\n${description}`;
}
