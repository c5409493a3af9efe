import { INTERNAL_ERROR, invalidRequest, ProtocolError, shorten, toErrorObject } from "../jsonrpc/error.ts";
import type { JSONRPCResponse, Params, RequestId } from "../jsonrpc/message.ts";
import { PendingRequests } from "../jsonrpc/pending.ts";
import type { Result } from "../dispatch/call.ts";
import type { Question } from "../features/asking.ts";
import type { AskOptions, Notify } from "../features/context.ts";
import type { LogEntry } from "../features/logging.ts";
import { TokenBucket } from "../features/token-bucket.ts";
import type { ListKind } from "../model/capabilities.ts";
import type { MaybePromise } from "../model/maybe-promise.ts";
import { checkProgressToken, ActiveRequest, type ActiveRequestPorts } from "./active-request.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { News } from "./journal.ts";
import type { LegacySession } from "./legacy-session.ts";
import type { ListenStream } from "./listening.ts";
import { LogGate } from "./log-gate.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { Route } from "./reply-channel.ts";
import { CONNECTION_METHODS, type ConnectionState } from "./connection-methods.ts";
import { bringsAnswers, mayAsk, Replay } from "./replay.ts";
import type { Task } from "./task.ts";
import { mayBecomeTask } from "./tasks.ts";

const LISTEN = "subscriptions/listen";

/** Someone typing asks a few times a second; whoever asks more is not typing (completion#security). */
const COMPLETION_BURST = 200;
const COMPLETIONS_PER_SECOND = 100;

/** One connection: its requests in flight, its listen streams and, once a client has initialized it, its legacy session. */
export class Connection implements ActiveRequestPorts, ConnectionState {
  readonly runtime: ServerRuntime;
  readonly streams: Set<ListenStream> = new Set();
  legacy: LegacySession | undefined;
  readonly #inFlight = new Map<RequestId, ActiveRequest>();
  readonly #pending: PendingRequests;
  readonly #logGate: LogGate;
  #completions: TokenBucket | undefined;

  constructor(runtime: ServerRuntime) {
    this.runtime = runtime;
    // An answer may come in elsewhere, where others ask, too.
    this.#pending = new PendingRequests(runtime.replica.isAlone ? undefined : `${runtime.replica.id}-`);
    this.#logGate = new LogGate(runtime.redact);
  }

  get state(): unknown {
    return this.runtime.state;
  }

  get notify(): Notify {
    return this.runtime.notify;
  }

  /** Listen streams do not count: they are open for as long as the connection is. */
  get isIdle(): boolean {
    return this.#inFlight.size === this.streams.size;
  }

  handle(request: NeutralRequest): void {
    const active = new ActiveRequest(request, this);
    const refusal = this.#refusal(request.id);
    if (refusal) return this.#sendError(active, refusal);
    this.#inFlight.set(request.id, active);
    try {
      const result = this.#run(active);
      if (result instanceof Promise) {
        result.then(
          (settled) => this.#succeed(active, settled),
          (thrown: unknown) => this.#fail(active, thrown),
        );
      } else this.#succeed(active, result);
    } catch (thrown) {
      this.#fail(active, thrown);
    }
  }

  /** Aborts the work and keeps silent about it afterwards. What is unknown or done already is not an error. */
  cancel(id: unknown, reason: unknown): void {
    const active = this.#inFlight.get(id as RequestId);
    if (!active) return;
    this.#inFlight.delete(active.requestId);
    active.cancel(new Error(typeof reason === "string" ? reason : "The client cancelled the request"));
    active.request.route.channel.abandon?.(active.requestId);
  }

  /** Whether this response is to something that was asked here. */
  awaits({ id }: JSONRPCResponse): boolean {
    return id !== undefined && this.#pending.has(id);
  }

  receiveResponse(response: JSONRPCResponse): void {
    this.#pending.receiveResponse(response);
  }

  peerProgress(params: Params): void {
    this.#pending.progress(params);
  }

  listChanged(kind: ListKind): void {
    this.legacy?.notify(`notifications/${kind}/list_changed`);
    for (const stream of this.streams) stream.listChanged(kind);
  }

  resourceUpdated(uri: string): void {
    if (this.legacy?.subscriptions.tells(uri)) this.legacy.notify("notifications/resources/updated", { uri });
    for (const stream of this.streams) stream.resourceUpdated(uri);
  }

