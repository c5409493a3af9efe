import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

import { createAuthorizer } from "@suite/auth";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";

import type { Outbound } from "../../../src/outbound.ts";
import { reachSites } from "./web.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

interface Peer {
  readonly port: number;
  readonly host: string;
  readonly sockets: Socket[];
  /** The first bytes on a new connection are given to it. */
  hear: (socket: Socket, heard: string) => void;
}

/** Speaks no HTTP of its own. */
async function openPeer(hear: Peer["hear"] = () => undefined): Promise<Peer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => peer.hear(socket, bytes.toString("latin1")));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const peer: Peer = { port, host: `127.0.0.1:${port}`, sockets, hear };
  undo.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return peer;
}

function reach(peer: Peer, options: Parameters<typeof reachSites>[1] = {}): Outbound {
  const { outbound } = reachSites([], { allowPrivateHosts: [peer.host], maxBytes: 10_000_000, ...options });
  undo.push(() => outbound.close());
  return outbound;
}

const CLOSING = "HTTP/1.1 200 OK\r\nConnection: close\r\n";

/** What ends the process elsewhere. */
function watchForCrashes(): Error[] {
  const crashes: Error[] = [];
  const note = (error: Error): void => void crashes.push(error);
  process.on("uncaughtException", note);
  onTestFinished(() => void process.off("uncaughtException", note));
  return crashes;
}

describe("an answer that is read late", () => {
  /** Reads only once the other side is done with the connection. */
  const readLate = async (
    head: string,
    body: Buffer,
    end: "end" | "resetAndDestroy",
  ): Promise<Uint8Array> => {
    let isOver = false;
    const peer = await openPeer((socket) => {
      socket.write(head);
      socket.write(body, () => {
        setTimeout(() => {
          socket[end]();
          isOver = true;
        }, 50);
      });
    });
    const response = await reach(peer).fetch(`http://${peer.host}/`);
    await vi.waitUntil(() => isOver, { timeout: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    return response.bytes();
  };

  test.each([
    ["of unknown length", CLOSING, Buffer.alloc(70_000), 70_000],
    ["of known length", `${CLOSING}Content-Length: 70000\r\n`, Buffer.alloc(70_000), 70_000],
    ["that is packed", `${CLOSING}Content-Encoding: gzip\r\n`, gzipSync(randomBytes(400_000)), 400_000],
  ])("%s is whole when the connection ends", async (_, head, body, length) => {
    const crashes = watchForCrashes();
    expect(await readLate(`${head}\r\n`, body, "end")).toHaveLength(length);
    expect(crashes).toEqual([]);
  });

  test.each([20_000, 70_000])("after %i bytes is not whole when the connection breaks", async (bytes) => {
    const crashes = watchForCrashes();
    const read = readLate(`${CLOSING}\r\n`, Buffer.alloc(bytes), "resetAndDestroy");
    await expect(read).rejects.toMatchObject({ code: "unavailable" });
    expect(crashes).toEqual([]);
  });
});

describe("an answer that is not as it should be", () => {
  const CHUNKED = `${CLOSING}Transfer-Encoding: chunked\r\n\r\n`;
  const fetchRaw = async (text: string): Promise<string> => {
    const peer = await openPeer((socket) => socket.end(text));
    return (await reach(peer).fetch(`http://${peer.host}/`)).text();
  };

  test.each([
    ["no HTTP", "hello\r\n\r\n", false, "does not answer in valid HTTP"],
    ["a wrong chunk", `${CHUNKED}zz\r\nhello`, false, "does not answer in valid HTTP"],
    ["half a chunk", `${CHUNKED}5\r\nhel`, true, "ended the connection before the answer was complete"],
  ])("is told as %s", async (_, text, retryable, message) => {
    await expect(fetchRaw(text)).rejects.toMatchObject({
      code: "unavailable",
      retryable,
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ["HTTP/1.1 205 Reset Content\r\nConnection: close\r\n"],
    ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"],
  ])("is empty, whatever it says of gzip: %j", async (head) => {
    expect(await fetchRaw(`${head}Content-Encoding: gzip\r\n\r\n`)).toBe("");
  });
});

describe("a connection that does not come about", () => {
  const SITES = [
    ["directly", (peer: Peer) => ({ url: `https://${peer.host}/`, options: {} })],
    [
      "through a proxy",
      (peer: Peer) => ({ url: "https://example.test/", options: { proxyUrl: `http://${peer.host}` } }),
    ],
  ] as const;

  test.each(SITES)("is given up with its request, %s", async (_, toSite) => {
    const peer = await openPeer();
    const { url, options } = toSite(peer);
    const outbound = reach(peer, { ...options, perHost: { concurrency: 1 } });
    const controller = new AbortController();
    const asked = outbound.fetch(url, { signal: controller.signal });
    await vi.waitUntil(() => peer.sockets.length > 0, { timeout: 60_000 });
    controller.abort();
    await expect(asked).rejects.toMatchObject({ code: "cancelled" });
    await vi.waitUntil(() => peer.sockets[0]?.destroyed, { timeout: 60_000 });
    peer.hear = (socket) => socket.destroy();
    await expect(outbound.fetch(url)).rejects.toMatchObject({ code: "unavailable" });
    expect(peer.sockets).toHaveLength(2);
  });

  test.each([
    ["nothing", ""],
    ["half a line", "HTTP/1.1 20"],
    ["a promise", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a refusal", "HTTP/1.1 502 Bad Gateway\r\n\r\n"],
  ])("is not tried again and again where a proxy says %s", async (_, text) => {
    const proxy = await openPeer((socket) => socket.end(text));
    const outbound = reach(proxy, { proxyUrl: `http://${proxy.host}` });
    await expect(outbound.fetch("https://example.test/")).rejects.toMatchObject({
      code: "unavailable",
      message: "The proxy did not connect to example.test",
    });
    expect(proxy.sockets).toHaveLength(1);
  });

  test.each(["http", "https"])("is the proxy's fault where %s cannot reach it", async (scheme) => {
    const { outbound } = reachSites([], { proxyUrl: "http://127.0.0.1:1" });
    undo.push(() => outbound.close());
    await expect(outbound.fetch(`${scheme}://example.test/`)).rejects.toMatchObject({
      code: "unavailable",
      message: "The proxy cannot be reached",
    });
  });

  test("keeps no token waiting longer than its check may take", async () => {
    const peer = await openPeer();
    const authorizer = createAuthorizer({
      issuer: `https://${peer.host}`,
      resource: "http://127.0.0.1:4000/mcp",
      timeoutMs: 200,
      fetch: reach(peer).toFetch(),
    });
    const [header, claims] = [{ alg: "ES256", kid: "any" }, {}].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const token = `${header}.${claims}.${Buffer.alloc(64).toString("base64url")}`;
    await expect(authorizer.authorize({ header: () => `Bearer ${token}` })).rejects.toThrow(
      "cannot be discovered",
    );
  });
});
