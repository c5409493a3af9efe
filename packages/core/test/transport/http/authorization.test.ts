import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";

import { defineTool } from "../../../src/features/tool.ts";
import { serveHttp, type HttpServing } from "../../../src/serve-http.ts";
import { createServer } from "../../../src/server.ts";
import type { Authorizer, Refusal, Scope } from "../../../src/transport/http/authorization.ts";

const refusal = (status: Refusal["status"], challenge: string): Refusal => ({
  status,
  headers: { "www-authenticate": challenge },
  message: challenge,
});

/** Believes whoever says what they may do: `Authorization: alice read`. */
const credulous: Authorizer = {
  async authorize(exchange) {
    const [principal, ...scopes] = (exchange.header("authorization") ?? "").split(" ");
    return principal ? { principal, scopes: scopes as Scope[] } : refusal(401, "Say who you are");
  },
  refuseScope: (needed) => refusal(403, `This needs ${needed}`),
  serve: () => false,
};

const toolOf = (name: string, effects?: "read" | "write" | "destructive"): ReturnType<typeof defineTool> =>
  defineTool({ name, description: name, run: () => `did ${name}`, ...(effects && { effects }) });

const tools = [
  toolOf("look", "read"),
  toolOf("save", "write"),
  toolOf("wipe", "destructive"),
  toolOf("guess"),
];
const NEEDED = { look: "read", save: "write", wipe: "admin", guess: "admin", unknown: "read" } as const;
const RANK = { read: 0, write: 1, admin: 2 } as const;

let serving: HttpServing;
beforeEach(async () => {
  const server = createServer({ name: "t", version: "1", state: {}, tools });
  serving = await serveHttp(server, { authorizer: credulous, websocket: true });
});
afterEach(() => serving.close(0));

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

const call = (name: string): object => ({
  jsonrpc: "2.0",
  id: name,
  method: "tools/call",
  params: { name, arguments: {}, _meta: META },
});

const post = (authorization: string, body: unknown, name: string): Promise<Response> =>
  fetch(serving.url, {
    method: "POST",
    headers: {
      authorization,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify(body),
  });

const openSocket = (authorization?: string): WebSocket =>
  new WebSocket(serving.url.replace("http:", "ws:"), "mcp", {
    headers: authorization === undefined ? {} : { authorization },
  });

describe.each(["read", "write", "admin"] as const)("somebody who may %s", (scope) => {
  const isRefused = (name: keyof typeof NEEDED): boolean => RANK[NEEDED[name]] > RANK[scope];
  const names = Object.keys(NEEDED) as (keyof typeof NEEDED)[];

  it.each(names)("calls %s over HTTP or is told what is missing", async (name) => {
    const response = await post(`alice ${scope}`, call(name), name);
    const body = await response.text();
    expect(response.status === 403).toBe(isRefused(name));
    expect(body.includes(`This needs ${NEEDED[name]}`)).toBe(isRefused(name));
    expect(body.includes("Unknown tool: unknown")).toBe(name === "unknown");
  });

  it("calls tools over a WebSocket, or is told what is missing", async () => {
    const socket = openSocket(`alice ${scope}`);
    await once(socket, "open");
    for (const name of names) {
      socket.send(JSON.stringify(call(name)));
      const [data] = (await once(socket, "message")) as [Buffer];
      const answer = data.toString("utf8");
      expect(JSON.parse(answer)).toMatchObject({ id: name });
      expect(answer.includes(`This needs ${NEEDED[name]}`)).toBe(isRefused(name));
    }
    socket.close();
    await once(socket, "close");
  });
});

describe("a batch", () => {
  it("needs what the most demanding of its calls needs", async () => {
    const response = await post("alice write", [call("look"), call("wipe")], "look");
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toBe("This needs admin");
  });
});

describe("a WebSocket without credentials", () => {
  it("is refused with the challenge that any request gets", async () => {
    const socket = openSocket();
    socket.on("error", () => undefined);
    const [, response] = (await once(socket, "unexpected-response")) as [
      unknown,
      { statusCode: number; headers: { readonly [name: string]: string }; resume(): void },
    ];
    response.resume();
    expect(response.statusCode).toBe(401);
    expect(response.headers["www-authenticate"]).toBe("Say who you are");
  });
});
