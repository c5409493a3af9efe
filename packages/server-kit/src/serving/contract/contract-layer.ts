import {
  FAILURE,
  isOfTheProtocol,
  type Call,
  type CallToolResult,
  type Context,
  type MaybePromise,
  type Middleware,
  type Next,
  type Params,
  type PromptMessage,
  type Result,
} from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import { isObject } from "../../domain/text/json-value.ts";
import { withInvalidInput } from "./argument-errors.ts";
import { CallContext, limitOf } from "./call-context.ts";
import { Deadline } from "./deadline.ts";
import { ERROR_META, toFailedResult, toProtocolError, toUnknownTool, withKind } from "./failures.ts";
import { FirstResults } from "./idempotency.ts";
import type { Selection } from "./selection.ts";
import type { ToolDefinition } from "./tool.ts";
import { identity, continueWith } from "./continue-with.ts";
import type { GuidedContract, ToolGuide } from "./tool-guide.ts";

/** Lets a call ask for a deadline other than the server's default. */
const TIMEOUT_META = "dev.suite/timeoutMs";

const SUBSCRIBE = "resources/subscribe";
/** Methods that run a server's own handlers. */
const RUNS_HANDLERS: ReadonlySet<string> = new Set([
  "resources/list",
  "resources/read",
  "resources/directory/read",
  "skills/list",
  "skills/get",
  SUBSCRIBE,
  "prompts/get",
  "completion/complete",
]);
/** A stream that stays open until the client closes it. */
export const LISTEN = "subscriptions/listen";
/** Admitting one may block the event loop for a millisecond. */
const MOST_LISTENED = 500;

export type AdmitsSubscriber<State> = (uri: string, context: Context<State>) => MaybePromise<void>;
/** Receives a copy of the call that names only the refused URIs, while the client listens to the others. */
type OnLeftOut = (call: Call, refusal: Fault) => void;

type CalledTool = Pick<ToolDefinition, "timeoutMs" | "argumentHints" | "aliases">;

interface TimedCall extends Call {
  readonly context: CallContext;
}

/** Wraps every call: refuses unknown tools, sets a deadline, replays results of repeated writes, classifies failures. */
export function createContractLayer<State>(
  contract: GuidedContract,
  selection: Selection<ToolDefinition<State>>,
  admitSubscriber: AdmitsSubscriber<State> = () => {},
  onLeftOut: OnLeftOut = () => {},
): Middleware {
  const firstResults = new FirstResults(contract.replica);
  const tools = new Map(selection.offered.map((tool) => [tool.name, tool]));
  return (call, next) => {
    if (call.method === "tools/call") {
      if (call.target === undefined) throw toUnknownTool(call.name ?? "", selection);
      return callTool(call, next, firstResults, contract, tools.get(call.name ?? ""));
    }
    const onThrown = (thrown: unknown): never => {
      throw toProtocolError(thrown, call, contract);
    };
    if (call.method === LISTEN) {
      const listen = (): MaybePromise<Result> => listenToAdmitted(call, admitSubscriber, next, onLeftOut);
      return continueWith(listen, identity, onThrown);
    }
    if (!RUNS_HANDLERS.has(call.method)) return next(call);
    const run = call.method === SUBSCRIBE ? admitting(admitSubscriber, next) : next;
    const onResult = call.method === "prompts/get" ? guiding(contract.guide) : identity;
    return runInTime(call, contract, { run, onResult, onThrown });
  };
}

/** Guides only the first message, which is the server's own text; later ones may quote content from outside. */
const guiding =
  (guide: ToolGuide) =>
  (result: Result): Result => {
    const { messages = [] } = result as { readonly messages?: readonly PromptMessage[] };
    const [first, ...rest] = messages;
    if (first?.content.type !== "text") return result;
    const content = { ...first.content, text: guide(first.content.text) };
    return { ...result, messages: [{ ...first, content }, ...rest] };
  };

const admitting =
  <State>(admit: AdmitsSubscriber<State>, next: Next) =>
  (call: Call): MaybePromise<Result> => {
    // The core passes on the server's own state, but its type is not known here.
    const context = call.context as Context<State>;
    const { name } = call;
    const admitIt = (): MaybePromise<void> => (name === undefined ? undefined : admit(name, context));
    return continueWith(admitIt, () => next(call), rethrow);
  };

function rethrow(thrown: unknown): never {
  throw thrown;
}

/** Only strings: the core refuses anything else. */
export const urisOf = (call: Call): readonly string[] =>
  subscriptionsOf(call).filter((uri) => typeof uri === "string");

