import { isObject, type Params, type RequestId } from "../jsonrpc/message.ts";
import type { LoggingLevel } from "../model/logging.ts";
import { META_LOG_LEVEL } from "../model/meta.ts";
import type { RunCallback } from "./callbacks.ts";
import { answer, type ClientHandlers } from "./handlers.ts";
import { toModernMeta, type Agreement, type OpeningOptions } from "./opening.ts";
import type { CallOptions } from "./options.ts";
import type { Peer } from "./peer.ts";
import type { ResultCache } from "./result-cache.ts";

/** A server that asks more often than this is not going to answer. */
const MOST_ROUNDS = 16;
/** A list with more pages is taken for endless. */
const MOST_PAGES = 1000;

/** Sends requests in the form of the agreed revision, including rounds of questions and all pages of a list. */
export class Requests {
  /** The level set last. In the modern era it is sent with every request that does not set its own. */
  logLevel: LoggingLevel | undefined;
  readonly #peer: Peer;
  readonly #agreement: Agreement;
  readonly #opening: OpeningOptions;
  readonly #handlers: ClientHandlers;
  readonly #call: RunCallback;
  readonly #cache: ResultCache | undefined;

  constructor(
    peer: Peer,
    agreement: Agreement,
    opening: OpeningOptions,
    handlers: ClientHandlers,
    call: RunCallback,
    cache?: ResultCache,
  ) {
    this.#peer = peer;
    this.#agreement = agreement;
    this.#opening = opening;
    this.#handlers = handlers;
    this.#call = call;
    this.#cache = cache;
  }

  /** What was kept of a method's results is not used again. */
  forget(method: string): void {
    this.#cache?.forget(method);
  }

  async send(method: string, params: Params = {}, options: CallOptions = {}): Promise<Params> {
    const kept = this.#cache?.find(method, params);
    if (kept) return kept;
    let answers: Params = {};
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const result = await this.#sendOnce(method, { ...params, ...answers }, options);
      // Servers before 2026-07-28 do not say what kind of result they send (basic#resulttype).
      const kind = result["resultType"] ?? "complete";
      if (kind === "complete") {
        this.#cache?.keep(method, params, result);
        return result;
      }
      if (kind === "task") return this.#follow(result, options);
      if (kind !== "input_required") throw new Error(`${method} was answered with an unknown kind of result`);
      const { requestState } = result;
      const inputResponses = await this.#answerQuestions(result["inputRequests"], options.signal);
      answers = {
        ...(inputResponses && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      };
    }
    throw new Error(`${method} asked for input ${MOST_ROUNDS} times without giving a result`);
  }

  /** All pages of a list. */
  async list<T>(method: string, key: string, options: CallOptions | undefined): Promise<readonly T[]> {
    const items: T[] = [];
    const seen = new Set<string>();
    let params: Params = {};
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const result = await this.send(method, params, options);
      for (const item of (result[key] ?? []) as readonly T[]) items.push(item);
      const { nextCursor } = result;
      if (typeof nextCursor !== "string") return items;
      if (seen.has(nextCursor)) throw new Error(`${method} returned the same cursor twice`);
      seen.add(nextCursor);
      params = { cursor: nextCursor };
    }
    throw new Error(`${method} returned ${MOST_PAGES} pages without coming to an end`);
  }

  /** The `_meta` that the revision wants on every request. */
  meta({ meta, logLevel = this.logLevel }: CallOptions = {}): Params {
    if (this.#agreement.era === "legacy") return meta ?? {};
    return {
      ...meta,
      ...toModernMeta(this.#agreement.revision, this.#opening),
      ...(logLevel && { [META_LOG_LEVEL]: logLevel }),
    };
  }

  #sendOnce(method: string, params: Params, options: CallOptions): Promise<Params> {
    const { signal, onProgress, timeoutMs = this.#opening.timeoutMs } = options;
    // A call with its own, longer time-out must not be cut off by the general limit.
    const { longestMs = Math.max(options.timeoutMs ?? 0, this.#opening.longestMs) } = options;
    const toParams = (id: RequestId): Params => {
      const meta = { ...this.meta(options), ...(onProgress && { progressToken: id }) };
      return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    };
    const tellProgress = onProgress && ((told: Params) => this.#call(() => onProgress(told)));
    return this.#peer.request(method, toParams, { timeoutMs, longestMs, signal, onProgress: tellProgress });
  }

  async #follow(handle: Params, options: CallOptions): Promise<Params> {
    const { followTask } = await import("./following.ts");
    const { signal, onTask, longestMs = Math.max(options.timeoutMs ?? 0, this.#opening.longestMs) } = options;
    const signals = signal ? [this.#peer.ended, signal] : [this.#peer.ended];
    return followTask(handle, {
      send: (method, params) => this.#sendOnce(method, params, {}),
      answer: (questions) => this.#answerQuestions(questions, signal),
      tell: (task) => onTask && this.#call(() => onTask(task)),
      until: (work) => untilAborted(signals, work),
      longestMs,
    });
  }

  async #answerQuestions(
    inputRequests: unknown,
    signal: AbortSignal | undefined,
  ): Promise<Params | undefined> {
    const questions = isObject(inputRequests) ? Object.entries(inputRequests) : [];
    // No request is pending in the peer meanwhile, so the end of the connection has to be watched here.
    const enders = signal ? [this.#peer.ended, signal] : [this.#peer.ended];
    const inputResponses = await untilAborted(enders, (aborting) =>
      Promise.all(
        questions.map(async ([key, question]) => {
          const { method, params = {} } = question as { method: string; params?: Params };
          return [key, await answer(this.#handlers, method, params, aborting)] as const;
        }),
      ),
    );
    return questions.length > 0 ? Object.fromEntries(inputResponses) : undefined;
  }
}

/** Rejects once one of the signals is aborted, whether or not the work then stops. */
async function untilAborted<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (const signal of signals) signal.throwIfAborted();
  const controller = new AbortController();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => {
      const reason: unknown = signals.find((signal) => signal.aborted)?.reason;
      controller.abort(reason);
      reject(reason);
    };
  });
  for (const signal of signals) signal.addEventListener("abort", abort);
  try {
    return await Promise.race([work(controller.signal), aborted]);
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  }
}
