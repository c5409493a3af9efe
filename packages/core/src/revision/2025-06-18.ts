import { revision20250326 as previous } from "./2025-03-26.ts";
import type { RevisionFacts } from "./facts.ts";

const { fields } = previous;

/** Drops batches; adds structured results, resource links, titles, `_meta` on most things, and elicitation by form. */
export const revision20250618: RevisionFacts = {
  ...previous,
  version: "2025-06-18",
  hasBatches: false,
  fields: {
    ...fields,
    implementation: [...fields.implementation, "title"],
    tool: [...fields.tool, "title", "outputSchema", "_meta"],
    resource: [...fields.resource, "title", "_meta"],
    resourceTemplate: [...fields.resourceTemplate, "title", "_meta"],
    prompt: [...fields.prompt, "title", "_meta"],
    promptArgument: [...fields.promptArgument, "title"],
    annotations: [...fields.annotations, "lastModified"],
    content: [...fields.content, "_meta"],
    resourceLink: ["type", ...fields.resource, "title", "_meta"],
    resourceContents: [...fields.resourceContents, "_meta"],
  },
  contentKinds: [...previous.contentKinds, "resource_link"],
  structuredContent: "object",
  clientCapabilities: { ...previous.clientCapabilities, elicitation: [] },
};
