import { revision20250618 as previous } from "./2025-06-18.ts";
import type { RevisionFacts } from "./facts.ts";

const { fields } = previous;

/**
 * Extensions came with the revision after this one, but hosts that speak this one already declare and use these two
 * (SEP-1865, SEP-2640).
 */
const EXTENSIONS = ["io.modelcontextprotocol/ui", "io.modelcontextprotocol/skills"];

/** Adds priming events on HTTP, icons, richer server information, elicitation by URL and richer forms, and sampling with tools. */
export const revision20251125: RevisionFacts = {
  ...previous,
  version: "2025-11-25",
  methods: [...previous.methods, "skills/list", "skills/get", "resources/directory/read"],
  primesStreams: true,
  fields: {
    ...fields,
    implementation: [...fields.implementation, "icons", "description", "websiteUrl"],
    tool: [...fields.tool, "icons"],
    resource: [...fields.resource, "icons"],
    resourceTemplate: [...fields.resourceTemplate, "icons"],
    prompt: [...fields.prompt, "icons"],
    resourceLink: [...fields.resourceLink, "icons"],
    samplingMessage: [...fields.samplingMessage, "_meta"],
  },
  clientCapabilities: {
    ...previous.clientCapabilities,
    sampling: ["context", "tools"],
    elicitation: ["form", "url"],
  },
  extensions: EXTENSIONS,
  elicitation: { hasMode: true, hasElicitationId: true, hasRichForms: true },
  hasRichSampling: true,
};
