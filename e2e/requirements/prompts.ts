import type { Requirement } from "./requirement.ts";
import { ALL, LEGACY, MODERN, SINCE_2025_03_26 } from "./revisions.ts";

/** Prompts. */
export const promptsRequirements: readonly Requirement[] = [
  {
    id: "prompts/capability-declared",
    level: "MUST",
    text: "A server that has prompts declares the prompts capability.",
    revisions: ALL,
    source: "2026-07-28 server/prompts#capabilities",
  },
  {
    id: "prompts/list-answered",
    level: "MUST",
    text: "A server that declares prompts answers prompts/list, if need be with an empty list.",
    revisions: MODERN,
    source: "2026-07-28 server/prompts#capabilities",
  },
  {
    id: "prompts/list-same-for-all",
    level: "MUST",
    text: "The prompt list is the same on every connection and no other request on the connection changes it.",
    revisions: MODERN,
    source: "2026-07-28 server/prompts#capabilities",
  },
  {
    id: "prompts/list-changed",
    level: "SHOULD",
    text: "With listChanged declared, a change of the prompt list is followed by notifications/prompts/list_changed.",
    revisions: LEGACY,
    source: "2025-11-25 server/prompts#list-changed-notification",
  },
  {
    id: "prompts/list-changed-to-listeners",
    level: "SHOULD",
    text: "A change of the prompt list reaches every listen stream that asked for promptsListChanged.",
    revisions: MODERN,
    source: "2026-07-28 server/prompts#list-changed-notification",
  },
  {
    id: "prompts/image-content",
    level: "MUST",
    text: "Image content in a prompt is base64 data with a valid MIME type.",
    revisions: ALL,
    source: "2026-07-28 server/prompts#image-content",
  },
  {
    id: "prompts/audio-content",
    level: "MUST",
    text: "Audio content in a prompt is base64 data with a valid MIME type.",
    revisions: SINCE_2025_03_26,
    source: "2026-07-28 server/prompts#audio-content",
  },
  {
    id: "prompts/embedded-resource",
    level: "MUST",
    text: "An embedded resource in a prompt has a valid URI, a MIME type and either text or base64 blob.",
    revisions: ALL,
    source: "2026-07-28 server/prompts#embedded-resources",
  },
  {
    id: "prompts/unknown-name",
    level: "SHOULD",
    text: "prompts/get for an unknown prompt is answered with -32602.",
    revisions: ALL,
    source: "2026-07-28 server/prompts#error-handling",
  },
  {
    id: "prompts/missing-argument",
    level: "SHOULD",
    text: "prompts/get without a required argument is answered with -32602.",
    revisions: ALL,
    source: "2026-07-28 server/prompts#error-handling",
  },
  {
    id: "prompts/internal-error",
    level: "SHOULD",
    text: "A prompt whose code throws is answered with -32603.",
    revisions: ALL,
    source: "2026-07-28 server/prompts#error-handling",
  },
  {
    id: "prompts/arguments-validated",
    level: "SHOULD",
    text: "Prompt arguments that are not strings are refused before the prompt's code runs.",
    revisions: ALL,
    source: "2026-07-28 server/prompts#implementation-considerations",
  },
];
