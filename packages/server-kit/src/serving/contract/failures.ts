import {
  INTERNAL_ERROR,
  Interruption,
  INVALID_PARAMS,
  invalidParams,
  InvalidAnswer,
  ProtocolError,
  RESOURCE_NOT_FOUND,
  StoreUnavailable,
  ToolError,
  type Call,
  type CallToolResult,
  type StopSignal,
} from "@suite/core";

import { Fault, type FaultCode } from "../../domain/errors/fault.ts";
import { suggest } from "../../domain/errors/suggest.ts";
import { toFault } from "../../domain/errors/to-fault.ts";
import { reveal } from "../../domain/text/reveal.ts";
import type { Selection } from "./selection.ts";
import type { GuidedContract } from "./tool-guide.ts";
import type { ToolDefinition } from "./tool.ts";

/** Where a failed result says what kind of failure it is, and whether to try again. */
export const ERROR_META = "dev.suite/error";

type FailureSettings = Pick<GuidedContract, "redact" | "report" | "guide">;

/** The parts of a fault that clients see. */
type FaultFacts = Pick<Fault, "code" | "message" | "retryable" | "retryAfterMs" | "hint" | "details">;

/** Stopped work fails with an error of its own; the reason for the stop says more. */
export const toCause = (thrown: unknown, { reason }: StopSignal): unknown =>
  reason instanceof Fault && !(thrown instanceof Fault) ? reason : thrown;

/** Turns anything thrown into what an agent gets to know. Unexpected failures are also reported to the operator. */
function toFaultFacts(thrown: unknown, { report, guide }: Omit<FailureSettings, "redact">): FaultFacts {
  if (thrown instanceof ProtocolError) return new Fault("unsupported", thrown.message, { cause: thrown });
  // An invalid answer to a form is the client's mistake, so it is not reported to the operator.
  const answer = thrown instanceof Error && thrown.cause instanceof InvalidAnswer ? thrown.cause : thrown;
  if (answer instanceof InvalidAnswer) return new Fault("invalid_input", answer.message, { cause: thrown });
  const fault = toFault(thrown);
  if (fault.code === "internal") report(fault.cause ?? fault);
  const { code, message, retryable, retryAfterMs, hint, details } = fault;
  return { code, message, retryable, retryAfterMs, hint: hint && guide(hint), details };
}

export function toFailedResult(thrown: unknown, reporting: FailureSettings): CallToolResult {
  if (thrown instanceof ToolError) return failed(String(reporting.redact(thrown.message)), thrown.meta);
  const fault = toFaultFacts(thrown, reporting);
  const meta = { [ERROR_META]: reporting.redact(toErrorMeta(fault)) };
  return failed(String(reporting.redact(toWords(fault))), meta);
}

const failed = (text: string, meta: CallToolResult["_meta"]): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
  ...(meta && { _meta: meta }),
});

/** Messages may quote names with invisible characters. */
const toWords = ({ message, hint }: FaultFacts): string =>
  reveal(hint === undefined ? message : `${message}\n${hint}`);

/** Where the hint follows on the same line, the message needs its full stop. */
function toOneLine({ message, hint }: FaultFacts): string {
  const words = hint === undefined ? message : `${message.replace(/[^.!?]$/, "$&.")} ${hint}`;
  return reveal(words).replaceAll(/\s+/g, " ");
}

export interface ErrorMeta {
  readonly code: FaultCode;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly hint?: string;
  readonly details?: unknown;
}

const toErrorMeta = ({ code, retryable, retryAfterMs, hint, details }: FaultFacts): ErrorMeta => ({
  code,
  retryable,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
  ...(hint !== undefined && { hint }),
  ...(details && { details }),
});

/** Resources and prompts have no failed results, so their failures are protocol errors. */
export function toProtocolError(thrown: unknown, call: Call, reporting: FailureSettings): unknown {
  if (thrown instanceof ProtocolError) return withKindOfCode(thrown);
  if (thrown instanceof Interruption) return thrown;
  const fault = toFaultFacts(thrown, reporting);
  const isResource = call.name !== undefined && call.method.startsWith("resources/");
  const data = { ...(isResource && { uri: call.name }), [ERROR_META]: toErrorMeta(fault) };
  const words = String(reporting.redact(toOneLine(fault)));
  return new ProtocolError(toErrorCode(fault.code, call.method), words, reporting.redact(data), {
    cause: thrown,
  });
}

