import { INTERNAL_ERROR, invalidRequest, ProtocolError, toErrorObject } from "../jsonrpc/error.ts";
import type { JSONRPCResponse, Params, RequestId } from "../jsonrpc/message.ts";
import { PendingRequests } from "../jsonrpc/pending.ts";
import type { Result } from "../dispatch/call.ts";
import type { Question } from "../features/asking.ts";
import type { AskOptions, Notify } from "../features/context.ts";
import type { LogEntry } from "../features/logging.ts";
import { TokenBucket } from "../features/token-bucket.ts";
import type { ListKind } from "../model/capabilities.ts";
import type { MaybePromise } from "../model/maybe-promise.ts";
import { checkProgressToken, Exchange, type ExchangePorts } from "./exchange.ts";
import type { Host } from "./host.ts";
import type { LegacySession } from "./legacy-session.ts";
import type { ListenStream } from "./listening.ts";
import { LogGate } from "./log-gate.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import { OWN_METHODS, type SessionState } from "./own-methods.ts";
import { bringsAnswers, mayAsk, Replay } from "./replay.ts";
import type { Task } from "./task.ts";
import { mayBecomeTask } from "./tasks.ts";

const LISTEN = "subscriptions/listen";

/** Someone typing asks a few times a second; whoever asks more is not typing (completion#security). */
const COMPLETION_BURST = 200;
const COMPLETIONS_PER_SECOND = 100;

/** One connection: its requests in flight, its listen streams and, once a client has initialized it, its legacy session. */
export class Session implements ExchangePorts, SessionState {
  readonly host: Host;
  readonly streams: Set<ListenStream> = new Set();
  legacy: LegacySession | undefined;
  readonly #inFlight = new Map<RequestId, Exchange>();
  readonly #pending = new PendingRequests();
  readonly #logGate: LogGate;
  #completions: TokenBucket | undefined;

  constructor(host: Host) {
    this.host = host;
    this.#logGate = new LogGate(host.redact);
  }

  get state(): unknown {
    return this.host.state;
  }

  get notify(): Notify {
    return this.host.notify;
  }

  /** Listen streams do not count: they are open for as long as the connection is. */
  get isIdle(): boolean {
    return this.#inFlight.size === this.streams.size;
  }

  handle(request: NeutralRequest): void {
    const exchange = new Exchange(request, this);
    const refusal = this.#refusal(request.id);
    if (refusal) return this.#sendError(exchange, refusal);
    this.#inFlight.set(request.id, exchange);
    try {
      const result = this.#run(exchange);
      if (result instanceof Promise) {
        result.then(
          (settled) => this.#succeed(exchange, settled),
          (thrown: unknown) => this.#fail(exchange, thrown),
        );
      } else this.#succeed(exchange, result);
    } catch (thrown) {
      this.#fail(exchange, thrown);
    }
  }

  /** Aborts the work and keeps silent about it afterwards. What is unknown or done already is no error. */
  cancel(id: unknown, reason: unknown): void {
    const exchange = this.#inFlight.get(id as RequestId);
    if (!exchange) return;
    this.#inFlight.delete(exchange.requestId);
    exchange.cancel(new Error(typeof reason === "string" ? reason : "The client cancelled the request"));
    exchange.request.route.outlet.abandon?.(exchange.requestId);
  }

  settle(response: JSONRPCResponse): void {
    this.#pending.settle(response);
  }

  peerProgress(params: Params): void {
    this.#pending.progress(params);
  }

  listChanged(kind: ListKind): void {
    this.legacy?.notify(`notifications/${kind}/list_changed`);
    for (const stream of this.streams) stream.listChanged(kind);
  }

  resourceUpdated(uri: string): void {
    if (this.legacy?.subscriptions.has(uri)) this.legacy.notify("notifications/resources/updated", { uri });
    for (const stream of this.streams) stream.resourceUpdated(uri);
  }

  taskChanged(task: Task): void {
    for (const stream of this.streams) stream.taskChanged(task);
  }

  /** A message of the server itself, about no request: only legacy sessions have room for those. */
  logUnprompted(entry: LogEntry): void {
    const passed = this.#logGate.pass(entry, this.legacy?.logLevel);
    if (passed) this.legacy?.notify("notifications/message", { ...passed });
  }

  log(exchange: Exchange, entry: LogEntry): void {
    const { dialect, logLevel, route } = exchange.request;
    if (exchange.isCancelled || (exchange.isFinished && dialect.era === "modern")) return;
    const passed = this.#logGate.pass(entry, dialect.era === "modern" ? logLevel : this.legacy?.logLevel);
    if (!passed) return;
    // After the answer, the way it took may be closed.
    if (exchange.isFinished) this.legacy?.notify("notifications/message", { ...passed });
    else route.outlet.send({ jsonrpc: "2.0", method: "notifications/message", params: { ...passed } });
  }