  /** Subscriptions were admitted with the roots that the client had: each has to pass the middleware again. */
  rootsChanged({ channel, unprompted = channel, ...from }: Route): void {
    const { legacy } = this;
    if (!legacy) return;
    legacy.rootsChanged();
    const { dialect, client } = legacy;
    const route = { channel: unprompted, ...from };
    const method = "resources/subscribe";
    void legacy.subscriptions.readmit({
      admit: async (uri) => {
        // Nobody misses a change while nobody listens, and a question would be asked of nobody.
        await unprompted.opened?.();
        const request = { id: uri, method, params: { uri }, route, dialect, client, logLevel: undefined };
        const active = new ActiveRequest(request, this);
        return this.runtime.dispatcher.around(method, request.params, active, () => ({}));
      },
      changed: (uri) => legacy.notify("notifications/resources/updated", { uri }),
      ended: (uri, why) => {
        legacy.keep?.({ unsubscribe: uri }).catch(() => undefined);
        const { message } = toErrorObject(why, this.runtime.report);
        this.logUnprompted({ level: "warning", data: `No longer subscribed to ${shorten(uri)}: ${message}` });
      },
    });
  }

  taskChanged(id: string): void {
    for (const stream of this.streams) stream.taskChanged(id);
  }

  /** Other news are for those who look after sessions and tasks. */
  hear(news: News): void {
    if (news.kind === "list") this.listChanged(news.list);
    else if (news.kind === "resource") this.resourceUpdated(news.uri);
    else if (news.kind === "task") this.taskChanged(news.id);
  }

  /** A message of the server itself, about no request: only legacy sessions have room for those. */
  logUnprompted(entry: LogEntry): void {
    const passed = this.#logGate.pass(entry, this.legacy?.logLevel);
    if (passed) this.legacy?.notify("notifications/message", { ...passed });
  }

  log(active: ActiveRequest, entry: LogEntry): void {
    const { dialect, logLevel, route } = active.request;
    if (active.isCancelled || (active.isFinished && dialect.era === "modern")) return;
    const passed = this.#logGate.pass(entry, dialect.era === "modern" ? logLevel : this.legacy?.logLevel);
    if (!passed) return;
    // After the answer, the way it took may be closed.
    if (active.isFinished) this.legacy?.notify("notifications/message", { ...passed });
    else route.channel.send({ jsonrpc: "2.0", method: "notifications/message", params: { ...passed } });
  }

  ask<T>(active: ActiveRequest, question: Question<T>, options: AskOptions | undefined): Promise<T> {
    const { request, task, becoming } = active;
    if (becoming) return becoming.then(() => this.ask(active, question, options));
    if (task) return task.ask(question, options?.key);
    if (mayAsk(request)) return this.#replayOf(active).ask(question, options?.key);
    if (request.dialect.era === "modern" || !this.legacy) {
      throw new Error(`Nothing can be asked of the client during ${request.method}`);
    }
    return this.legacy.ask(this.#pending, active, question, options);
  }

  /** Answers with a task where that is possible; the request then continues without this connection. */
  detach(active: ActiveRequest): void {
    const { request, isCancelled, isFinished, becoming } = active;
    const { catalog, tasks } = this.runtime;
    if (isCancelled || isFinished || becoming) return;
    const task = mayBecomeTask(request, catalog)
      ? tasks.create(request, (reason) => active.cancel(reason))
      : undefined;
    if (!task) return request.route.channel.detach?.();
    const kept = tasks.keep(task);
    if (!(kept instanceof Promise)) return this.#becomeTask(active, task);
    // What cannot be kept is answered when it is done.
    active.becoming = kept
      .then(
        () => this.#becomeTask(active, task),
        () => tasks.drop(task),
      )
      .finally(() => (active.becoming = undefined));
  }

  #becomeTask(active: ActiveRequest, task: Task): void {
    const { id, method, dialect, route } = active.request;
    const { tasks, info } = this.runtime;
    if (active.isCancelled || active.isFinished) return tasks.drop(task);
    active.task = task;
    this.#inFlight.delete(id);
    active.finish();
    const handle = { resultType: "task", ...task.describe() };
    route.channel.send({ jsonrpc: "2.0", id, result: dialect.encodeResult(method, handle, info) });
  }

  /** Ends everything: listen streams get their result, other work is aborted, nobody is left waiting. */
  close(reason: Error): void {
    this.endStreams();
    for (const [id, active] of this.#inFlight) {
      if (active.request.method === LISTEN) continue;
      this.#inFlight.delete(id);
      active.cancel(reason);
      active.request.route.channel.abandon?.(id);
    }
    this.#pending.close(reason);
    this.legacy?.subscriptions.clear();
  }

