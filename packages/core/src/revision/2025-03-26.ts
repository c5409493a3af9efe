import { revision20241105 as previous } from "./2024-11-05.ts";
import type { RevisionFacts } from "./facts.ts";

/** Adds batches, audio, tool annotations, progress messages and the completions capability. */
export const revision20250326: RevisionFacts = {
  ...previous,
  version: "2025-03-26",
  hasBatches: true,
  fields: { ...previous.fields, tool: [...previous.fields.tool, "annotations"] },
  contentKinds: [...previous.contentKinds, "audio"],
  serverCapabilities: [...previous.serverCapabilities, "completions"],
  hasProgressMessage: true,
};
