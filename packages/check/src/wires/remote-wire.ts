import type { AnyWire, RequestOptions } from "./any-wire.ts";
import { Hearing } from "./hearing.ts";
import type { HttpCall } from "./http-call.ts";
import { HttpWire, type HttpWireOptions } from "./http-wire.ts";
import { type Fields, isResponse, type Message, type Predicate } from "./message.ts";
import { isModern, type Revision } from "./revisions.ts";

/** Streamable HTTP as if it were one wire: all its answers and streams are heard in one place. */
export class RemoteWire extends Hearing implements AnyWire {
  readonly said: Message[] = [];
  readonly revision: Revision;
  readonly #wire: HttpWire;
  readonly #controllers = new Map<unknown, AbortController>();
  /** Ends everything that is still open. */
  readonly #all: AbortController;
  #nextId = 1000;

  private constructor(wire: HttpWire, all: AbortController, timeoutMs: number | undefined) {
    super(timeoutMs);
    this.#wire = wire;
    this.#all = all;
    this.revision = wire.revision;
  }

  static async open(
    url: string,
    revision: Revision,
    capabilities: object,
    options: HttpWireOptions = {},
  ): Promise<RemoteWire> {
    const all = new AbortController();
    const wire = await HttpWire.open(url, revision, capabilities, {}, { ...options, signal: all.signal });
    const remote = new RemoteWire(wire, all, options.timeoutMs);
    if (wire.opening) {
      remote.said.push({ jsonrpc: "2.0", id: wire.opening.id, method: "initialize", params: {} });
      remote.heard.push(wire.opening);
      // A server need not have one.
      if (wire.sessionId !== undefined) remote.#follow(wire.get());
    }
    return remote;
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

  notify(method: string, params?: Fields): void {
    const message = { jsonrpc: "2.0", method, ...(params && { params }) };
    this.said.push(message);
    this.say(message);
  }

  say(message: Message): void {
    this.#follow(this.#wire.say(message));
  }

  /** In the modern era by closing the stream of its answer. */
  cancel(id: unknown): void {
    if (!isModern(this.revision)) return this.notify("notifications/cancelled", { requestId: id });
    this.#controllers.get(id)?.abort();
  }

  async end(): Promise<void> {
    try {
      if (this.#wire.sessionId !== undefined && !this.#all.signal.aborted) await this.#wire.delete();
    } finally {
      this.giveUp("The connection was closed");
    }
  }

  override giveUp(why: string): void {
    super.giveUp(why);
    this.#all.abort();
  }

  /** An id of another type is one of the things that are looked for. */
  protected override answersTo(id: unknown): Predicate {
    return (message) => isResponse(message) && String(message.id) === String(id);
  }

  #follow(coming: Promise<HttpCall>, id?: unknown): void {
    const refuse = (reason: string): void => {
      if (id !== undefined) this.deliver({ id, error: { code: 0, message: reason } });
    };
    const take = async (): Promise<void> => {
      const call = await coming;
      call.follow((message) => {
        if (this.weigh(0)) this.receive(message);
      });
      await call.ended;
      // Where only HTTP says no, nobody should wait for JSON-RPC; reading what is none throws.
      if (!this.weigh(call.text.length)) return;
      const isAnswered = call.messages.some((message) => "jsonrpc" in message || "id" in message);
      if (!isAnswered && call.status >= 400) refuse(`HTTP ${call.status}`);
    };
    take().catch((error: unknown) => refuse(String(error)));
  }
}
