import type { UnobservableRequirement } from "./requirement.ts";
import { LEGACY } from "./revisions.ts";

const NO_PINGS =
  "Our server sends no pings: over stdio the end of the client shows at once as the end of standard input.";

/** Recommendations that our servers do not follow, and why. */
export const declined: readonly UnobservableRequirement[] = [
  {
    id: "ping/issued-periodically",
    level: "SHOULD",
    text: "Our server pings the client from time to time to see whether the connection is alive.",
    revisions: LEGACY,
    source: "2025-11-25 basic/utilities/ping#implementation-considerations",
    reason: NO_PINGS,
  },
  {
    id: "ping/frequency-configurable",
    level: "SHOULD",
    text: "How often our server pings can be set, off included.",
    revisions: LEGACY,
    source: "2025-11-25 basic/utilities/ping#implementation-considerations",
    reason: NO_PINGS,
  },
  {
    id: "ping/timeout-is-connection-failure",
    level: "SHOULD",
    text: "A ping of ours that stays unanswered is treated as a lost connection.",
    revisions: LEGACY,
    source: "2025-11-25 basic/utilities/ping#error-handling",
    reason: NO_PINGS,
  },
  {
    id: "ping/failures-logged",
    level: "SHOULD",
    text: "A failed ping leaves a line in the server's log.",
    revisions: LEGACY,
    source: "2025-11-25 basic/utilities/ping#error-handling",
    reason: NO_PINGS,
  },
];
