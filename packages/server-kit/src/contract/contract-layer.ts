import type { Call, CallToolResult, Context, MaybePromise, Middleware, Next, Result } from "@suite/core";

import { Fault } from "../errors/fault.ts";
import { withOwnNames } from "./aliases.ts";
import { limitOf } from "./budget.ts";
import { CallContext } from "./call-context.ts";
import { Deadline } from "./deadline.ts";
import {
  ERROR_META,
  isOfTheProtocol,
  toFailedResult,
  toProtocolError,
  toUnknownTool,
  withInternal,
  withInvalidInput,
} from "./failures.ts";
import { FirstResults } from "./idempotency.ts";
import type { Selection } from "./selection.ts";
import { asItIs, settle } from "./settle.ts";
import type { ContractSettings } from "./settings.ts";
import type { ToolDefinition } from "./tool.ts";

/** Asks for another deadline than the server's own. */
const TIMEOUT_META = "dev.suite/timeoutMs";

const SUBSCRIBE = "resources/subscribe";
/** Methods behind which a server's own code runs. */
const RUNS_HANDLERS: ReadonlySet<string> = new Set([
  "resources/list",
  "resources/read",
  SUBSCRIBE,
  "prompts/get",
  "completion/complete",
]);
/** Open for as long as the client likes. */
const LISTEN = "subscriptions/listen";

export type AdmitsSubscriber<State> = (uri: string, context: Context<State>) => MaybePromise<void>;

interface TimedCall extends Call {
  readonly context: CallContext;
}

/** Around every call: names that are known, a deadline, first results for repeated writes, failures with their kind. */
export function createContractLayer(
  contract: ContractSettings,
  selection: Selection<never>,
  admitSubscriber: AdmitsSubscriber<never> = () => {},
): Middleware {
  const firstResults = new FirstResults();
  const tools = new Map(selection.offered.map((tool) => [tool.name, tool]));
  return (call, next) => {
    if (call.method === "tools/call") {
      if (call.target === undefined) throw toUnknownTool(call.name ?? "", selection);
      const tool = tools.get(call.name ?? "");
      return callTool(withOwnArguments(call, tool), next, firstResults, contract);
    }
    if (call.method === LISTEN) return settle(() => next(call), asItIs, toFailure(call, contract));
    if (!RUNS_HANDLERS.has(call.method)) return next(call);
    const run = call.method === SUBSCRIBE ? admitting(admitSubscriber, next) : next;
    return runInTime(call, contract, run, asItIs, toFailure(call, contract));
  };
}

/** Whatever spelling they were given in. */
function withOwnArguments(call: Call, tool: ToolDefinition<never> | undefined): Call {
  if (tool?.aliases === undefined || call.arguments === undefined) return call;
  return { ...call, arguments: withOwnNames(call.arguments, tool.aliases) };
}

const admitting =
  (admit: AdmitsSubscriber<never>, next: Next) =>
  async (call: TimedCall): Promise<Result> => {
    const context: Context = call.context;
    await admit(call.name ?? "", context as Context<never>);
    return next(call);
  };

const toFailure =
  (call: Call, contract: ContractSettings) =>
  (thrown: unknown): never => {
    throw toProtocolError(thrown, call, contract);
  };

function callTool(
  call: Call,
  next: Next,
  firstResults: FirstResults,
  contract: ContractSettings,
): MaybePromise<Result> {
  // The deadline is outside: work that outlives it is still the first, and not to be done twice.
  const runOnce = (timed: TimedCall): MaybePromise<CallToolResult> =>
    firstResults.run(
      timed,
      () => next(timed) as MaybePromise<CallToolResult>,
      (result) => toKnownKind(result, timed),
    );
  return runInTime(call, contract, runOnce, toKnownKind, (thrown) => {
    if (isOfTheProtocol(thrown)) throw thrown;
    return toFailedResult(thrown, contract);
  });
}

/** A tool of ours that fails says its kind. Where none is said, the core found fault: with the arguments, or with the result. */
function toKnownKind(result: CallToolResult, call: TimedCall): CallToolResult {
  if (result.isError !== true || result._meta?.[ERROR_META] !== undefined) return result;
  return call.context.hasRun ? withInternal(result) : withInvalidInput(result, call);
}

function runInTime<T extends Result>(
  call: Call,
  contract: ContractSettings,
  next: (call: TimedCall) => MaybePromise<T>,
  onResult: (result: T, call: TimedCall) => T,
  onThrown: (thrown: unknown) => T,
): MaybePromise<T> {
  try {
    const deadline = new Deadline(timeoutOf(call, contract), call.context);
    const context = new CallContext(call.context, deadline, limitOf(call.arguments, contract.maxResult));
    // Spelled out: a spread would be the slowest part of a small call.
    const { method, params, name, arguments: args, target } = call;
    const timed = { method, params, name, arguments: args, target, context };
    const result = next(timed);
    return result instanceof Promise
      ? deadline.watch(result, (settled) => onResult(settled, timed), onThrown)
      : onResult(result, timed);
  } catch (thrown) {
    return onThrown(thrown);
  }
}

function timeoutOf({ context, target }: Call, { timeoutMs, maxTimeoutMs }: ContractSettings): number {
  const asked = context.meta[TIMEOUT_META] ?? ownTimeout(target);
  if (asked === undefined) return timeoutMs;
  if (typeof asked === "number" && asked >= 1) return Math.min(asked, maxTimeoutMs);
  throw new Fault("invalid_input", `_meta ${TIMEOUT_META} must be a number of milliseconds, at least 1.`);
}

/** The facts of the suite's tools travel with them through the core. */
const ownTimeout = (target: Call["target"]): number | undefined =>
  target?.kind === "tool"
    ? (target.entry.definition as { readonly timeoutMs?: number }).timeoutMs
    : undefined;
