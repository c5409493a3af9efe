import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Agent, type IncomingMessage, request, type Server as NodeHttpServer } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";

import { createFetchHandler, serveHttp, type HttpOptions, type HttpServing } from "../src/serve-http.ts";
import { defineTool } from "../src/features/tool.ts";
import { Replica } from "../src/connection/replica.ts";
import { createServer, type ServerConfig } from "../src/server.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import type { TakenTokens } from "../src/store/store.ts";
import type { Authorizer } from "../src/transport/http/authorization.ts";
import { settled } from "./transcript.ts";
import { PostedSession, toModernPost, toPost } from "./transport/http/posting.ts";

async function serve(
  options: HttpOptions,
  config: Partial<ServerConfig<unknown>> = {},
): Promise<HttpServing> {
  const server = createServer({ name: "t", version: "1", ...config });
  const serving = await serveHttp(server, options);
  onTestFinished(() => serving.close(0));
  return serving;
}

/** The status. The answer is read whole: otherwise its connection would stay open for good. */
async function ask(url: string | URL, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.text();
  return response.status;
}

const look = (url: string): Promise<number> => ask(new URL("/healthz", url));

/** Of node:http. */
async function listenerAt(url: string): Promise<NodeHttpServer | undefined> {
  let listener: NodeHttpServer | undefined;
  const note = (message: unknown): void => void (listener = (message as { server: NodeHttpServer }).server);
  subscribe("http.server.request.start", note);
  await look(url);
  unsubscribe("http.server.request.start", note);
  return listener;
}

const countConnections = (listener: NodeHttpServer | undefined): Promise<number> =>
  new Promise((resolve) => listener?.getConnections((_error, open) => resolve(open)));

/** A store that several have, and that answers later. */
class DistantStore extends MemoryStore {
  isSlow = false;
  readonly waiting: (() => void)[] = [];

  constructor() {
    super(true);
  }

  /** From now on it is quick. */
  answer(): void {
    this.isSlow = false;
    for (const answer of this.waiting.splice(0)) answer();
  }

  override take(...args: Parameters<MemoryStore["take"]>): never {
    return new Promise<TakenTokens>((resolve) => {
      const answer = (): void => resolve(super.take(...args));
      if (this.isSlow) this.waiting.push(answer);
      else setTimeout(answer);
    }) as never;
  }
}

/** A connection of a client that never hangs up itself. */
function connectTo(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  return socket.on("error", () => undefined);
}

const endless = defineTool({
  name: "endless",
  description: "Works until it is stopped.",
  run: async (_input, { signal }) => void (await once(signal, "abort")),
});

/** A call as it goes over the wire. */
function toCall(name: string, _meta: object = {}): string {
  const { headers, body } = toModernPost("tools/call", { name, _meta });
  const message = body as string;
  const lines = [...new Headers(headers)].map((line) => line.join(": "));
  const own = ["host: localhost", `content-length: ${message.length}`];
  return ["POST /mcp HTTP/1.1", ...own, ...lines, "", message].join("\r\n");
}

const toUpgrade = (protocol: string): string =>
  [
    "GET /mcp HTTP/1.1",
    "Host: localhost",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    `Sec-WebSocket-Protocol: ${protocol}`,
    "\r\n",
  ].join("\r\n");

