import { HttpWire, JSON_HEADERS } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { HTTP_FIXTURE } from "../support/servers.ts";
import { HttpProgram, toBytes } from "./http-program.ts";

/** Of eight of everything, one caller may have two; of four bodies of 100,000 bytes, one. */
const OPTIONS = {
  believesNames: true,
  mostRequests: 8,
  mostSessions: 8,
  largestBody: 100_000,
  websocket: true,
  sse: true,
};

let program: HttpProgram;

beforeAll(async () => void (program = await HttpProgram.start([JSON.stringify(OPTIONS)], HTTP_FIXTURE)));
afterAll(() => program.stop());

const named = (authorization: string): { authorization: string } => ({ authorization });
const ALICE = named("alice");
const MALLORY = named("mallory");

type Named = typeof ALICE;

const open = (who: Named): Promise<HttpWire> => HttpWire.open(program.url.href, "2025-11-25", {}, who);

async function listen(headers: Named): Promise<{ readonly status: number; drop(): void }> {
  const wire = await HttpWire.open(program.url.href, "2026-07-28");
  const notifications = { resourcesListChanged: true };
  return wire.send("subscriptions/listen", { notifications }, { headers });
}

async function statusOf(headers: Named): Promise<number> {
  const wire = await HttpWire.open(program.url.href, "2026-07-28");
  return (await wire.send("tools/list", {}, { headers })).status;
}

/** What came before others were answered has been read. */
async function untilRead(): Promise<void> {
  for (let count = 0; count < 5; count += 1) expect(await statusOf(ALICE)).toBe(200);
}

/** What was let go is free a moment later. */
async function untilServed(who: Named): Promise<void> {
  await expect.poll(() => statusOf(who)).toBe(200);
}

describe("one caller cannot take from the others", () => {
  it("all requests of the modern era", async () => {
    const streams = [await listen(MALLORY), await listen(MALLORY), await listen(MALLORY)];
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 503]);
    expect(await statusOf(MALLORY)).toBe(503);
    expect(await statusOf(ALICE)).toBe(200);
    for (const stream of streams) stream.drop();
    await untilServed(MALLORY);
  });

  it("all requests of the legacy era, whether somebody waits for them or not", async () => {
    const wire = await open(MALLORY);
    const params = { name: "slow", arguments: { ms: 600_000 } };
    const headers = { ...JSON_HEADERS, ...MALLORY, "mcp-session-id": wire.sessionId ?? "" };
    const connections = [await program.dial(), await program.dial()];
    for (const [id, { socket }] of connections.entries()) {
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      socket.write(toBytes(program.url, "POST", Object.entries(headers), body));
    }
    await untilRead();
    const status = async (): Promise<number> => (await wire.send("ping", {}, { headers: MALLORY })).status;
    expect(await status()).toBe(503);
    for (const { socket } of connections) socket.destroy();
    await untilRead();
    expect(await status()).toBe(503);
    // The end of the session is the end of its requests.
    expect((await wire.delete(MALLORY)).status).toBe(204);
    await untilServed(MALLORY);
  });

  it("all sockets", async () => {
    const dial = (headers: Named): Promise<WebSocket | undefined> =>
      new Promise((resolve) => {
        const socket = new WebSocket(program.url.href.replace("http", "ws"), "mcp", { headers });
        socket.once("open", () => resolve(socket)).once("error", () => resolve(undefined));
      });
    const sockets = [await dial(MALLORY), await dial(MALLORY), await dial(MALLORY)];
    expect(sockets.map((socket) => socket !== undefined)).toEqual([true, true, false]);
    expect(await statusOf(ALICE)).toBe(200);
    for (const socket of sockets) socket?.terminate();
    await untilServed(MALLORY);
  });

  it("all sessions, in use or not", async () => {
    const alice = await open(ALICE);
    const wires = [await open(MALLORY), await open(MALLORY)];
    const streams = await Promise.all(wires.map((wire) => wire.get(undefined, MALLORY)));
    await expect(open(MALLORY)).rejects.toThrow("There are too many sessions");
    expect((await alice.send("ping", {}, { headers: ALICE })).status).toBe(200);
    for (const stream of streams) stream.drop();
    for (let count = 0; count < 10; count += 1) await untilOpened(MALLORY);
    expect((await alice.send("ping", {}, { headers: ALICE })).status).toBe(200);
  });

  it("all memory for bodies", async () => {
    const head = (who: Named): string => {
      const headers = [...Object.entries(JSON_HEADERS), ...Object.entries(who)] as const;
      return toBytes(program.url, "POST", headers).replace(/\r\n$/, "Content-Length: 90000\r\n\r\n");
    };
    const half = "x".repeat(60_000);
    const [first, second, other] = [await program.dial(), await program.dial(), await program.dial()];
    first.socket.write(head(MALLORY) + half);
    await untilRead();
    second.socket.write(head(MALLORY) + half);
    await second.hear("\r\n\r\n");
    expect(second.heard).toMatch(/^HTTP\/1.1 503 /);
    expect(second.heard).toMatch(/retry-after/i);
    other.socket.write(head(ALICE) + half);
    await untilRead();
    expect(other.heard).toBe("");
    for (const { socket } of [first, second, other]) socket.destroy();
    await untilServed(MALLORY);
  });
});

async function untilOpened(who: Named): Promise<void> {
  await expect.poll(() => open(who).then(() => "opened", String)).toBe("opened");
}