function subscriptionsOf({ params: { notifications } }: Call): readonly unknown[] {
  const uris = isObject(notifications) ? notifications["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? uris : [];
}

const asksForSomething = (wish: unknown): boolean =>
  wish === true || (Array.isArray(wish) && wish.length > 0);

/** Leaves out refused URIs, which the acknowledgment shows. If nothing is left to listen to, throws the first refusal. */
function listenToAdmitted<State>(
  call: Call,
  admit: AdmitsSubscriber<State>,
  next: Next,
  onLeftOut: OnLeftOut,
): MaybePromise<Result> {
  const kept: unknown[] = [];
  const refused: { readonly uri: unknown; readonly why: Fault }[] = [];
  const admitOne = (uri: unknown): MaybePromise<void> =>
    continueWith(
      () => (typeof uri === "string" ? admit(uri, call.context as Context<State>) : undefined),
      () => void kept.push(uri),
      (why) => {
        if (!(why instanceof Fault)) throw why;
        refused.push({ uri, why });
      },
    );
  // Synchronous if possible: the client's next message may already cause the change that it wants to hear of.
  const admitAll = (): MaybePromise<void> => {
    const uris = [...new Set(subscriptionsOf(call))];
    if (uris.length > MOST_LISTENED)
      throw new Fault(
        "invalid_input",
        `At most ${MOST_LISTENED} resources can be listened to in one request.`,
      );
    return uris.reduce<MaybePromise<void>>(
      (before, uri) => (before instanceof Promise ? before.then(() => admitOne(uri)) : admitOne(uri)),
      undefined,
    );
  };
  const listen = (): MaybePromise<Result> => {
    const [first] = refused;
    if (!first) return next(call);
    const { resourceSubscriptions: _, ...others } = call.params["notifications"] as Params;
    if (kept.length === 0 && !Object.values(others).some(asksForSomething)) throw first.why;
    const withUris = (resourceSubscriptions: readonly unknown[]): Call => ({
      ...call,
      params: { ...call.params, notifications: { ...others, resourceSubscriptions } },
    });
    const result = next(withUris(kept));
    onLeftOut(withUris(refused.map(({ uri }) => uri)), first.why);
    return result;
  };
  return continueWith(admitAll, listen, rethrow);
}

function callTool(
  call: Call,
  next: Next,
  firstResults: FirstResults,
  contract: GuidedContract,
  tool: CalledTool = {},
): MaybePromise<Result> {
  const toKind = (result: CallToolResult, timed: TimedCall): CallToolResult =>
    toKnownKind(result, timed, tool);
  return runInTime(call, contract, {
    ownTimeoutMs: tool.timeoutMs,
    // The deadline is outside: work that outlives it still counts as the first call, and must not be repeated.
    run: (timed) =>
      firstResults.run(
        timed,
        () => next(timed) as MaybePromise<CallToolResult>,
        (result) => toKind(result, timed),
      ),
    onResult: toKind,
    onThrown: (thrown) => {
      if (isOfTheProtocol(thrown, call.context)) throw thrown;
      return toFailedResult(thrown, contract);
    },
  });
}

/** Tools of the kit set the kind of a failure. If it is missing, the failure came from the core. */
function toKnownKind(result: CallToolResult, call: TimedCall, tool: CalledTool): CallToolResult {
  if (result.isError !== true || result._meta?.[ERROR_META] !== undefined) return result;
  const failure = result[FAILURE];
  if (failure?.at === "input") return withInvalidInput(result, call, tool);
  // A failure at "run" without a kind: the core found that the client lacks a capability the tool needs.
  return withKind(result, failure?.at === "run" ? "unsupported" : "internal");
}

interface TimedSteps<T> {
  /** The tool's own timeout. */
  readonly ownTimeoutMs?: number | undefined;
  readonly run: (call: TimedCall) => MaybePromise<T>;
  readonly onResult: (result: T, call: TimedCall) => T;
  readonly onThrown: (thrown: unknown) => T;
}

function runInTime<T extends Result>(
  call: Call,
  contract: GuidedContract,
  { ownTimeoutMs, run, onResult, onThrown }: TimedSteps<T>,
): MaybePromise<T> {
  try {
    const deadline = new Deadline(timeoutOf(call, contract, ownTimeoutMs), call.context);
    const context = new CallContext(call.context, deadline, limitOf(call.arguments, contract.maxResult));
    // No spread: it would be the slowest part of a small call.
    const { method, params, name, arguments: args, target } = call;
    const timed = { method, params, name, arguments: args, target, context };
    const result = run(timed);
    return result instanceof Promise
      ? deadline.watch(result, (settled) => onResult(settled, timed), onThrown)
      : onResult(result, timed);
  } catch (thrown) {
    return onThrown(thrown);
  }
}

function timeoutOf(
  { context }: Call,
  { timeoutMs, maxTimeoutMs }: GuidedContract,
  ownTimeoutMs: number | undefined,
): number {
  const asked = context.meta[TIMEOUT_META] ?? ownTimeoutMs;
  if (asked === undefined) return timeoutMs;
  if (typeof asked === "number" && asked >= 1) return Math.min(asked, maxTimeoutMs);
  throw new Fault("invalid_input", `_meta ${TIMEOUT_META} must be a number of milliseconds, at least 1.`);
}