  /** Listen streams get the result that says they ended on purpose (subscriptions#graceful-closure). */
  endStreams(): void {
    for (const stream of this.streams) stream.end();
  }

  #refusal(id: RequestId): ProtocolError | undefined {
    if (this.#inFlight.has(id)) return invalidRequest("This id belongs to a request that is still in flight");
    const most = this.runtime.limits.requestsInFlight;
    if (this.#inFlight.size < most) return undefined;
    return new ProtocolError(INTERNAL_ERROR, `Too many requests in flight: at most ${most} at once`);
  }

  #run(active: ActiveRequest): MaybePromise<Result> {
    const { request } = active;
    checkProgressToken(request.params);
    if (!mayAsk(request)) return this.#dispatch(active);
    if (bringsAnswers(request)) return this.#runAgain(active);
    const running = this.#dispatch(active);
    return running instanceof Promise || active.replay ? this.#orQuestions(active, running) : running;
  }

  async #runAgain(active: ActiveRequest): Promise<Result> {
    await this.#replayOf(active).verify();
    return this.#orQuestions(active, this.#dispatch(active));
  }

  async #orQuestions(active: ActiveRequest, running: MaybePromise<Result>): Promise<Result> {
    try {
      const result = await running;
      return (active.replay && (await active.replay.toInputRequired())) ?? result;
    } catch (thrown) {
      const questions = await active.replay?.toInputRequired();
      if (questions) return questions;
      throw thrown;
    }
  }

  #replayOf(active: ActiveRequest): Replay {
    return (active.replay ??= new Replay(active.request, this.runtime.seal));
  }

  #dispatch(active: ActiveRequest): MaybePromise<Result> {
    const { method, params } = active.request;
    const { dispatcher } = this.runtime;
    const answer = CONNECTION_METHODS[method];
    if (answer) return dispatcher.around(method, params, active, () => answer(this, active));
    if (method === "completion/complete") this.#limitCompletions();
    return dispatcher.dispatch(method, params, active);
  }

  #limitCompletions(): void {
    this.#completions ??= new TokenBucket(COMPLETION_BURST, COMPLETIONS_PER_SECOND);
    if (this.#completions.take()) return;
    throw new ProtocolError(INTERNAL_ERROR, "Too many completions at once: ask again in a second");
  }

  #succeed(active: ActiveRequest, result: Result): void {
    // A task even where it is done before its handle was kept: what a client gets must not depend on the store.
    if (active.becoming) return void active.becoming.then(() => this.#succeed(active, result));
    // A process that ends before others know of a change must not have acknowledged it.
    const written = active.mayHaveNews ? this.runtime.journal.written() : undefined;
    active.mayHaveNews = false;
    if (written) return void written.then(() => this.#succeed(active, result));
    const { id, method, dialect, route } = active.request;
    if (!this.#isAwaited(active)) return;
    try {
      active.finish();
      const encoded = dialect.encodeResult(method, result, this.runtime.info);
      if (active.task) return active.task.complete(encoded);
      route.channel.send({ jsonrpc: "2.0", id, result: encoded });
    } catch (thrown) {
      // The result cannot be written as JSON: it has a cycle or a BigInt in it.
      this.#sendError(active, thrown);
    }
    if (method !== LISTEN) return;
    // The cancellation page wants this as well whenever a server ends a stream; after the result it can do no harm.
    const params = { requestId: id, reason: "The server is shutting down" };
    route.channel.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  #fail(active: ActiveRequest, thrown: unknown): void {
    if (active.becoming) return void active.becoming.then(() => this.#fail(active, thrown));
    if (!this.#isAwaited(active)) return;
    active.finish();
    this.#sendError(active, thrown);
  }

  /** Takes a request out of those in flight; an outcome that nobody waits for any more is dropped. */
  #isAwaited(active: ActiveRequest): boolean {
    return !active.isCancelled && (active.task !== undefined || this.#inFlight.delete(active.requestId));
  }

  #sendError({ request, task }: ActiveRequest, thrown: unknown): void {
    const { id, dialect, route } = request;
    const error = dialect.encodeError(toErrorObject(thrown, this.runtime.report));
    if (task) return task.fail(error);
    try {
      route.channel.send({ jsonrpc: "2.0", id, error });
    } catch (unwritable) {
      // An author's error data may be what no JSON can say.
      route.channel.send({ jsonrpc: "2.0", id, error: toErrorObject(unwritable, this.runtime.report) });
    }
  }
}
