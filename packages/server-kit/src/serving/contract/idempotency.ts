import {
  FAILURE,
  STRUCTURED_IS_NOT_OBJECT,
  type Call,
  type CallToolResult,
  type MaybePromise,
} from "@suite/core";

import { Fault } from "../../domain/errors/fault.ts";
import { isObject } from "../../domain/text/json-value.ts";
import { digestOfArguments } from "./arguments-digest.ts";
import { ERROR_META } from "./failures.ts";
import type { CallContext } from "./call-context.ts";
import { identity } from "./continue-with.ts";
import { MemoryValues } from "./memory-values.ts";
import type { KitReplica } from "./settings.ts";
import { SharedResults } from "./shared-results.ts";
import { isDryRun } from "./tool.ts";

const IDEMPOTENCY_KEY = "dev.suite/idempotencyKey";
const LONGEST_KEY = 200;
const KEPT_MS = 60 * 60_000;

type Work = () => MaybePromise<CallToolResult>;
type ToStoredResult = (result: CallToolResult) => CallToolResult;

interface FirstCall<Result> {
  readonly digest: string;
  readonly result: Result;
}

interface KeyedCall {
  readonly place: string;
  readonly digest: string;
  readonly key: string;
  /** With a CallContext, which the contract layer gives every call. */
  readonly call: Call;
  readonly work: Work;
  readonly toStored: ToStoredResult;
}

/** Returns the first result for a repeated write, so that an agent that lost an answer can safely repeat the call. */
export class FirstResults {
  readonly #running = new Map<string, FirstCall<Promise<CallToolResult>>>();
  readonly #kept = new MemoryValues(KEPT_MS);
  readonly #shared: SharedResults | undefined;

  constructor(replica?: KitReplica) {
    this.#shared = replica && new SharedResults(replica, KEPT_MS);
  }

  /** `toStored` adds what a later call could not find out to the result that is kept. */
  run(call: Call, work: Work, toStored: ToStoredResult = identity): MaybePromise<CallToolResult> {
    const key = readKey(call);
    if (key === undefined) return work();
    const place = `first:${JSON.stringify([call.context.principal ?? "", call.name, key])}`;
    const digest = digestOfArguments(call.arguments ?? {});
    if (digest === undefined) throw new Fault("invalid_input", "The arguments are nested too deeply.");
    const keyed = { place, digest, key, call, work, toStored };
    const running = this.#running.get(place);
    if (running) {
      checkSame(running, keyed);
      return this.#join(running.result, keyed);
    }
    if (this.#shared) return this.#startShared(keyed, this.#shared);
    const kept = this.#find(place);
    if (!kept) return this.#start(keyed);
    checkSame(kept, keyed);
    return withMark(kept.result, call);
  }

  /** All callers get the outcome of the first call. If that threw or may be retried, the next one runs. */
  async #join(first: Promise<CallToolResult>, { call, work, toStored }: KeyedCall): Promise<CallToolResult> {
    const outcome = await first.catch(() => undefined);
    if (outcome && !mayBeRepeated(outcome)) return outcome;
    call.context.stop.throwIfAborted();
    return this.run(call, work, toStored);
  }

  #start({ place, digest, call, work, toStored }: KeyedCall): MaybePromise<CallToolResult> {
    const keep = (result: CallToolResult): CallToolResult =>
      this.#keep(place, { digest, result: toStored(result) }, call);
    const outcome = work();
    if (!(outcome instanceof Promise)) return keep(outcome);
    // A thrown value is not kept: it is a question to the client, or a protocol error.
    const result = outcome.finally(() => this.#running.delete(place)).then(keep);
    this.#running.set(place, { digest, result });
    return result;
  }

  /** Another replica may be running this call, or may have finished it: only the first to claim it runs it. */
  #startShared(keyed: KeyedCall, results: SharedResults): Promise<CallToolResult> {
    const { place, digest, call, work, toStored } = keyed;
    const context = call.context as CallContext;
    const shared = results.run(place, digest, {
      stop: context.stop,
      abort: (reason) => context.abort(reason),
      check: (first) => checkSame(first, keyed),
      async work(fence) {
        context.fence = fence;
        const result = await work();
        return mayBeRepeated(result)
          ? { result, isFinal: false }
          : { result: toStored(result), isFinal: true };
      },
    });
    const settled = shared.settled.then((result) => withMark(result, call));
    this.#running.set(place, { digest, result: settled });
    settled.catch(() => undefined).finally(() => this.#running.delete(place));
    return shared.answer.then((result) => withMark(result, call));
  }

  #keep(place: string, kept: FirstCall<CallToolResult>, { context: { principal } }: Call): CallToolResult {
    if (!mayBeRepeated(kept.result)) this.#kept.set(place, JSON.stringify(kept), principal);
    return kept.result;
  }

  #find(place: string): FirstCall<CallToolResult> | undefined {
    const text = this.#kept.get(place);
    return text !== undefined ? (JSON.parse(text) as FirstCall<CallToolResult>) : undefined;
  }
}

/** Restores the mark of structured content that is not an object, which is lost in the store's JSON. */
function withMark(result: CallToolResult, { target }: Call): CallToolResult {
  const isPlain = result.structuredContent === undefined || target?.kind !== "tool";
  return isPlain || target.entry.outputIsObject() ? result : { ...result, [STRUCTURED_IS_NOT_OBJECT]: true };
}

function checkSame(first: { readonly digest: string }, { digest, key }: KeyedCall): void {
  if (first.digest === digest) return;
  const message = `The idempotency key ${JSON.stringify(key)} was used with other arguments.`;
  throw new Fault("conflict", message, { hint: "Take a new key for a new call." });
}

/** Ignored for calls that change nothing: repeating them is safe. */
function readKey({ context, target, arguments: args }: Call): string | undefined {
  const key = context.meta[IDEMPOTENCY_KEY];
  if (
    key === undefined ||
    target?.kind !== "tool" ||
    target.entry.definition.effects === "read" ||
    isDryRun(args)
  )
    return undefined;
  if (typeof key === "string" && key !== "" && key.length <= LONGEST_KEY) return key;
  throw new Fault(
    "invalid_input",
    `_meta ${IDEMPOTENCY_KEY} must be a text of 1 to ${LONGEST_KEY} characters.`,
  );
}

/** Retryable failures and refused arguments are not kept, or the call could never succeed under this key. */
function mayBeRepeated({ isError, _meta, [FAILURE]: failure }: CallToolResult): boolean {
  const error = _meta?.[ERROR_META];
  return isError === true && (failure?.at === "input" || (isObject(error) && error["retryable"] === true));
}
