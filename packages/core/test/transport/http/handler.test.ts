import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";

import { defineTool } from "../../../src/features/tool.ts";
import {
  createFetchHandler,
  serveHttp,
  type HttpOptions,
  type HttpServing,
} from "../../../src/serve-http.ts";
import { createServer } from "../../../src/server.ts";
import type { Authorizer } from "../../../src/transport/http/authorization.ts";
import { toModernPost, toPost } from "./posting.ts";

const URL_OF_NOBODY = "http://localhost/mcp";

const reader: Authorizer = {
  authorize: async () => ({ principal: "alice", scopes: ["read"] }),
  refuseScope: (needed) => ({ status: 403, headers: {}, message: `This needs ${needed}` }),
  serve: () => false,
};

const wait = defineTool({
  name: "wait",
  description: "Waits until it is told not to.",
  effects: "read",
  run: (_input, { signal }) =>
    new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("aborted"))),
});

const save = defineTool({ name: "save", description: "Saves.", effects: "write", run: () => "saved" });

const failures: unknown[] = [];
const createSubject = (): ReturnType<typeof createServer> =>
  createServer({
    name: "t",
    version: "1",
    state: {},
    tools: [wait, save],
    onError: (thrown) => failures.push(thrown),
  });

async function serve(options: HttpOptions): Promise<HttpServing> {
  const serving = await serveHttp(createSubject(), options);
  onTestFinished(() => serving.close(0));
  return serving;
}

async function openSocket({ url }: HttpServing): Promise<WebSocket> {
  const socket = new WebSocket(url.replace("http:", "ws:"), "mcp");
  await once(socket, "open");
  return socket;
}

async function say(socket: WebSocket, text: string): Promise<unknown> {
  socket.send(text);
  const [data] = (await once(socket, "message")) as [Buffer];
  return JSON.parse(data.toString("utf8")) as unknown;
}

const HOSTILE = [
  ["a batch of 300 000", `[${"0,".repeat(299_999)}0]`],
  ["a list 20 000 deep", "[".repeat(20_000) + "]".repeat(20_000)],
] as const;

describe.each(HOSTILE)("%s", (_what, body) => {
  it("is answered, and the server goes on", async () => {
    const serving = await serve({ authorizer: reader });
    const response = await fetch(serving.url, toPost(body));
    expect(response.status).toBe(400);
    await response.text();
    expect((await fetch(serving.url, toModernPost("tools/list", {}))).status).toBe(200);
  });

  it("is answered over a WebSocket, and the socket goes on", async () => {
    const socket = await openSocket(await serve({ authorizer: reader, websocket: true }));
    expect(await say(socket, body)).toMatchObject({ error: { code: -32600 } });
    const ping = await say(socket, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
    expect(ping).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});

const boom = (): never => {
  throw new Error("boom");
};

const BROKEN: readonly (readonly [string, Partial<Authorizer>])[] = [
  ["before it promises anything", { authorize: boom }],
  ["with a decision that is none", { authorize: async () => undefined as never }],
  ["while it says what is missing", { refuseScope: boom }],
  ["about requests that are its own", { serve: boom }],
];

it.each(["plain", "\uFFFD"])("a byte order mark is dropped from a body with %j in it", async (note) => {
  const serving = await serve({ authorizer: reader });
  const { body, ...post } = toModernPost("tools/list", { _meta: { note } });
  const response = await fetch(serving.url, { ...post, body: `\uFEFF${body as string}` });
  expect(response.status).toBe(200);
  await response.text();
});

describe("an authorizer that fails", () => {
  it.each(BROKEN)("%s is no end of the process, and no silence", async (_when, broken) => {
    failures.length = 0;
    const handle = createFetchHandler(createSubject(), { authorizer: { ...reader, ...broken } });
    const response = await handle(new Request(URL_OF_NOBODY, toModernPost("tools/call", { name: "save" })));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: -32603, message: "Internal error" } });
    expect(failures).toHaveLength(1);
  });

  it("is no end of the process over a WebSocket either", async () => {
    failures.length = 0;
    const serving = await serve({ authorizer: { ...reader, refuseScope: boom }, websocket: true });
    const socket = await openSocket(serving);
    const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "save" } };
    expect(await say(socket, JSON.stringify(call))).toMatchObject({ id: 7, error: { code: -32603 } });
    expect(failures).toMatchObject([{ message: "boom" }]);
  });
});

describe("an issuer that is away", () => {
  it("is no silence: callers are told to come back, over a WebSocket, too", async () => {
    const authorize = (): Promise<never> => Promise.reject(new Error("The issuer does not answer"));
    const serving = await serve({ authorizer: { ...reader, authorize }, websocket: true });
    await expect(openSocket(serving)).rejects.toThrow("503");
    const response = await fetch(serving.url, toModernPost("tools/list", {}));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  });
});

describe("a body that was read already", () => {
  it("is answered all the same", async () => {
    const handle = createFetchHandler(createSubject());
    const request = new Request(URL_OF_NOBODY, toPost({ jsonrpc: "2.0", id: 1, method: "ping" }));
    await request.text();
    expect((await handle(request)).status).toBe(400);
  });
});

describe("the number of requests at once", () => {
  it("is limited, over every way that has no session", async () => {
    const serving = await serve({ mostRequests: 3, sse: true, websocket: true });
    const sse = new URL("/sse", serving.url).href;
    const leaving = new AbortController();
    const socket = await openSocket(serving);
    await fetch(sse, { signal: leaving.signal });
    const ears = { notifications: { toolsListChanged: true } };
    const listen = toModernPost("subscriptions/listen", ears);
    await fetch(serving.url, { ...listen, signal: leaving.signal });

    const refused = await fetch(serving.url, toModernPost("tools/list", {}));
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32603 } });
    expect((await fetch(sse)).status).toBe(503);
    await expect(openSocket(serving)).rejects.toThrow("503");

    socket.close();
    await once(socket, "close");
    expect((await fetch(serving.url, toModernPost("tools/list", {}))).status).toBe(200);
    leaving.abort();
  });
});

describe("the paths of the old transport", () => {
  it.each([
    ["GET", "/messages", "POST"],
    ["DELETE", "/messages", "POST"],
    ["POST", "/sse", "GET"],
    ["DELETE", "/sse", "GET"],
  ])("do not take %s %s", async (method, path, allowed) => {
    const handle = createFetchHandler(createSubject(), { sse: true });
    const body = method === "POST" ? toPost({ jsonrpc: "2.0", id: 1, method: "ping" }) : {};
    const headers = { accept: "text/event-stream" };
    const response = await handle(new Request(`http://localhost${path}`, { headers, ...body, method }));
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allowed);
  });
});
