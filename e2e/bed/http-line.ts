import type { HttpCall } from "../http/http-call.ts";
import { HttpWire } from "../http/http-wire.ts";
import { Inbox } from "../support/inbox.ts";
import type { AnswerQuestion, ClientLine, RequestOptions } from "../support/line.ts";
import { type Fields, isAnswerTo, isRequest, type Message, type Predicate } from "../support/message.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { isModern, type Revision } from "../support/revisions.ts";

/** Streamable HTTP as if it were one line: all its answers and streams are heard in one place. */
export class HttpLine implements ClientLine {
  readonly heard: Message[] = [];
  readonly said: Message[] = [];
  readonly revision: Revision;
  readonly #wire: HttpWire;
  readonly #inbox = new Inbox();
  readonly #answers = new Map<string, AnswerQuestion>();
  readonly #controllers = new Map<unknown, AbortController>();
  #nextId = 1000;

  private constructor(wire: HttpWire) {
    this.#wire = wire;
    this.revision = wire.revision;
  }

  static async open(url: string, revision: Revision, capabilities: object): Promise<HttpLine> {
    const wire = await HttpWire.open(url, revision, capabilities);
    const line = new HttpLine(wire);
    if (wire.opening) {
      line.said.push({ jsonrpc: "2.0", id: wire.opening.id, method: "initialize", params: {} });
      line.heard.push(wire.opening);
      // A server need not have one.
      if (wire.sessionId !== undefined) line.#follow(wire.get());
    }
    return line;
  }

  send(method: string, params: Fields = {}, { meta, id = this.#nextId++ }: RequestOptions = {}): unknown {
    const _meta = { ...(params["_meta"] as Fields | undefined), ...meta };
    this.said.push({
      jsonrpc: "2.0",
      id,
      method,
      params: { ...params, _meta: { ...this.#wire.meta(), ..._meta } },
    });
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    const { signal } = controller;
    this.#follow(this.#wire.send(method, params, { id: id as number, meta: _meta, signal }), id);
    return id;
  }

  request(method: string, params: Fields = {}, options: RequestOptions = {}): Promise<Message> {
    return this.hear(isAnswerTo(this.send(method, params, options)));
  }

  notify(method: string, params?: Fields): void {
    this.said.push({ jsonrpc: "2.0", method, ...(params && { params }) });
    this.#follow(this.#wire.say({ jsonrpc: "2.0", method, params }));
  }

  /** In the modern era by closing the stream of its answer. */
  cancel(id: unknown): void {
    if (!isModern(this.revision)) return this.notify("notifications/cancelled", { requestId: id });
    this.#controllers.get(id)?.abort();
  }

  hear(fits: Predicate = () => true, timeoutMs: number = PATIENCE_MS): Promise<Message> {
    return this.#inbox.take(fits, timeoutMs);
  }

  async quiet(ms: number): Promise<readonly Message[]> {
    const before = this.heard.length;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.heard.slice(before);
  }

  answer(method: string, handler: AnswerQuestion): void {
    this.#answers.set(method, handler);
  }

  async end(): Promise<void> {
    if (this.#wire.sessionId !== undefined) await this.#wire.delete();
  }

  #follow(coming: Promise<HttpCall>, id?: unknown): void {
    const refuse = (reason: string): void => {
      if (id !== undefined) this.#inbox.add({ id, error: { code: 0, message: reason } });
    };
    const take = async (): Promise<void> => {
      const call = await coming;
      call.follow((message) => this.#receive(message));
      if (call.status < 400) return;
      // Where only HTTP says no, nobody should wait for JSON-RPC.
      await call.ended;
      if (call.messages.length === 0) refuse(`HTTP ${call.status}`);
    };
    take().catch((error: unknown) => refuse(String(error)));
  }

  #receive(message: Message): void {
    this.heard.push(message);
    this.#inbox.add(message);
    const handler = message.method === undefined ? undefined : this.#answers.get(message.method);
    if (handler && isRequest(message)) void this.#reply(message, handler);
  }

  async #reply({ id, params = {} }: Message, handler: AnswerQuestion): Promise<void> {
    this.#follow(this.#wire.say({ jsonrpc: "2.0", id, result: await handler(params) }));
  }
}