const KINDS: { readonly [code: number]: FaultCode } = {
  [RESOURCE_NOT_FOUND]: "not_found",
  [INVALID_PARAMS]: "invalid_input",
};

/** Adds the kind of failure to an error of the core, which only has a code. */
function withKindOfCode(error: ProtocolError): ProtocolError {
  const { code, message, data = {} } = error;
  if (error instanceof StoreUnavailable) {
    const meta: ErrorMeta = { code: "unavailable", retryable: true, retryAfterMs: 1000 };
    return new ProtocolError(code, message, { [ERROR_META]: meta }, { cause: error });
  }
  const kind = KINDS[code];
  if (kind === undefined || typeof data !== "object" || data === null || ERROR_META in data) return error;
  const meta: ErrorMeta = { code: kind, retryable: false };
  return new ProtocolError(code, message, { ...data, [ERROR_META]: meta }, { cause: error });
}

const OWN_FAILURES: ReadonlySet<FaultCode> = new Set(["internal", "timeout", "unavailable", "cancelled"]);

function toErrorCode(code: FaultCode, method: string): number {
  // Of a directory, an extension demands the other code in every revision (SEP-2640).
  const hasOwnCode = method.startsWith("resources/") && method !== "resources/directory/read";
  if (code === "not_found" && hasOwnCode) return RESOURCE_NOT_FOUND;
  return OWN_FAILURES.has(code) ? INTERNAL_ERROR : INVALID_PARAMS;
}

/** Adds the kind to a failed result of the core, which has already reported it if necessary. */
export const withKind = (result: CallToolResult, code: FaultCode): CallToolResult => ({
  ...result,
  _meta: { ...result._meta, [ERROR_META]: { code, retryable: false } satisfies ErrorMeta },
});

const LONGEST_NAME = 100;

function toGuess(name: string, meant: ReadonlySet<string>): string {
  if (meant.size === 0) return "";
  // A server may withdraw a tool while it runs.
  return meant.has(name) ? " (it is no longer offered)" : ` (did you mean ${[...meant].join(" or ")}?)`;
}

/** The core's own message, with a suggestion. */
export function toUnknownTool<State>(
  name: string,
  { offered, whyWithheld, renamed }: Selection<ToolDefinition<State>>,
): ProtocolError {
  const short = name.slice(0, LONGEST_NAME);
  // A prefix shared by all names must not make them seem more similar.
  const [shared = ""] = /^[a-z]+_/.exec(offered[0]?.name ?? "") ?? [];
  const isShared = offered.every((tool) => tool.name.startsWith(shared));
  const toOwn = (one: string): string =>
    isShared && one.startsWith(shared) ? one.slice(shared.length) : one;
  const known = offered.flatMap((tool) =>
    [tool.name, ...(tool.alsoKnownAs ?? [])].map((one) => ({ one: toOwn(one), tool: tool.name })),
  );
  const names = new Set(known.map(({ one }) => one));
  const nearest = suggest(toOwn(short), names);
  // Two servers in one program may both have had it. What all names begin with may be all that is new in one.
  const meant = new Set(known.filter(({ one }) => one === nearest).map(({ tool }) => tool));
  const now = whyWithheld(name) !== undefined || names.has(toOwn(name)) ? undefined : renamed.get(name);
  const reason = whyWithheld(now ?? name);
  const why = reason ?? toGuess(name, meant);
  const meta: ErrorMeta = {
    code: reason === undefined ? "not_found" : "permission_denied",
    retryable: false,
  };
  const message = `Unknown tool: ${reveal(short).replaceAll(/\s/g, " ")}${now === undefined ? "" : `, now ${now}`}${why}`;
  return invalidParams(message, { [ERROR_META]: meta });
}
