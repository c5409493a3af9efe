import { ProtocolError } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { PendingRequests } from "../jsonrpc/pending.ts";
import { InvalidAnswer, rootsQuestion, type Question } from "../features/asking.ts";
import type { AskOptions } from "../features/context.ts";
import type { Root } from "../model/asking.ts";
import type { ClientView } from "../model/capabilities.ts";
import type { LoggingLevel } from "../model/logging.ts";
import type { Dialect } from "./dialect.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { ReplyChannel } from "./reply-channel.ts";
import { Subscriptions } from "./subscriptions.ts";

/** A change to the state of a session. */
export type SessionChange =
  | { readonly subscribe: string }
  | { readonly unsubscribe: string }
  | { readonly logLevel: LoggingLevel };

interface SessionConnection {
  readonly runtime: ServerRuntime;
  readonly pending: PendingRequests;
}

/** What a connection remembers after `initialize`. The modern era has none of this. */
export class LegacySession {
  readonly dialect: Dialect;
  readonly client: ClientView;
  readonly subscriptions: Subscriptions;
  /** Until the client says otherwise (logging#setting-log-level leaves the start to the server). */
  logLevel: LoggingLevel = "info";
  /** Set if other replicas may continue the session: resolves once they know of the change. */
  keep: ((change: SessionChange) => Promise<void>) | undefined;
  readonly #channel: ReplyChannel;
  readonly #pending: PendingRequests;
  #isReady = false;
  #roots: readonly Root[] | undefined;
  #rootsChanges = 0;

  constructor(dialect: Dialect, client: ClientView, channel: ReplyChannel, connection: SessionConnection) {
    this.subscriptions = new Subscriptions(connection.runtime);
    this.#pending = connection.pending;
    this.dialect = dialect;
    this.client = client;
    this.#channel = channel;
  }

  markReady(): void {
    this.#isReady = true;
  }

  rootsChanged(): void {
    this.#roots = undefined;
    this.#rootsChanges += 1;
  }

  /** Before the client is ready it must be left alone (lifecycle#initialization). */
  notify(method: string, params?: Params): void {
    if (!this.#isReady) return;
    this.#channel.send(params ? { jsonrpc: "2.0", method, params } : { jsonrpc: "2.0", method });
  }

  async ask<T>(active: ActiveRequest, question: Question<T>, options?: AskOptions): Promise<T> {
    if (question.method !== rootsQuestion.method || !this.client.capabilities.roots?.listChanged) {
      return this.#send(active, question, options);
    }
    // Cached only if the client promised to announce changes. After a change in the meantime, they are asked for again.
    while (this.#roots === undefined) {
      const changes = this.#rootsChanges;
      const roots = await this.#send(active, rootsQuestion, options);
      if (changes === this.#rootsChanges) this.#roots = roots;
    }
    return this.#roots as T;
  }

  async #send<T>(active: ActiveRequest, question: Question<T>, options?: AskOptions): Promise<T> {
    if (!this.#isReady)
      throw new Error("The client has not finished its initialization and cannot be asked yet");
    const { method } = question;
    const params = this.dialect.encodeQuestion(method, question.params);
    const { channel } = active.request.route;
    const timeoutMs = options?.timeoutMs ?? question.timeoutMs;
    // No progress was requested, so none can extend the time-out (lifecycle#timeouts).
    const limits = { timeoutMs, longestMs: timeoutMs, signal: active.signal };
    try {
      return await question.readAnswer(await this.#pending.send(channel, method, () => params, limits));
    } catch (thrown) {
      // The client's error answers our question; it must not pass for our answer to the client's request.
      if (thrown instanceof InvalidAnswer || thrown instanceof ProtocolError) {
        throw new Error(thrown.message, { cause: thrown });
      }
      throw thrown;
    }
  }
}