describe("serveHttp", () => {
  it("speaks of its own options when it refuses to listen", async () => {
    await expect(serve({ host: "0.0.0.0" })).rejects.toThrow(/set an authorizer, or insecureNoAuth$/);
  });

  it.each([
    [{ prt: 3000 }, "HttpOptions has no member prt."],
    [{ port: -1 }, "HttpOptions: port must be a whole number from 0 to 2147483647"],
    [{ mostSessions: 0 }, "HttpOptions: mostSessions must be a whole number from 1 to 2147483647"],
    [{ perCaller: { request: 1 } }, "perCaller has no member request."],
  ])("refuses options that types would have refused: %j", async (options, message) => {
    await expect(serve(options as HttpOptions)).rejects.toThrow(message);
  });

  it("reports what goes wrong with its listener, and goes on", async () => {
    const failures: unknown[] = [];
    const { url } = await serve({}, { onError: (thrown) => failures.push(thrown) });
    const listener = await listenerAt(url);
    listener?.emit("error", new Error("accept ENFILE"));
    expect(failures).toMatchObject([{ message: "accept ENFILE" }]);
    expect(await look(url)).toBe(200);
  });

  it("limits the messages of WebSockets like those of requests", async () => {
    const { url } = await serve({ websocket: true, largestBody: 1000 });
    const socket = new WebSocket(url.replace("http:", "ws:"), "mcp");
    await once(socket, "open");
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "y".repeat(2000) } }));
    const [code] = (await once(socket, "close")) as [number];
    expect(code).toBe(1009);
  });
});

describe("what there is at a moment", () => {
  it("counts requests that wait for the one before them, until nobody waits any more", async () => {
    const serving = await serve({}, { tools: [endless] });
    const socket = connectTo(serving.port);
    for (let count = 0; count < 4; count += 1) socket.write(toCall("endless"));
    await expect.poll(() => serving.load.waitingRequests).toBe(3);
    socket.destroy();
    await expect.poll(() => serving.load.waitingRequests).toBe(0);
  });

  it("counts the bytes that a client has not read, and adds nothing to keep it alive", async () => {
    const length = 30 * 1024 * 1024;
    const talk = defineTool({
      name: "talk",
      description: "Says much.",
      async run(_input, { log, signal }) {
        log.info("x".repeat(length));
        await once(signal, "abort");
      },
    });
    const serving = await serve({ keepAliveMs: 1 }, { tools: [talk] });
    const socket = connectTo(serving.port).pause();
    const level = { "io.modelcontextprotocol/logLevel": "info" };
    socket.write(toCall("talk", level));
    await expect.poll(() => serving.load.unreadBytes).toBeGreaterThan(0);
    await settled();
    const { unreadBytes } = serving.load;
    expect(unreadBytes).toBeGreaterThan(0);
    expect(unreadBytes).toBeLessThanOrEqual(length + 1000);
    socket.destroy();
    await expect.poll(() => serving.load.unreadBytes).toBe(0);
  });
});

it("delivers an answer that is larger than what may pile up", async () => {
  const length = 17 * 1024 * 1024;
  const talk = defineTool({
    name: "talk",
    description: "Says something, and then much.",
    run(_input, { progress }) {
      progress(1);
      return "x".repeat(length);
    },
  });
  const serving = await serve({}, { tools: [talk] });
  const response = await fetch(
    serving.url,
    toModernPost("tools/call", { name: "talk", _meta: { progressToken: 1 } }),
  );
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect((await response.text()).length).toBeGreaterThan(length);
});

