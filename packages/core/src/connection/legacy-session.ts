import { invalidParams, ProtocolError } from "../jsonrpc/error.ts";
import type { Params } from "../jsonrpc/message.ts";
import type { PendingRequests } from "../jsonrpc/pending.ts";
import { InvalidAnswer, rootsQuestion, type Question } from "../features/asking.ts";
import type { AskOptions } from "../features/context.ts";
import type { Watching } from "../features/watching.ts";
import type { Root } from "../model/asking.ts";
import type { ClientView } from "../model/capabilities.ts";
import type { LoggingLevel } from "../model/logging.ts";
import type { Dialect } from "./dialect.ts";
import type { ActiveRequest } from "./active-request.ts";
import type { ServerRuntime } from "./server-runtime.ts";
import type { ReplyChannel } from "./reply-channel.ts";

/** What a connection remembers after `initialize`. The modern era has none of this. */
export class LegacySession {
  readonly dialect: Dialect;
  readonly client: ClientView;
  readonly subscriptions: Set<string> = new Set();
  /** Until the client says otherwise (logging#setting-log-level leaves the start to the server). */
  logLevel: LoggingLevel = "info";
  readonly #channel: ReplyChannel;
  #isReady = false;
  #roots: readonly Root[] | undefined;
  #rootsChanges = 0;

  constructor(dialect: Dialect, client: ClientView, channel: ReplyChannel) {
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

  async ask<T>(
    pending: PendingRequests,
    active: ActiveRequest,
    question: Question<T>,
    options: AskOptions | undefined,
  ): Promise<T> {
    if (question.method !== rootsQuestion.method || !this.client.capabilities.roots?.listChanged) {
      return this.#send(pending, active, question, options);
    }
    // Kept only where the client promised to say when they change, and not if they did so on their way.
    const changes = this.#rootsChanges;
    const roots = this.#roots ?? (await this.#send(pending, active, rootsQuestion, options));
    if (changes === this.#rootsChanges) this.#roots = roots;
    return roots as T;
  }

  async #send<T>(
    pending: PendingRequests,
    active: ActiveRequest,
    question: Question<T>,
    options: AskOptions | undefined,
  ): Promise<T> {
    if (!this.#isReady)
      throw new Error("The client has not finished its initialization and cannot be asked yet");
    const { method } = question;
    const params = this.dialect.encodeQuestion(method, question.params);
    const { channel } = active.request.route;
    const timeoutMs = options?.timeoutMs ?? question.timeoutMs;
    // No progress was asked for, so none can buy the client more time (lifecycle#timeouts).
    const limits = { timeoutMs, longestMs: timeoutMs, signal: active.signal };
    try {
      return await question.readAnswer(await pending.send(channel, method, () => params, limits));
    } catch (thrown) {
      // The client's error is an answer to our question, not ours to its request: the author may do with it as he likes.
      if (thrown instanceof InvalidAnswer || thrown instanceof ProtocolError) {
        throw new Error(thrown.message, { cause: thrown });
      }
      throw thrown;
    }
  }

  subscribe(uri: string, { watching, limits }: ServerRuntime): void {
    if (this.subscriptions.has(uri)) return;
    if (this.subscriptions.size >= limits.subscriptions) {
      throw invalidParams(`At most ${limits.subscriptions} resources can be subscribed to at once`);
    }
    watching.acquire(uri);
    this.subscriptions.add(uri);
  }

  unsubscribe(uri: string, watching: Watching): void {
    if (this.subscriptions.delete(uri)) watching.release(uri);
  }

  close(watching: Watching): void {
    for (const uri of this.subscriptions) watching.release(uri);
    this.subscriptions.clear();
  }
}
