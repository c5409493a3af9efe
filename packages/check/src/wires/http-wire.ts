import type { Fields, Message } from "./message.ts";
import { isModern, type Revision } from "./revisions.ts";
import { CLIENT, metaIn } from "./hearing.ts";
import { callHttp, type HttpCall, type HttpCallOptions } from "./http-call.ts";
import { RevisionRefused } from "./program-wire.ts";

export interface SendOptions {
  readonly id?: string | number;
  /** Merged over the revision's own; an undefined one is left out. */
  readonly headers?: { readonly [name: string]: string | undefined };
  readonly meta?: Fields;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

export interface HttpWireOptions {
  /** Go with every request. */
  readonly headers?: Record<string, string>;
  readonly timeoutMs?: number;
  /** Ends all that is still under way. */
  readonly signal?: AbortSignal;
}

const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

export const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** A raw client of Streamable HTTP in one revision: in the legacy era with a session, in the modern one without. */
export class HttpWire {
  readonly url: string;
  readonly revision: Revision;
  readonly #capabilities: object;
  readonly #options: HttpWireOptions;
  sessionId: string | undefined;
  /** What answered the handshake, where there was one. */
  opening: Message | undefined;
  #nextId = 1;

  private constructor(url: string, revision: Revision, capabilities: object, options: HttpWireOptions) {
    this.url = url;
    this.revision = revision;
    this.#capabilities = capabilities;
    this.#options = options;
  }

  /** `headers` go with the handshake; what follows brings its own. */
  static async open(
    url: string,
    revision: Revision,
    capabilities: object = {},
    headers: SendOptions["headers"] = {},
    options: HttpWireOptions = {},
  ): Promise<HttpWire> {
    const wire = new HttpWire(url, revision, capabilities, options);
    if (isModern(revision)) return wire;
    const params = { protocolVersion: revision, capabilities, clientInfo: CLIENT };
    const opening = await wire.send("initialize", params, { headers });
    // What stands before the server says so, in words of its own.
    if (opening.status === 401 || opening.status === 403) throw new Error(`HTTP ${opening.status}`);
    const { result } = await opening.answer();
    if (result?.["protocolVersion"] !== revision)
      throw new RevisionRefused(`No session in ${revision}: ${opening.text}`);
    wire.opening = opening.messages.at(-1);
    wire.sessionId = opening.headers["mcp-session-id"] as string;
    await wire.say({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
    return wire;
  }

  /** The same client, session and all, at another replica. */
  at(url: string): HttpWire {
    const wire = new HttpWire(url, this.revision, this.#capabilities, this.#options);
    wire.sessionId = this.sessionId;
    return wire;
  }

  /** Posts anything at all. */
  say(message: unknown, headers: SendOptions["headers"] = {}, signal?: AbortSignal): Promise<HttpCall> {
    const body = JSON.stringify(message);
    const all = this.#headers({ ...JSON_HEADERS, ...headers });
    return this.#call({ method: "POST", headers: all, body, signal });
  }

  /** Sends a request and waits for the headers of the answer. */
  send(
    method: string,
    params: Fields = {},
    { id, headers, meta, signal }: SendOptions = {},
  ): Promise<HttpCall> {
    const _meta = { ...this.meta(), ...meta };
    const hasMeta = Object.keys(_meta).length > 0;
    const message = {
      jsonrpc: "2.0",
      id: id ?? this.#nextId++,
      method,
      params: hasMeta ? { ...params, _meta } : params,
    };
    return this.say(message, { ...this.#mirrored(method, params), ...headers }, signal);
  }

  async request(method: string, params: Fields = {}, options: SendOptions = {}): Promise<Message> {
    return (await this.send(method, params, options)).answer();
  }

  callTool(name: string, args: Fields = {}, options: SendOptions = {}): Promise<Message> {
    return this.request("tools/call", { name, arguments: args }, options);
  }

  sendTool(name: string, args: Fields = {}, options: SendOptions = {}): Promise<HttpCall> {
    return this.send("tools/call", { name, arguments: args }, options);
  }

  /** The session's own stream, or the rest of another. */
  get(lastEventId?: string, headers: SendOptions["headers"] = {}): Promise<HttpCall> {
    const resume = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    return this.#call({ headers: this.#headers({ accept: "text/event-stream", ...resume, ...headers }) });
  }

  delete(headers: SendOptions["headers"] = {}): Promise<HttpCall> {
    return this.#call({ method: "DELETE", headers: this.#headers(headers) });
  }

  /** What every request of the modern era says. */
  meta(): Fields {
    return metaIn(this.revision, this.#capabilities);
  }

  #call({ signal, ...options }: HttpCallOptions): Promise<HttpCall> {
    const { timeoutMs, signal: all } = this.#options;
    const signals = [signal, all].filter((one) => one !== undefined);
    return callHttp(this.url, { timeoutMs, signal: AbortSignal.any(signals), ...options });
  }

  #mirrored(method: string, params: Fields): Record<string, string> {
    if (!isModern(this.revision)) return {};
    const name = params[NAMED_BY[method] ?? ""];
    return { "mcp-method": method, ...(typeof name === "string" && { "mcp-name": name }) };
  }

  #headers(given: { readonly [name: string]: string | undefined }): Record<string, string> {
    const isOpen = this.sessionId !== undefined || isModern(this.revision);
    const own = {
      ...this.#options.headers,
      ...(isOpen && this.revision !== "2025-03-26" && { "mcp-protocol-version": this.revision }),
      ...(this.sessionId !== undefined && { "mcp-session-id": this.sessionId }),
      ...given,
    };
    return Object.fromEntries(
      Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  }
}
