import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";

import { PATIENCE_MS } from "@suite/check/wires";

const REVISION = { legacy: "2025-11-25", modern: "2026-07-28" } as const;
const WATCHED = "load://watched";
const META = {
  "io.modelcontextprotocol/protocolVersion": REVISION.modern,
  "io.modelcontextprotocol/clientInfo": { name: "load", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Exchange {
  readonly outgoing: ClientRequest;
  readonly response: IncomingMessage;
}

/** A stream that stays open; `close` hangs up. */
export interface OpenStream {
  readonly response: IncomingMessage;
  close(): void;
}

/** The least of an HTTP client that can hold a thousand streams open without weighing more than the server under test. */
export class HttpPeer {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4000 });
  #nextId = 1;

  constructor(port: number) {
    this.#port = port;
  }

  /** The text of a tool's answer. */
  async call(name: string, args: object, session?: string): Promise<string> {
    const response = await this.#post("tools/call", { name, arguments: args }, session);
    const body = await readAll(response);
    const data = body.startsWith("{") ? body : (/^data: (\{.*"result".*\})$/m.exec(body)?.[1] ?? "");
    const answer = JSON.parse(data) as { result?: { content?: { text?: string }[] } };
    const text = answer.result?.content?.[0]?.text;
    if (text === undefined) throw new Error(`Not an answer: ${body.slice(0, 200)}`);
    return text;
  }

  async openSession(): Promise<string> {
    const params = {
      protocolVersion: REVISION.legacy,
      capabilities: {},
      clientInfo: { name: "load", version: "1" },
    };
    const response = await this.#send(
      { jsonrpc: "2.0", id: this.#nextId++, method: "initialize", params },
      {},
    );
    await readAll(response);
    const session = response.headers["mcp-session-id"];
    if (typeof session !== "string") throw new Error("No session was opened");
    const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
    await readAll(await this.#send(ready, { "mcp-session-id": session }));
    return session;
  }

  /** The stream of a session for what concerns no request. */
  async openSessionStream(session: string): Promise<OpenStream> {
    const headers = { accept: "text/event-stream", "mcp-session-id": session };
    return toOpenStream(await this.#exchange("GET", headers));
  }

  async listen(): Promise<OpenStream> {
    const notifications = { toolsListChanged: true, resourceSubscriptions: [WATCHED] };
    return this.stream("subscriptions/listen", { notifications });
  }

  /** A modern request whose answer is a stream. */
  async stream(method: string, params: object, meta: object = {}): Promise<OpenStream> {
    const body = {
      jsonrpc: "2.0",
      id: this.#nextId++,
      method,
      params: { ...params, _meta: { ...META, ...meta } },
    };
    return toOpenStream(await this.#exchange("POST", this.#headers(body, undefined), JSON.stringify(body)));
  }

  async endSession(session: string): Promise<void> {
    const { response } = await this.#exchange("DELETE", { "mcp-session-id": session });
    const text = await readAll(response);
    if (response.statusCode !== 204) throw new Error(`The session was not ended: ${text}`);
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(method: string, params: object, session: string | undefined): Promise<IncomingMessage> {
    const meta = session === undefined ? { _meta: META } : {};
    return this.#send(
      { jsonrpc: "2.0", id: this.#nextId++, method, params: { ...params, ...meta } },
      session === undefined ? {} : { "mcp-session-id": session },
    );
  }

  async #send(message: object, headers: Record<string, string>): Promise<IncomingMessage> {
    const all = { ...this.#headers(message, headers["mcp-session-id"]), ...headers };
    return (await this.#exchange("POST", all, JSON.stringify(message))).response;
  }

  #headers(message: object, session: string | undefined): Record<string, string> {
    const { method, params } = message as { method: string; params?: { name?: string; _meta?: object } };
    const isModern = session === undefined && params?.["_meta"] !== undefined;
    return {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(isModern && { "mcp-protocol-version": REVISION.modern, "mcp-method": method }),
      ...(isModern && params?.name !== undefined && { "mcp-name": params.name }),
    };
  }

  /** Sends a request, and waits for the headers of the answer. */
  async #exchange(method: string, headers: Record<string, string>, body?: string): Promise<Exchange> {
    const outgoing = request({
      host: "127.0.0.1",
      port: this.#port,
      path: "/mcp",
      method,
      headers,
      agent: this.#agent,
    });
    outgoing.end(body);
    try {
      return { outgoing, response: await answered(outgoing) };
    } catch (thrown) {
      // The server was just closing a connection that nobody had used for a while, and has not read the request.
      if (!outgoing.reusedSocket || (thrown as NodeJS.ErrnoException).code !== "ECONNRESET") throw thrown;
      return this.#exchange(method, headers, body);
    }
  }
}

function toOpenStream({ outgoing, response }: Exchange): OpenStream {
  if (response.statusCode !== 200) throw new Error(`The stream was refused: ${response.statusCode}`);
  // Hanging up is what these streams are for; it must not count as a failure of this process.
  outgoing.on("error", () => undefined);
  response.on("error", () => undefined);
  return { response, close: () => void outgoing.destroy() };
}

async function answered(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(outgoing, "response", { signal: AbortSignal.timeout(PATIENCE_MS) })) as [
    IncomingMessage,
  ];
  return response;
}

async function readAll(response: IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}
