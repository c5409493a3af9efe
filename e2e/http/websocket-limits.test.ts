import { JSON_HEADERS, until } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { peakOf } from "../support/processes.ts";
import { HttpProgram, toBytes, toModernBytes } from "./http-program.ts";
import { itOnLinux } from "../support/programs.ts";

let notes: HttpProgram;

beforeAll(async () => void (notes = await HttpProgram.start(["--websocket"])));
afterAll(() => notes.stop());

const UPGRADE = [
  ["Connection", "Upgrade"],
  ["Upgrade", "websocket"],
  ["Sec-WebSocket-Version", "13"],
  ["Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ["Sec-WebSocket-Protocol", "mcp"],
] as const;

/** As Java's client sends it with the first request on each connection. */
const OFFER = [
  ["Connection", "Upgrade, HTTP2-Settings"],
  ["Upgrade", "h2c"],
  ["HTTP2-Settings", "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA"],
] as const;

/** A masked ping with 100 bytes in it. */
const PING = Buffer.concat([Buffer.from([0x89, 0x80 | 100, 0, 0, 0, 0]), Buffer.alloc(100, "p")]);

describe("a peer that does not read", () => {
  itOnLinux("does not pile up pongs", async () => {
    const connection = await notes.dial();
    const { socket } = connection;
    socket.write(toBytes(notes.url, "GET", UPGRADE));
    await connection.hear("101");
    socket.pause();
    const before = peakOf(notes.pid);
    const chunk = Buffer.concat(Array.from({ length: 10_000 }, () => PING));
    for (let sent = 0; sent < 30; sent += 1) await new Promise((resolve) => socket.write(chunk, resolve));
    socket.destroy();
    expect(peakOf(notes.pid) - before).toBeLessThan(60);
  });

  it("still gets its pongs when it does", async () => {
    const socket = new WebSocket(notes.url.href.replace("http", "ws"), "mcp");
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    const ponged = new Promise<Buffer>((resolve) => socket.once("pong", resolve));
    socket.ping("are you there?");
    expect((await ponged).toString()).toBe("are you there?");
    socket.terminate();
  });
});

describe("an offer of another protocol", () => {
  it("is ignored: the request gets its plain answer, and so do those after it", async () => {
    const connection = await notes.dial();
    const { socket } = connection;
    for (let count = 1; count <= 15; count += 1) {
      socket.write(toModernBytes(notes.url, "tools/list", {}, OFFER));
      await until(() => connection.heard.split('"tools":').length > count, "An answer");
    }
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "j", version: "1" },
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const bytes = toBytes(notes.url, "POST", [...Object.entries(JSON_HEADERS), ...OFFER], body);
    // The body comes later than its headers, and in two pieces.
    for (const piece of [bytes.slice(0, -body.length), body.slice(0, 10), body.slice(10)]) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await connection.hear('"result":{"protocolVersion"');
    socket.destroy();
    const statuses = [...connection.heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses).toEqual(Array(16).fill("200"));
    expect(notes.complaints).toBe("");
  });

  it("and one of WebSockets behind an unfinished request ends the connection", async () => {
    const connection = await notes.dial();
    const { socket } = connection;
    const notifications = { resourcesListChanged: true };
    socket.write(toModernBytes(notes.url, "subscriptions/listen", { notifications }));
    await connection.hear("acknowledged");
    socket.write(toBytes(notes.url, "GET", UPGRADE));
    await until(() => socket.closed, "The end of the connection");
    expect(connection.heard).not.toContain("HTTP/1.1 101");
  });
});
