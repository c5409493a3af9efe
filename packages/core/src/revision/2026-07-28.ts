import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  RESOURCE_NOT_FOUND,
  URL_ELICITATION_REQUIRED,
} from "../jsonrpc/error.ts";
import { revision20251125 as previous } from "./2025-11-25.ts";
import type { RevisionFacts } from "./facts.ts";

/** The first modern revision: no handshake, no session, no requests from the server; every request speaks for itself. */
export const revision20260728: RevisionFacts = {
  ...previous,
  version: "2026-07-28",
  era: "modern",
  methods: [
    "server/discover",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
    "prompts/list",
    "prompts/get",
    "tools/list",
    "tools/call",
    "completion/complete",
    // From extensions (SEP-2663, SEP-2640), for servers that offer them.
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
    "skills/list",
    "skills/get",
    "resources/directory/read",
  ],
  structuredContent: "any",
  clientCapabilities: { ...previous.clientCapabilities, roots: [] },
  extensions: "any",
  elicitation: { ...previous.elicitation, hasElicitationId: false },
  errorCodes: { [RESOURCE_NOT_FOUND]: INVALID_PARAMS, [URL_ELICITATION_REQUIRED]: INVALID_REQUEST },
};