describe("what one client takes", () => {
  const LARGE = 8 * 1024 * 1024;
  const large = defineTool({ name: "large", description: "Says much.", run: () => "x".repeat(LARGE) });

  const serveLarge = (options: HttpOptions, store?: MemoryStore): Promise<HttpServing> =>
    serve(options, { tools: [large], ...(store && { replica: new Replica(store) }) });

  it("is no more for a body that comes byte by byte", async () => {
    const { port } = await serve({});
    const bodies = vi.spyOn(Buffer, "concat");
    onTestFinished(() => bodies.mockRestore());
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(20_000) });
    const socket = connectTo(port);
    const head = ["host: localhost", "content-type: application/json", "transfer-encoding: chunked"];
    const accept = "accept: application/json, text/event-stream";
    socket.write(["POST /mcp HTTP/1.1", ...head, accept, "", ""].join("\r\n"));
    socket.write(`${Array.from(message, (byte) => `1\r\n${byte}\r\n`).join("")}0\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    // Read whole, and refused for what it says.
    expect(String(answer)).toContain("Mcp-Session-Id is missing");
    const most = Math.max(...bodies.mock.calls.map(([parts]) => parts.length));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(message.length / 20);
  });

  it("is given back by those who left while they were being counted", async () => {
    const store = new DistantStore();
    const serving = await serveLarge({ requestsPerMinute: 60, mostRequests: 1 }, store);
    const listener = await listenerAt(serving.url);
    const others = await countConnections(listener);
    store.isSlow = true;
    const socket = connectTo(serving.port);
    socket.write(toCall("large"));
    await expect.poll(() => store.waiting.length).toBe(1);
    socket.destroy();
    await expect.poll(() => countConnections(listener)).toBe(others);
    store.answer();
    await settled();
    expect(serving.load.requests).toBe(0);
    expect(await ask(serving.url, toModernPost("tools/list", {}))).toBe(200);
  });

  it("counts until the answer has been read, in a session as well", async () => {
    const serving = await serveLarge({ mostRequests: 2 });
    const send = (init: RequestInit): Promise<Response> => fetch(serving.url, init);
    const session = await PostedSession.open(send);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "large" } });
    const { headers } = toPost(body, { "mcp-session-id": session.id });
    const lines = [...new Headers(headers), ["host", "localhost"], ["content-length", String(body.length)]];
    const post = ["POST /mcp HTTP/1.1", ...lines.map((line) => line.join(": ")), "", body].join("\r\n");
    const sockets = [connectTo(serving.port), connectTo(serving.port)];
    for (const socket of sockets) socket.pause().write(post);
    await expect.poll(() => serving.load.requests).toBe(2);
    await settled();
    expect((await session.request("ping")).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => serving.load.requests).toBe(0);
    expect((await session.request("ping")).status).toBe(200);
  });

  it.each([
    ["at hand", () => new MemoryStore()],
    ["elsewhere", () => new DistantStore()],
  ] as const)("of a minute is counted message by message on a WebSocket: %s", async (_where, store) => {
    const serving = await serveLarge({ requestsPerMinute: 5, websocket: true }, store());
    const socket = new WebSocket(serving.url.replace("http:", "ws:"), "mcp");
    await once(socket, "open");
    const heard: { readonly id: number; readonly error?: { readonly message: string } }[] = [];
    socket.on("message", (data: Buffer) => heard.push(JSON.parse(String(data)) as (typeof heard)[number]));
    for (let id = 1; id <= 7; id += 1) {
      const { body } = toModernPost("tools/list", {});
      socket.send(JSON.stringify({ ...(JSON.parse(body as string) as object), id }));
    }
    await expect.poll(() => heard.length).toBe(7);
    expect(heard.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(heard.filter(({ error }) => error).map(({ id }) => id)).toEqual([6, 7]);
    expect(heard[6]?.error?.message).toMatch(/^Too many requests: at most 5 a minute\. Try again in \d+ s$/);
    socket.close();
  });
});

describe("closing, with a connection that somebody keeps", () => {
  const CLOSE_MS = 600_000;

  /** However long a busy machine takes to send it, the last request comes in time. */
  function holdClock(): void {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
  }

  /** Sends requests over one connection, which is open already. */
  async function keepConnection(
    url: string,
  ): Promise<(method: string, params: { readonly [name: string]: unknown }) => Promise<IncomingMessage>> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const send = async (
      method: string,
      params: { readonly [name: string]: unknown },
    ): Promise<IncomingMessage> => {
      const { headers, body } = toModernPost(method, params);
      const outgoing = request(url, { method: "POST", headers: headers as Record<string, string>, agent });
      outgoing.end(body);
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      return response;
    };
    await text(await send("server/discover", {}));
    return send;
  }

  it("answers one more request, and ends the connection with that", async () => {
    const serving = await serve({});
    const listener = await listenerAt(serving.url);
    const send = await keepConnection(serving.url);
    holdClock();
    const closed = serving.close(CLOSE_MS);
    await expect.poll(() => listener?.listening).toBe(false);
    const last = await send("server/discover", {});
    expect(last).toMatchObject({ statusCode: 200, headers: { connection: "close" } });
    await text(last);
    await expect(send("server/discover", {})).rejects.toThrow("ECONNREFUSED");
    vi.useRealTimers();
    await closed;
  });

  it("ends a stream that begins only then with its result", async () => {
    const serving = await serve({});
    const send = await keepConnection(serving.url);
    holdClock();
    const closed = serving.close(CLOSE_MS);
    const ears = await send("subscriptions/listen", { notifications: { toolsListChanged: true } });
    vi.useRealTimers();
    expect(await text(ears)).toContain('"resultType":"complete"');
    await closed;
  });

  it("does not wait for ever for that request", async () => {
    const serving = await serve({});
    await keepConnection(serving.url);
    await expect(serving.close(CLOSE_MS)).resolves.toBeUndefined();
  });
});

describe("closing", () => {
  it("answers those who had connected before, though nobody knew of them", async () => {
    const serving = await serve({});
    const sockets = Array.from({ length: 20 }, () => connectTo(serving.port));
    const answers = sockets.map((socket) => text(socket).catch(String));
    for (const socket of sockets) socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    // The connections are made in this turn; the event loop has not looked at the listener yet.
    await new Promise((resolve) => process.nextTick(resolve));
    await serving.close(600_000);
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/\{"status":"(?:ok|draining)"\}/);
  });

  it("does not wait for somebody who is still being let in", async () => {
    let isAsked = false;
    const authorizer: Authorizer = {
      serve: () => false,
      authorize() {
        isAsked = true;
        return new Promise(() => undefined);
      },
      refuseScope: () => ({ status: 403, headers: {}, message: "" }),
    };
    const serving = await serve({ websocket: true, authorizer });
    const socket = connectTo(serving.port);
    const answer = text(socket);
    socket.write(toUpgrade("mcp"));
    await expect.poll(() => isAsked).toBe(true);
    await serving.close(0);
    expect(await answer).toBe("");
  });

  it("has let go of those who were refused, whether they hang up or not", async () => {
    const serving = await serve({ websocket: true });
    const listener = await listenerAt(serving.url);
    const socket = connectTo(serving.port);
    socket.write(toUpgrade("chat"));
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(String(answer)).toContain("400 Refused");
    listener?.closeIdleConnections();
    await expect.poll(() => countConnections(listener)).toBe(0);
  });

  it("does not wait for ever for a connection that somebody else holds", async () => {
    const serving = await serve({});
    const listener = await listenerAt(serving.url);
    const upgraded = once(listener as NodeHttpServer, "upgrade");
    connectTo(serving.port).write(toUpgrade("other"));
    const [, held] = (await upgraded) as [IncomingMessage, Socket];
    await expect(serving.close(0)).resolves.toBeUndefined();
    held.destroy();
  });
});

describe("createFetchHandler", () => {
  it.each(["2001:db8::1", "[2001:db8::1]", "2001:DB8:0:0:0:0:0:1"])("may be known as %s", async (host) => {
    const server = createServer({ name: "t", version: "1", state: {} });
    const handle = createFetchHandler(server, { allowedHosts: [host] });
    expect((await handle(new Request("http://[2001:db8::1]:8080/healthz"))).status).toBe(200);
    expect((await handle(new Request("http://[2001:db8::2]:8080/healthz"))).status).toBe(403);
  });

  it("closes: streams end with their result, and nobody is served any more", async () => {
    const handle = createFetchHandler(createServer({ name: "t", version: "1", state: {}, tools: [] }));
    const send = (method: string, params: { readonly [name: string]: unknown }): Promise<Response> =>
      handle(new Request("http://localhost/mcp", toModernPost(method, params)));
    const ears = await send("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await handle.close();
    expect(await ears.text()).toContain('"resultType":"complete"');
    expect((await send("tools/list", {})).status).toBe(503);
  });
});
