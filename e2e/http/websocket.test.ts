import { request, type IncomingMessage } from "node:http";

import {
  isAnswerTo,
  isOf,
  type Message,
  META_CLIENT_CAPABILITIES,
  META_PROTOCOL_VERSION,
  PATIENCE_MS,
  type Predicate,
  until,
  within,
} from "@suite/check/wires";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";

import { serve, type Served } from "./serving.ts";

const addressOf = ({ url }: Served): string => url.replace(/^http/, "ws");

class SocketWire {
  readonly heard: Message[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;

  constructor(served: Served) {
    this.socket = new WebSocket(addressOf(served), "mcp");
    this.socket.on("message", (data: Buffer) => this.heard.push(JSON.parse(data.toString()) as Message));
    this.socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => this.socket.on("close", resolve));
    onTestFinished(() => this.socket.terminate());
  }

  async open(): Promise<this> {
    await new Promise((resolve, reject) => this.socket.once("open", resolve).once("error", reject));
    return this;
  }

  say(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  hear(fits: Predicate): Promise<Message> {
    return until(() => this.heard.find(fits), "A message of the kind");
  }

  async initialize(revision: string): Promise<Message> {
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "ws", version: "1" } };
    this.say({ jsonrpc: "2.0", id: "open", method: "initialize", params });
    const answer = await this.hear(isAnswerTo("open"));
    this.say({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }
}

const SERVING = { websocket: true };
const MODERN = { [META_PROTOCOL_VERSION]: "2026-07-28", [META_CLIENT_CAPABILITIES]: {} };

/** The answer to an upgrade that is not allowed. */
const refused = (
  served: Served,
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const asked = request({
      port: served.port,
      path,
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-protocol": "mcp",
        ...headers,
      },
    });
    asked.on("response", ({ statusCode }: IncomingMessage) => resolve(statusCode));
    asked.on("upgrade", (_response, socket) => (socket.destroy(), resolve(101)));
    asked.on("error", reject);
    asked.end();
  });

describe("WebSockets", () => {
  it("carry a session of either era, one message per frame", async () => {
    const served = await serve(SERVING);
    const wire = await new SocketWire(served).open();
    expect(wire.socket.protocol).toBe("mcp");
    expect((await wire.initialize("2025-11-25")).result?.["protocolVersion"]).toBe("2025-11-25");
    const params = { name: "progress", arguments: { steps: 2 }, _meta: { progressToken: "p" } };
    wire.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    await wire.hear(isAnswerTo(1));
    expect(wire.heard.filter(isOf("notifications/progress"))).toHaveLength(2);
    wire.say({ jsonrpc: "2.0", id: 2, method: "server/discover", params: { _meta: MODERN } });
    expect((await wire.hear(isAnswerTo(2))).result?.["resultType"]).toBe("complete");
  });

  it("answer what is no JSON, and bear with it", async () => {
    const served = await serve(SERVING);
    const wire = await new SocketWire(served).open();
    wire.socket.send("{");
    expect((await wire.hear(({ error }) => error !== undefined)).error?.code).toBe(-32700);
    wire.socket.send(Buffer.from([1, 2, 3]));
    await expect.poll(() => wire.heard.map(({ error }) => error?.code)).toEqual([-32700, -32700]);
    expect((await wire.initialize("2025-03-26")).result).toBeDefined();
  });

  it("keep sessions apart, and abort what runs when they close", async () => {
    const served = await serve(SERVING);
    const [one, two] = [await new SocketWire(served).open(), await new SocketWire(served).open()];
    await Promise.all([one.initialize("2025-11-25"), two.initialize("2024-11-05")]);
    one.say({ jsonrpc: "2.0", id: 1, method: "resources/subscribe", params: { uri: "demo:///counter" } });
    await one.hear(isAnswerTo(1));
    two.say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "count", arguments: {} } });
    await one.hear(isOf("notifications/resources/updated"));
    expect(two.heard.filter(isOf("notifications/resources/updated"))).toEqual([]);
    const slow = { name: "slow", arguments: { ms: 20_000, label: "socket" } };
    one.say({ jsonrpc: "2.0", id: 2, method: "tools/call", params: slow });
    await expect.poll(() => served.state.ran).toContain("socket");
    one.socket.close();
    await expect.poll(() => served.state.aborted).toEqual(["socket"]);
    expect(served.state.watches).toEqual({ started: 1, stopped: 1 });
  });

  it("are refused at the same door as everybody else", async () => {
    const served = await serve(SERVING);
    expect(await refused(served, "/mcp", {})).toBe(101);
    expect(await refused(served, "/mcp", { host: "evil.example.com" })).toBe(403);
    expect(await refused(served, "/mcp", { origin: "http://evil.example.com" })).toBe(403);
    expect(await refused(served, "/elsewhere", {})).toBe(404);
    expect(await refused(served, "/mcp", { "sec-websocket-protocol": "chat" })).toBe(400);
  });

  it("are off unless asked for", async () => {
    const served = await serve();
    expect(await refused(served, "/mcp", {})).not.toBe(101);
  });

  it("end with the server, listen streams with their result", async () => {
    const served = await serve(SERVING);
    const wire = await new SocketWire(served).open();
    const notifications = { toolsListChanged: true };
    wire.say({
      jsonrpc: "2.0",
      id: "ears",
      method: "subscriptions/listen",
      params: { notifications, _meta: MODERN },
    });
    await wire.hear(isOf("notifications/subscriptions/acknowledged"));
    await within(served.close(2 * PATIENCE_MS), "The socket kept it");
    expect(await wire.closed).toBe(1001);
    expect((await wire.hear(isAnswerTo("ears"))).result?.["resultType"]).toBe("complete");
  });

  it("cannot keep the server from going", async () => {
    const served = await serve({ ...SERVING, keepAliveMs: 30 });
    const wire = await new SocketWire(served).open();
    await wire.initialize("2025-11-25");
    await new Promise((resolve) => wire.socket.once("ping", resolve));
    // From now on it neither reads nor takes leave.
    wire.socket.pause();
    await expect(within(served.close(200), "The socket kept it")).resolves.toBeUndefined();
  });

  it("serve the official client", async () => {
    const served = await serve(SERVING);
    // The official transport wants the browser's class, which Node has only since version 22.
    vi.stubGlobal("WebSocket", WebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const client = new Client({ name: "socket", version: "1" });
    await client.connect(new WebSocketClientTransport(new URL(addressOf(served))));
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.length).toBeGreaterThan(3);
    const result = await client.callTool({ name: "slow", arguments: { ms: 1 } });
    expect(result.content).toEqual([{ type: "text", text: "waited 1 ms" }]);
  });
});