  ask<T>(exchange: Exchange, question: Question<T>, options: AskOptions | undefined): Promise<T> {
    const { request, task } = exchange;
    if (task) return task.ask(question, options?.key);
    if (mayAsk(request)) return this.#replayOf(exchange).ask(question, options?.key);
    if (request.dialect.era === "modern" || !this.legacy) {
      throw new Error(`Nothing can be asked of the client during ${request.method}`);
    }
    return this.legacy.ask(this.#pending, exchange, question, options);
  }

  /** Answers with a task where that is possible; the exchange then goes on without this connection. */
  detach(exchange: Exchange): void {
    const { request, isCancelled, isFinished } = exchange;
    const { catalog, tasks, info } = this.host;
    if (isCancelled || isFinished) return;
    exchange.task = mayBecomeTask(request, catalog)
      ? tasks.create(request, (reason) => exchange.cancel(reason))
      : undefined;
    const { id, method, dialect, route } = request;
    if (!exchange.task) return route.outlet.detach?.();
    this.#inFlight.delete(id);
    exchange.finish();
    const handle = { resultType: "task", ...exchange.task.describe() };
    route.outlet.send({ jsonrpc: "2.0", id, result: dialect.encodeResult(method, handle, info) });
  }

  /** Ends everything: listen streams get their result, other work is aborted, nobody is left waiting. */
  close(reason: Error): void {
    this.endStreams();
    for (const [id, exchange] of this.#inFlight) {
      if (exchange.request.method === LISTEN) continue;
      this.#inFlight.delete(id);
      exchange.cancel(reason);
      exchange.request.route.outlet.abandon?.(id);
    }
    this.#pending.close(reason);
    this.legacy?.close(this.host.watching);
  }

  /** Listen streams get the result that says they ended on purpose (subscriptions#graceful-closure). */
  endStreams(): void {
    for (const stream of this.streams) stream.end();
  }

  #refusal(id: RequestId): ProtocolError | undefined {
    if (this.#inFlight.has(id)) return invalidRequest("This id belongs to a request that is still in flight");
    const most = this.host.limits.requestsInFlight;
    if (this.#inFlight.size < most) return undefined;
    return new ProtocolError(INTERNAL_ERROR, `Too many requests in flight: at most ${most} at once`);
  }

  #run(exchange: Exchange): MaybePromise<Result> {
    const { request } = exchange;
    checkProgressToken(request.params);
    if (!mayAsk(request)) return this.#dispatch(exchange);
    if (bringsAnswers(request)) return this.#runAgain(exchange);
    const running = this.#dispatch(exchange);
    return running instanceof Promise || exchange.replay ? this.#orQuestions(exchange, running) : running;
  }

  async #runAgain(exchange: Exchange): Promise<Result> {
    await this.#replayOf(exchange).verify();
    return this.#orQuestions(exchange, this.#dispatch(exchange));
  }

  async #orQuestions(exchange: Exchange, running: MaybePromise<Result>): Promise<Result> {
    try {
      const result = await running;
      return (exchange.replay && (await exchange.replay.toInputRequired())) ?? result;
    } catch (thrown) {
      const questions = await exchange.replay?.toInputRequired();
      if (questions) return questions;
      throw thrown;
    }
  }

  #replayOf(exchange: Exchange): Replay {
    return (exchange.replay ??= new Replay(exchange.request, this.host.seal));
  }

  #dispatch(exchange: Exchange): MaybePromise<Result> {
    const { method, params } = exchange.request;
    const { dispatcher } = this.host;
    const own = OWN_METHODS[method];
    if (own) return dispatcher.around(method, params, exchange, () => own(this, exchange));
    if (method === "completion/complete") this.#limitCompletions();
    return dispatcher.dispatch(method, params, exchange);
  }

  #limitCompletions(): void {
    this.#completions ??= new TokenBucket(COMPLETION_BURST, COMPLETIONS_PER_SECOND);
    if (this.#completions.take()) return;
    throw new ProtocolError(INTERNAL_ERROR, "Too many completions at once: ask again in a second");
  }

  #succeed(exchange: Exchange, result: Result): void {
    const { id, method, dialect, route } = exchange.request;
    if (!this.#isAwaited(exchange)) return;
    try {
      exchange.finish();
      const encoded = dialect.encodeResult(method, result, this.host.info);
      if (exchange.task) return exchange.task.complete(encoded);
      route.outlet.send({ jsonrpc: "2.0", id, result: encoded });
    } catch (thrown) {
      // The result cannot be written as JSON: it has a cycle or a BigInt in it.
      this.#sendError(exchange, thrown);
    }
    if (method !== LISTEN) return;
    // The cancellation page wants this as well whenever a server ends a stream; after the result it can do no harm.
    const params = { requestId: id, reason: "The server is shutting down" };
    route.outlet.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  #fail(exchange: Exchange, thrown: unknown): void {
    if (!this.#isAwaited(exchange)) return;
    exchange.finish();
    this.#sendError(exchange, thrown);
  }

  /** Takes a request out of those in flight; an outcome that nobody waits for any more is dropped. */
  #isAwaited(exchange: Exchange): boolean {
    return (
      !exchange.isCancelled && (exchange.task !== undefined || this.#inFlight.delete(exchange.requestId))
    );
  }

  #sendError({ request, task }: Exchange, thrown: unknown): void {
    const { id, dialect, route } = request;
    const error = dialect.encodeError(toErrorObject(thrown, this.host.report));
    if (task) return task.fail(error);
    try {
      route.outlet.send({ jsonrpc: "2.0", id, error });
    } catch (unwritable) {
      // An author's error data may be what no JSON can say.
      route.outlet.send({ jsonrpc: "2.0", id, error: toErrorObject(unwritable, this.host.report) });
    }
  }
}
