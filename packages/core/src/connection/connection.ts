import { INTERNAL_ERROR, ProtocolError, shorten, toErrorObject } from "../jsonrpc/error.ts";
import { PendingRequests } from "../jsonrpc/pending.ts";
import type { Result } from "../dispatch/call.ts";
import type { Question } from "../features/asking.ts";
import type { AskOptions } from "../features/context.ts";
import type { LogEntry } from "../features/logging.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import { personOf } from "../values/principal.ts";
import { ActiveRequest, checkProgressToken, type ActiveRequestPorts } from "./active-request.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { Change } from "./changes.ts";
import type { LegacySession } from "./legacy-session.ts";
import type { ListenStream } from "./listening.ts";
import { RequestsInFlight } from "./in-flight.ts";
import { LogGate } from "./log-gate.ts";
import type { NeutralRequest } from "./neutral-request.ts";
import type { Route } from "./reply-channel.ts";
import { CONNECTION_METHODS, type ConnectionState } from "./connection-methods.ts";
import { bringsAnswers, mayAsk, Replay } from "./replay.ts";

/** One connection: its requests in flight, its listen streams and, once a client has initialized it, its legacy session. */
export class Connection implements ActiveRequestPorts, ConnectionState {
  readonly runtime: ServerRuntime;
  readonly streams: Set<ListenStream> = new Set();
  isClosed = false;
  legacy: LegacySession | undefined;
  /** Questions to a legacy client. */
  readonly pending: PendingRequests;
  readonly #inFlight: RequestsInFlight;
  readonly #logGate: LogGate;

  constructor(runtime: ServerRuntime) {
    this.runtime = runtime;
    this.#inFlight = new RequestsInFlight(runtime, (active) => this.#run(active));
    this.pending = new PendingRequests(runtime.questionPrefix);
    this.#logGate = new LogGate(runtime.redact);
  }

  /** Listen streams do not count: they are open for as long as the connection is. */
  get isIdle(): boolean {
    return this.#inFlight.size === this.streams.size;
  }

  isHandling(id: unknown): boolean {
    return this.#inFlight.has(id);
  }

  handle(request: NeutralRequest): void {
    this.#inFlight.handle(new ActiveRequest(request, this));
  }

  cancel(id: unknown, reason: unknown): void {
    this.#inFlight.cancel(id, reason);
  }

  detach(active: ActiveRequest): void {
    this.#inFlight.detach(active);
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
        // Until the client listens, it misses no change, and could not be asked anything.
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

  /** Notifies the client of a change, if it wants to know. */
  emit(change: Change): void {
    const { legacy } = this;
    if (change.kind === "list") legacy?.notify(`notifications/${change.list}/list_changed`);
    else if (change.kind === "resource" && legacy?.subscriptions.notifies(change.uri))
      legacy.notify("notifications/resources/updated", { uri: change.uri });
    for (const stream of this.streams) stream.emit(change);
  }

  /** A message of the server itself, about no request: only legacy sessions allow those. */
  logUnprompted(entry: LogEntry): void {
    const passed = this.#logGate.pass(entry, this.legacy?.logLevel);
    if (passed) this.legacy?.notify("notifications/message", { ...passed });
  }

  log(active: ActiveRequest, entry: LogEntry): void {
    const { dialect, logLevel, route } = active.request;
    if (active.isCancelled || (active.isFinished && dialect.era === "modern")) return;
    const passed = this.#logGate.pass(entry, dialect.era === "modern" ? logLevel : this.legacy?.logLevel);
    if (!passed) return;
    // After the answer, its channel may be closed.
    if (active.isFinished) this.legacy?.notify("notifications/message", { ...passed });
    else route.channel.send({ jsonrpc: "2.0", method: "notifications/message", params: { ...passed } });
  }

  ask<T>(active: ActiveRequest, question: Question<T>, options: AskOptions | undefined): Promise<T> {
    const { request, task, becoming } = active;
    if (becoming) return becoming.then(() => this.ask(active, question, options));
    if (task) return task.ask(question, options?.key);
    if (mayAsk(request)) return this.#replayOf(active).ask(question, options?.key);
    if (request.dialect.era === "modern" || !this.legacy) {
      throw new Error(`The client cannot be asked anything during ${request.method}`);
    }
    return this.legacy.ask(active, question, options);
  }

  /** Ends everything: listen streams get their result, other work is aborted, pending questions are rejected. */
  close(reason: Error): void {
    this.isClosed = true;
    this.endStreams();
    this.#inFlight.abort(reason);
    this.pending.close(reason);
    this.legacy?.subscriptions.clear();
  }

  /** Listen streams get the result that says they ended on purpose (subscriptions#graceful-closure). */
  endStreams(): void {
    for (const stream of this.streams) stream.end();
  }

  #run(active: ActiveRequest): MaybePromise<Result> {
    const { request } = active;
    // Nothing would abort it any more.
    if (this.isClosed) throw new ProtocolError(INTERNAL_ERROR, "The connection is closed: open another one");
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
    if (answer) return dispatcher.around(method, params, active, (call) => answer(this, active, call));
    if (method === "completion/complete") this.#limitCompletions(active);
    return dispatcher.dispatch(method, params, active);
  }

  /** Per person: over HTTP, each modern request has its own connection. Callers without a principal count as one. */
  #limitCompletions({ principal = "" }: ActiveRequest): void {
    if (this.runtime.completions.take(personOf(principal), 1).tokens > 0) return;
    throw new ProtocolError(INTERNAL_ERROR, "Too many completions at once: ask again in a second");
  }
}
