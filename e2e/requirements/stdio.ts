import type { Requirement } from "./requirement.ts";
import { ALL, MODERN, SINCE_2025_03_26 } from "./revisions.ts";

/** Framing, streams and the process. */
export const stdioRequirements: readonly Requirement[] = [
  {
    id: "stdio/newline-delimited",
    level: "MUST",
    text: "Each message is exactly one line on stdout: no newline inside it, one newline after it.",
    revisions: ALL,
    source: "2026-07-28 basic/transports/stdio",
  },
  {
    id: "stdio/stdout-only-messages",
    level: "MUST",
    text: "Every line on stdout is a message valid under the schema of the revision in use; logs, banners and crash reports go elsewhere.",
    revisions: ALL,
    source: "2026-07-28 basic/transports/stdio",
  },
  {
    id: "stdio/utf-8",
    level: "MUST",
    text: "Output is UTF-8 and input is decoded as UTF-8, a character split over two chunks included.",
    revisions: SINCE_2025_03_26,
    source: "2026-07-28 basic/transports/index#messages",
  },
  {
    id: "stdio/no-authorization",
    level: "SHOULD",
    text: "Over stdio our server demands no token and starts no authorization flow; secrets come from its environment.",
    revisions: SINCE_2025_03_26,
    source: "2026-07-28 basic/index#auth",
  },
  {
    id: "stdio/exit-on-eof",
    level: "SHOULD",
    text: "The process ends soon after its standard input closes, with requests in flight and timers running too.",
    revisions: MODERN,
    source: "2026-07-28 basic/transports/stdio#shutdown",
  },
  {
    id: "stdio/cancelled-request-silent",
    level: "MUST",
    text: "After notifications/cancelled no further message for that request is written, neither response nor notification.",
    revisions: MODERN,
    source: "2026-07-28 basic/transports/stdio#cancellation",
  },
];
