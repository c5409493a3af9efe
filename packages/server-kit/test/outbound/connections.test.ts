import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

import { afterEach, describe, expect, onTestFinished, test } from "vitest";

import type { Outbound } from "../../src/outbound.ts";
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
    while (!isOver) await new Promise((resolve) => setTimeout(resolve, 20));
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
});
