import { resolve } from "node:path";

/** The longest time of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

const checkTime = (ms: number): string | undefined =>
  ms >= 1 && ms <= LONGEST_MS ? undefined : "a time from 1ms to 24 days, such as 30s or 5m";

/** Options about a server's tools. */
export const toolOptions = {
  readOnly: {
    flag: "--read-only",
    env: "SUITE_READ_ONLY",
    type: "boolean",
    description: "Offer only tools that change nothing.",
  },
  tools: {
    flag: "--tools",
    env: "SUITE_TOOLS",
    type: "list",
    placeholder: "NAME",
    description: "Offer only these tools or groups of tools. May be repeated, or a list with commas.",
  },
  excludeTools: {
    flag: "--exclude-tools",
    env: "SUITE_EXCLUDE_TOOLS",
    type: "list",
    placeholder: "NAME",
    description: "Do not offer these tools or groups of tools.",
  },
  timeout: {
    flag: "--timeout",
    env: "SUITE_TIMEOUT",
    type: "duration",
    default: 60_000,
    check: (ms: number): string | undefined => checkTime(ms),
    description:
      "How long a call may take, such as 30s or 5m. A call may ask for another time, up to --max-timeout.",
  },
  maxTimeout: {
    flag: "--max-timeout",
    env: "SUITE_MAX_TIMEOUT",
    type: "duration",
    default: 600_000,
    check: (ms: number): string | undefined => checkTime(ms),
    description: "The longest time a call may ask for.",
  },
  maxResult: {
    flag: "--max-result",
    env: "SUITE_MAX_RESULT",
    type: "integer",
    default: 1_000_000,
    min: 1000,
    placeholder: "CHARACTERS",
    description:
      "The longest result a call may ask for with max_bytes. Results have 40000 characters at most unless a call asks for more.",
  },
  results: {
    flag: "--results",
    env: "SUITE_RESULTS",
    type: "enum",
    values: ["both", "text", "structured"],
    default: "both",
    description:
      "What results consist of: both text and structured content, only text (no output schemas either), or structured content with one line of text.",
  },
  checkResults: {
    flag: "--check-results",
    env: "SUITE_CHECK_RESULTS",
    type: "boolean",
    description: "Check every result against the output schema of its tool, as the tests of this server do.",
  },
  requestStateSecret: {
    env: "SUITE_REQUEST_STATE_SECRET",
    type: "string",
    secret: true,
    description:
      "A secret shared by several processes, so that any of them can continue a call in which another asked the client something.",
  },
  confirm: {
    flag: "--confirm",
    env: "SUITE_CONFIRM",
    type: "boolean",
    description: "Ask a person before anything is replaced or removed. Clients that cannot ask are refused.",
  },
  auditLog: {
    flag: "--audit-log",
    env: "SUITE_AUDIT_LOG",
    type: "string",
    toAbsolute: (folder: string, path: string): string => resolve(folder, path),
    placeholder: "FILE",
    description: "Append one line of JSON per call to this file. Arguments are in it as digests only.",
  },
} as const;
