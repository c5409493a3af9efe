import { INTERNAL_ERROR } from "../../jsonrpc/error.ts";
import {
  isObject,
  isRequestId,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from "../../jsonrpc/message.ts";
import { parseJson } from "../../jsonrpc/parse-json.ts";
import type { Tool } from "../../model/entities.ts";
import type { Transport, TransportReceiver } from "../transport.ts";
import { RenewalError } from "./client-authorization.ts";
import { HttpCalls, type FetchTransportOptions, type AgreedSession } from "./http-calls.ts";
import { OLD_SERVER_STATUSES, OldSseLine } from "./old-sse-line.ts";
import { MirroredHeaders } from "./mirrored-headers.ts";
import { isEventStream, readJson } from "./response-reading.ts";
import { followStream } from "./stream-following.ts";

type Outgoing = JSONRPCMessage | readonly JSONRPCMessage[];

const CANCELLED = "notifications/cancelled";
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" } as const;

/**
 * The client's side of Streamable HTTP, in both eras: each message is a POST of its own, answers come as JSON or as events. With
 * servers that know only HTTP+SSE, it speaks that.
 */
export class FetchTransport implements Transport {
  readonly #calls: HttpCalls;
  readonly #warn: (message: string) => void;
  /** What closing aborts. Not by AbortSignal.any: Node 20 keeps what depends on a signal for as long as that signal lives. */
  readonly #open = new Set<AbortController>();
  #isClosed = false;
  readonly #mirrored = new MirroredHeaders();
  readonly #requests = new Map<RequestId, AbortController>();
  /** Requests that wait for the opening: the server has not heard of them yet. */
  readonly #queued = new Set<RequestId>();
  #receiver: TransportReceiver | undefined;
  #initialize: JSONRPCRequest | undefined;
  #renewals = 0;
  /** To a server of 2024-11-05. */
  #old: OldSseLine | undefined;
  /** Aborts the standalone stream of the current session. */
  #listening = new AbortController();
  /** The end of the handshake, which all other messages wait for. */
  #opening: Promise<void> = Promise.resolve();

  constructor(url: string | URL, options: FetchTransportOptions = {}) {
    this.#calls = new HttpCalls(url, options);
    this.#warn = options.onWarning ?? (() => undefined);
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
  }

  send(message: Outgoing): void {
    const body = JSON.stringify(message);
    const method = "method" in message ? message.method : undefined;
    if (method === CANCELLED) void this.#cancel(message as JSONRPCMessage, body);
    else if (method === INITIALIZED.method) this.#opening = this.#complete();
    else void this.#postInTurn(message, body);
  }

  admitTools(tools: readonly Tool[]): readonly Tool[] {
    return this.#calls.session ? tools : this.#mirrored.admit(tools, this.#warn);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#open) controller.abort();
    if (this.#calls.session?.id !== undefined) {
      // Polite, not necessary: an abandoned session expires by itself.
      await this.#calls.delete(AbortSignal.timeout(1000)).catch(() => undefined);
    }
    this.#receiver?.closed();
    this.#receiver = undefined;
  }

  /** Modern era: closing the response cancels (streamable-http#cancellation). Legacy era: the notification must be sent. */
  async #cancel(message: JSONRPCMessage, body: string): Promise<void> {
    const id = "params" in message ? message.params?.["requestId"] : undefined;
    if (isRequestId(id) && this.#queued.delete(id)) return;
    const controller = isRequestId(id) ? this.#requests.get(id) : undefined;
    if (this.#calls.session) await this.#post(message, body);
    controller?.abort();
  }

  /** Nothing may overtake the end of the handshake, and only after it can the standalone stream be opened. */
  async #complete(): Promise<void> {
    await this.#post(INITIALIZED, JSON.stringify(INITIALIZED));
    if (!this.#old) void this.#listen();
  }

  async #postInTurn(message: Outgoing, body: string): Promise<void> {
    const request = toRequest(message);
    if (request) this.#queued.add(request.id);
    await this.#opening;
    if (!request || this.#queued.delete(request.id)) await this.#post(message, body);
  }

  async #post(message: Outgoing, body: string, mayRenew = true): Promise<void> {
    const request = toRequest(message);
    if (request?.method === "initialize") this.#initialize = request;
    const { session } = this.#calls;
    const controller = this.#begin();
    const { signal } = controller;
    if (request) this.#requests.set(request.id, controller);
    try {
      if (this.#old) return await this.#old.post(body, signal);
      const hold = request && ((isHeld: boolean) => this.#receiver?.held?.(request.id, isHeld));
      const response = await this.#calls.post(body, this.#mirrored.of(message), signal, hold);
      if (response.status === 404 && request && session?.id !== undefined && mayRenew) {
        await response.body?.cancel();
        await this.#renew(session);
        signal.throwIfAborted();
        return await this.#post(message, body, false);
      }
      await this.#readAnswer(response, request, signal);
    } catch (thrown) {
      if (signal.aborted || !request) return;
      if (thrown instanceof RenewalError) this.#receiver?.failed?.(request.id, thrown.reason);
      else this.#fail(request.id, describe(thrown));
    } finally {
      this.#open.delete(controller);
      if (request) this.#requests.delete(request.id);
    }
  }

  #begin(): AbortController {
    const controller = new AbortController();
    if (this.#isClosed) controller.abort();
    else this.#open.add(controller);
    return controller;
  }

  async #readAnswer(
    response: Response,
    request: JSONRPCRequest | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const sessionId = response.headers.get("mcp-session-id") ?? undefined;
    if (!isEventStream(response)) {
      const body = await readJson(response);
      if (request?.method === "initialize" && isFromOldServer(response.status, body)) {
        if (await this.#openOld(request)) return;
      }
      if (this.#deliver(body, request, sessionId)) return;
      return this.#fail(request?.id, `The server answered with HTTP status ${response.status}`);
    }
    const isAnswered = await followStream(response, {
      signal,
      take: (data) => this.#deliver(parseJson(data), request, sessionId),
      reconnect: (lastEventId) => this.#calls.get(lastEventId, signal),
      resumes: this.#calls.session ? "by-id" : "never",
    });
    if (!isAnswered) this.#fail(request?.id, "The stream ended before the answer came");
  }

  /** Tries the transport of 2024-11-05 (streamable-http#backward-compatibility). False if the server does not speak it either. */
  async #openOld(initialize: JSONRPCRequest): Promise<boolean> {
    const { signal } = this.#begin();
    const take = (data: string): void => void this.#deliver(parseJson(data), initialize);
    const ended = (): void => {
      if (this.#old && !this.#isClosed) this.#receiver?.closed(new Error("the server ended its stream"));
    };
    this.#old = await OldSseLine.open(this.#calls, signal, take, ended);
    await this.#old?.post(JSON.stringify(initialize), signal);
    return this.#old !== undefined;
  }

  /** Passes a message on, and says whether it was the last for `request`. */
  #deliver(body: unknown, request: JSONRPCRequest | undefined, sessionId?: string): boolean {
    if (!Array.isArray(body) && !(isObject(body) && body["jsonrpc"] === "2.0")) return false;
    // Errors need not repeat the request's id; the response they came in says whose they are.
    const isAnonymous = isObject(body) && body["error"] !== undefined && (body["id"] ?? null) === null;
    const value = isAnonymous && request ? { ...body, id: request.id } : body;
    const isAnswer = isObject(value) && value["method"] === undefined && value["id"] === request?.id;
    if (isAnswer && request?.method === "initialize" && isObject(value["result"])) {
      this.#calls.session = { id: sessionId, version: String(value["result"]["protocolVersion"]) };
    }
    this.#receiver?.message(value);
    return isAnswer || endsSubscription(value, request);
  }

  /** Legacy era: follows the standalone stream, for messages that concern no request, if the server offers one. */
  async #listen(): Promise<void> {
    this.#listening.abort();
    this.#open.delete(this.#listening);
    const { signal } = (this.#listening = this.#begin());
    const { session } = this.#calls;
    const reconnect = async (lastEventId: string | undefined): Promise<Response> => {
      await this.#opening;
      const response = await this.#calls.get(lastEventId, signal);
      if (response.status !== 404 || session?.id === undefined) return response;
      await response.body?.cancel();
      await this.#renew(session);
      throw new Error("The session was lost");
    };
    const first = await this.#calls.get(undefined, signal).catch(() => undefined);
    const take = (data: string): boolean => this.#deliver(parseJson(data), undefined) && false;
    // Fails when the client is closed, or listens to another session.
    await followStream(first, { signal, take, reconnect, resumes: "always" }).catch(() => undefined);
  }

  /** The server has forgotten the session: a new one takes its place (2025-11-25 transports#session-management). */
  #renew(lost: AgreedSession): Promise<void> {
    if (this.#calls.session === lost) {
      this.#opening = this.#reopen(lost);
    }
    return this.#opening;
  }

  async #reopen(lost: AgreedSession): Promise<void> {
    if (!this.#initialize) return;
    this.#calls.session = undefined;
    this.#renewals += 1;
    // An id that no caller waits for: only `#deliver` uses the answer, to set the session.
    const message = { ...this.#initialize, id: `renewal-${this.#renewals}` };
    await this.#post(message, JSON.stringify(message), false);
    // With the lost session, the next request gets a 404 and tries to renew it again.
    if (!this.#calls.session) return void (this.#calls.session = lost);
    await this.#complete();
    this.#receiver?.renewed?.();
  }

  #fail(id: RequestId | undefined, message: string): void {
    if (id === undefined) return;
    this.#receiver?.message({ jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message } });
  }
}

/** A server that ends a subscription may say so with this alone, and leave the stream open (cancellation). */
const endsSubscription = (value: unknown, request: JSONRPCRequest | undefined): boolean =>
  request?.method === "subscriptions/listen" &&
  isObject(value) &&
  value["method"] === CANCELLED &&
  isObject(value["params"]) &&
  value["params"]["requestId"] === request.id;

const toRequest = (message: Outgoing): JSONRPCRequest | undefined =>
  "method" in message && "id" in message ? message : undefined;

/** A newer one repeats the id of the request that it refuses. */
const isFromOldServer = (status: number, body: unknown): boolean =>
  OLD_SERVER_STATUSES.has(status) && (!isObject(body) || (body["id"] ?? null) === null);

function describe(thrown: unknown): string {
  const { message, cause } = thrown as Error & { readonly cause?: { readonly code?: string } & Error };
  return `The server cannot be reached: ${cause?.code ?? cause?.message ?? message}`;
}
