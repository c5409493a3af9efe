import {
  INTERNAL_ERROR,
  invalidRequest,
  outcomeUnknown,
  ProtocolError,
  toErrorObject,
} from "../jsonrpc/error.ts";
import { isRequestId, type RequestId } from "../jsonrpc/message.ts";
import type { Result } from "../dispatch/call.ts";
import type { MaybePromise } from "../values/maybe-promise.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { Task } from "./task.ts";
import { mayBecomeTask } from "./tasks.ts";

const LISTEN = "subscriptions/listen";

/** The requests of one connection from their arrival to their one answer: a result, an error, a task or, once cancelled, none. */
export class RequestsInFlight {
  readonly #runtime: ServerRuntime;
  readonly #run: (active: ActiveRequest) => MaybePromise<Result>;
  readonly #inFlight = new Map<RequestId, ActiveRequest>();

  constructor(runtime: ServerRuntime, run: (active: ActiveRequest) => MaybePromise<Result>) {
    this.#runtime = runtime;
    this.#run = run;
  }

  get size(): number {
    return this.#inFlight.size;
  }

  has(id: unknown): boolean {
    return this.#inFlight.has(id as RequestId);
  }

  handle(active: ActiveRequest): void {
    const refusal = this.#refusal(active.requestId);
    if (refusal) return this.#sendError(active, refusal);
    this.#inFlight.set(active.requestId, active);
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

  /** Aborts the work; the request then gets no answer. Unknown or finished requests are ignored. */
  cancel(id: unknown, reason: unknown): void {
    const active = isRequestId(id) ? this.#inFlight.get(id) : undefined;
    if (!active) return;
    this.#inFlight.delete(active.requestId);
    active.cancel(new Error(typeof reason === "string" ? reason : "The client cancelled the request"));
    active.request.route.channel.abandon?.(active.requestId);
  }

  /** Answers with a task where that is possible; the request then continues without this connection. */
  detach(active: ActiveRequest): void {
    const { request, isCancelled, isFinished, becoming } = active;
    const { catalog, tasks } = this.#runtime;
    if (isCancelled || isFinished || becoming) return;
    const task = mayBecomeTask(request, catalog)
      ? tasks.create(request, (reason) => active.cancel(reason))
      : undefined;
    if (!task) return request.route.channel.detach?.();
    const kept = tasks.keep(task);
    if (!(kept instanceof Promise)) return this.#becomeTask(active, task);
    // If the task cannot be stored, the request is answered when its work is done.
    active.becoming = kept
      .then(
        () => this.#becomeTask(active, task),
        () => tasks.drop(task),
      )
      .finally(() => (active.becoming = undefined));
  }

  /** Answers with an error, since the client still waits. Listen streams are not aborted: they end with a result. */
  abort(reason: Error): void {
    for (const [id, active] of this.#inFlight) {
      if (active.request.method === LISTEN) continue;
      this.#inFlight.delete(id);
      active.cancel(reason);
      active.finish();
      this.#sendError(active, outcomeUnknown(reason));
    }
  }

  #refusal(id: RequestId): ProtocolError | undefined {
    if (this.#inFlight.has(id)) return invalidRequest("Another request with this id is still in flight");
    const most = this.#runtime.limits.requestsInFlight;
    if (this.#inFlight.size < most) return undefined;
    return new ProtocolError(INTERNAL_ERROR, `Too many requests in flight: at most ${most} at once`);
  }

  #becomeTask(active: ActiveRequest, task: Task): void {
    const { id, method, dialect, route } = active.request;
    const { tasks, info } = this.#runtime;
    if (active.isCancelled || active.isFinished) return tasks.drop(task);
    active.task = task;
    this.#inFlight.delete(id);
    active.finish();
    const handle = { resultType: "task", ...task.describe() };
    route.channel.send({ jsonrpc: "2.0", id, result: dialect.encodeResult(method, handle, info) });
  }

  #succeed(active: ActiveRequest, result: Result, isStored = false): void {
    // A task even if the work is done before the handle is stored: what the client gets must not depend on the store's speed.
    if (active.becoming) return void active.becoming.then(() => this.#succeed(active, result));
    // A process that ends before others know of a change must not have acknowledged it.
    const stored = isStored ? undefined : this.#runtime.changes.stored?.(active);
    if (stored) return void stored.then(() => this.#succeed(active, result, true));
    const { id, method, dialect, route } = active.request;
    if (!this.#isAwaited(active)) return;
    try {
      active.finish();
      const encoded = dialect.encodeResult(method, result, this.#runtime.info);
      if (active.task) return active.task.complete(encoded);
      route.channel.send({ jsonrpc: "2.0", id, result: encoded });
    } catch (thrown) {
      // The result cannot be written as JSON: it has a cycle or a BigInt in it.
      this.#sendError(active, thrown);
    }
    if (method !== LISTEN) return;
    // The specification's cancellation page asks for this too when a server ends a stream; after the result it does no harm.
    const params = { requestId: id, reason: "The server has ended the stream" };
    route.channel.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  #fail(active: ActiveRequest, thrown: unknown): void {
    if (active.becoming) return void active.becoming.then(() => this.#fail(active, thrown));
    if (!this.#isAwaited(active)) return;
    active.finish();
    this.#sendError(active, thrown);
  }

  /** Removes a request from those in flight. False if its outcome is not wanted any more. */
  #isAwaited(active: ActiveRequest): boolean {
    return !active.isCancelled && (active.task !== undefined || this.#inFlight.delete(active.requestId));
  }

  #sendError({ request, task }: ActiveRequest, thrown: unknown): void {
    const { id, dialect, route } = request;
    const error = dialect.encodeError(toErrorObject(thrown, this.#runtime.report));
    if (task) return task.fail(error);
    try {
      route.channel.send({ jsonrpc: "2.0", id, error });
    } catch (unwritable) {
      // The data of an author's error may not be serializable as JSON.
      route.channel.send({ jsonrpc: "2.0", id, error: toErrorObject(unwritable, this.#runtime.report) });
    }
  }
}
