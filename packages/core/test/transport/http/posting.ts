const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

type Fields = { readonly [name: string]: unknown };

export const toPost = (body: unknown, headers: { readonly [name: string]: string } = {}): RequestInit => ({
  method: "POST",
  headers: {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    ...headers,
  },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** A request of the modern era, with the headers that go with it. */
export function toModernPost(
  method: string,
  params: Fields,
  headers: Record<string, string> = {},
): RequestInit {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    ...(params["_meta"] as Fields | undefined),
  };
  const name = params["name"];
  return toPost(
    { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
    {
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
  );
}

type Send = (init: RequestInit) => Promise<Response>;

/** A session of the legacy era: what is posted in it, and what it is known by. */
export class PostedSession {
  readonly id: string;
  readonly #send: Send;
  readonly #headers: Record<string, string>;

  private constructor(send: Send, id: string, headers: Record<string, string>) {
    this.#send = send;
    this.id = id;
    this.#headers = { ...headers, "mcp-session-id": id };
  }

  static async open(
    send: Send,
    headers: Record<string, string> = {},
    protocolVersion: string = LEGACY,
  ): Promise<PostedSession> {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
    const response = await send(toPost({ jsonrpc: "2.0", id: 0, method: "initialize", params }, headers));
    await response.text();
    return new PostedSession(send, response.headers.get("mcp-session-id") ?? "", headers);
  }

  request(method: string, params: Fields = {}, id: string | number = 1): Promise<Response> {
    return this.post({ jsonrpc: "2.0", id, method, params });
  }

  notify(method: string, params: Fields): Promise<Response> {
    return this.post({ jsonrpc: "2.0", method, params });
  }

  post(body: unknown): Promise<Response> {
    return this.#send(toPost(body, this.#headers));
  }

  resume(lastEventId: string): Promise<Response> {
    const headers = { ...this.#headers, accept: "text/event-stream", "last-event-id": lastEventId };
    return this.#send({ method: "GET", headers });
  }

  delete(): Promise<Response> {
    return this.#send({ method: "DELETE", headers: this.#headers });
  }
}
