import { setTimeout as pause } from "node:timers/promises";
import { callHttp, HttpWire, within } from "@suite/check/wires";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { HttpProgram } from "../http/http-program.ts";
import { statusWith } from "./journey.ts";
import { startTokenIssuer, type TokenIssuer } from "./token-issuer.ts";

const RESOURCE = "https://notes.example/mcp";
/** How far clocks may disagree: a token is good for as long after its end. */
const LEEWAY_SECONDS = 30;

let issuer: TokenIssuer;
let notes: HttpProgram;

beforeAll(async () => {
  issuer = await startTokenIssuer(RESOURCE, 2);
  const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
  notes = await HttpProgram.start([...auth, "--sse", "--websocket"]);
});
afterAll(async () => {
  await notes.stop();
  await issuer.close();
});

const bearing = (token: string): { authorization: string } => ({ authorization: `Bearer ${token}` });

/** Good for a few more seconds, and the moment at which it will not be any more. */
function issueShortLived(left: number): {
  readonly headers: { authorization: string };
  readonly end: number;
} {
  const exp = Math.floor(Date.now() / 1000) - LEEWAY_SECONDS + left;
  return { headers: bearing(issuer.sign({ exp })), end: (exp + LEEWAY_SECONDS) * 1000 };
}

type Bearing = ReturnType<typeof bearing>;

interface Opened {
  readonly ended: Promise<unknown>;
}

/** What stays open until somebody ends it. */
const OPEN_ENDED: { readonly [name: string]: (headers: Bearing) => Promise<Opened> } = {
  async "the stream of a session"(headers) {
    const wire = await HttpWire.open(notes.url.href, "2025-11-25", {}, headers);
    const stream = await wire.get(undefined, headers);
    expect(stream.status).toBe(200);
    return stream;
  },
  async "a listen stream"(headers) {
    const wire = await HttpWire.open(notes.url.href, "2026-07-28");
    const notifications = { resourcesListChanged: true };
    const stream = await wire.send("subscriptions/listen", { notifications }, { headers });
    expect(stream.status).toBe(200);
    return stream;
  },
  async "the stream of 2024-11-05"(headers) {
    const url = new URL("/sse", notes.url).href;
    const stream = await callHttp(url, { headers: { accept: "text/event-stream", ...headers } });
    expect(stream.status).toBe(200);
    return stream;
  },
  async "a WebSocket"(headers) {
    const socket = new WebSocket(notes.url.href.replace("http", "ws"), "mcp", { headers });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return { ended: new Promise((resolve) => socket.on("close", resolve)) };
  },
};

/** Opens all of it with one token, and tells when each ended. Where that takes longer than the token is good, it is tried again. */
async function openAll(left = 3): Promise<{ end: number; endings: [name: string, at: Promise<number>][] }> {
  const { headers, end } = issueShortLived(left);
  const opening = Object.entries(OPEN_ENDED).map(async ([name, open]) => {
    const { ended } = await open(headers);
    return [name, ended.then(() => Date.now())] as [string, Promise<number>];
  });
  await Promise.allSettled(opening);
  return Date.now() < end ? { end, endings: await Promise.all(opening) } : openAll(2 * left);
}

describe("a token that names no key", () => {
  it.each([0, 1])("is good if any of the issuer's keys has signed it: number %i", async (key) => {
    const token = issuer.sign({}, { key, isNamed: false });
    expect(await statusWith(token, notes.url.href)).toBe(200);
  });

  it("is refused if none has", async () => {
    const stranger = await startTokenIssuer(RESOURCE);
    const token = stranger.sign({ iss: issuer.url }, { isNamed: false });
    expect(await statusWith(token, notes.url.href)).toBe(401);
    await stranger.close();
  });
});

describe("what a token has opened", () => {
  it("streams and sessions end when their token expires", async () => {
    const { end, endings } = await openAll();
    for (const [name, at] of endings) {
      const endedAt = await within(at, `${name} outlived its token`);
      expect(endedAt, `${name} ended before its token did`).toBeGreaterThanOrEqual(end - 50);
    }
  });

  it("stays open with a token that is still good", async () => {
    const socket = new WebSocket(notes.url.href.replace("http", "ws"), "mcp", {
      headers: bearing(issuer.sign({ exp: 4_000_000_000 })),
    });
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    await pause(300);
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.terminate();
  });
});

it("one person has one share, through however many clients", async () => {
  const auth = ["--auth-issuer", issuer.url, "--auth-resource", RESOURCE];
  const limits = ["--per-caller", "sessions=1,streams=2", "--requests-per-minute", "12"];
  const program = await HttpProgram.start([...auth, ...limits]);
  const through = (client: string, sub = "alice"): Bearing =>
    bearing(issuer.sign({ sub, client_id: client }));
  const open = (headers: Bearing): Promise<HttpWire> =>
    HttpWire.open(program.url.href, "2025-11-25", {}, headers);
  try {
    const first = await open(through("a"));
    // Sessions stay those of one client.
    expect((await first.get(undefined, through("b"))).status).toBe(404);
    const stream = await first.get(undefined, through("a"));
    await expect(open(through("b"))).rejects.toThrow("too many sessions");
    const wire = await HttpWire.open(program.url.href, "2026-07-28");
    const notifications = { resourcesListChanged: true };
    const listen = async (headers: Bearing): Promise<number> =>
      (await wire.send("subscriptions/listen", { notifications }, { headers })).status;
    expect([await listen(through("c")), await listen(through("d"))]).toEqual([200, 503]);
    const ask = async (headers: Bearing): Promise<number> =>
      (await wire.send("tools/list", {}, { headers })).status;
    const statuses: number[] = [];
    for (const client of "abcdabcdabcd".split("")) statuses.push(await ask(through(client)));
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(10);
    expect(statuses.at(-1)).toBe(429);
    expect(await ask(through("a", "bob"))).toBe(200);
    stream.drop();
  } finally {
    await program.stop();
  }
});
