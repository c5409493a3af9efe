import { once } from "node:events";
import { Agent, type IncomingMessage, request, type Server as NodeHttpServer } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import type { Authorizer } from "../../../src/transport/http/authorization.ts";
import { toModernPost } from "./posting.ts";
import { connectTo, countConnections, listenerAt, serve } from "./serving.ts";

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
