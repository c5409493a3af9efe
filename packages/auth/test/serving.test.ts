import { createServer as createNetServer, type AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createServer, defineTool } from "@suite/core";
import { serveHttp, type HttpServing } from "@suite/core/http";

import { createAuthorizer } from "../src/authorizer.ts";
import { startIssuer, type Issuer } from "./issuer.ts";

const toolOf = (name: string, effects: "read" | "write" | "destructive"): ReturnType<typeof defineTool> =>
  defineTool({ name, description: name, effects, input: { type: "object" }, run: () => `did ${name}` });

let issuer: Issuer;
let serving: HttpServing;

beforeEach(async () => {
  issuer = await startIssuer();
  const port = await findPort();
  const tools = [toolOf("look", "read"), toolOf("save", "write"), toolOf("wipe", "destructive")];
  serving = await serveHttp(createServer({ name: "protected", version: "1", state: {}, tools }), {
    port,
    authorizer: createAuthorizer({ issuer: issuer.url, resource: `http://127.0.0.1:${port}/mcp` }),
  });
});

afterEach(async () => {
  await serving.close(0);
  await issuer.close();
});

function findPort(): Promise<number> {
  const probe = createNetServer();
  return new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

const tokenFor = (sub: string, scope = "mcp:read"): Promise<string> =>
  issuer.sign({ sub, scope, aud: serving.url });

const post = (
  message: object,
  headers: { readonly [name: string]: string } = {},
  address: string = serving.url,
): Promise<Response> =>
  fetch(address, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

async function openSession(token: string): Promise<{ readonly [name: string]: string }> {
  const response = await post(initialize, { authorization: `Bearer ${token}` });
  expect(response.status).toBe(200);
  const headers = {
    authorization: `Bearer ${token}`,
    "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
  await post({ method: "notifications/initialized" }, headers);
  return headers;
}

const call = (name: string): object => ({ id: 2, method: "tools/call", params: { name, arguments: {} } });

describe("the metadata", () => {
  it.each(["", "/mcp"])("is served at the well-known place%s", async (suffix) => {
    const place = new URL(`/.well-known/oauth-protected-resource${suffix}`, serving.url);
    const origin = new URL(serving.url).origin;
    const response = await fetch(place, { headers: { origin } });
    expect(await response.json()).toEqual({
      resource: serving.url,
      authorization_servers: [issuer.url],
      scopes_supported: ["mcp:read"],
      bearer_methods_supported: ["header"],
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
  });

  it("can only be read, and is nowhere else", async () => {
    const place = new URL("/.well-known/oauth-protected-resource", serving.url);
    expect((await fetch(place, { method: "POST" })).status).toBe(405);
    expect((await fetch(place, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${place.href}/other`)).status).toBe(404);
  });
});

describe("a request without a good token", () => {
  const where = (): string => {
    const { href } = new URL("/.well-known/oauth-protected-resource/mcp", serving.url);
    return `scope="mcp:read", resource_metadata="${href}"`;
  };

  it.each(["POST", "GET", "DELETE"])("is refused, whether it is a %s", async (method) => {
    const response = await fetch(serving.url, { method });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(`Bearer ${where()}`);
  });

  it.each([
    ["a scheme alone", "Bearer", 400],
    ["two tokens", "Bearer a b", 400],
    ["junk", "Bearer junk", 401],
    ["something like a token", "Bearer a.b.c", 401],
    ["a quoted token", 'Bearer "quoted"', 401],
    ["a token without end", `Bearer ${"x".repeat(12_000)}`, 401],
    ["an empty token", `Bearer ${Buffer.from("{}").toString("base64url")}..`, 401],
    ["a password", "Basic YWxpY2U6c2VjcmV0", 401],
    ["a scheme of another world", "Negotiate x", 401],
  ])("is refused when it brings %s", async (_, authorization, status) => {
    const response = await post(initialize, { authorization });
    expect(response.status).toBe(status);
    const challenge = status === 400 ? `error="invalid_request", ${where()}` : "";
    expect(response.headers.get("www-authenticate")).toContain(`Bearer ${challenge}`);
    expect(await response.text()).not.toContain("x".repeat(100));
    expect(issuer.asked).toEqual([]);
  });

  it("is not helped by a good one in the query or in the body", async () => {
    const token = await tokenFor("alice");
    expect((await post(initialize, {}, `${serving.url}?access_token=${token}`)).status).toBe(401);
    expect((await post({ ...initialize, access_token: token })).status).toBe(401);
    const form = await fetch(serving.url, {
      method: "POST",
      body: new URLSearchParams({ access_token: token }),
    });
    expect(form.status).toBe(401);
  });
});

describe("scopes", () => {
  it("of somebody else's are none of ours", async () => {
    const authorization = `Bearer ${await tokenFor("alice", "openid profile")}`;
    for (const method of ["GET", "DELETE"]) {
      expect((await fetch(serving.url, { method, headers: { authorization } })).status).toBe(403);
    }
    expect((await post(initialize, { authorization })).status).toBe(403);
  });
});

describe("a session", () => {
  it.each([
    ["another subject", { sub: "mallory" }],
    ["the same subject through another client", { sub: "alice", client_id: "other" }],
  ])("is not there for %s", async (_, claims) => {
    const headers = await openSession(await tokenFor("alice"));
    const token = await issuer.sign({ scope: "mcp:admin", aud: serving.url, ...claims });
    const stolen = { ...headers, authorization: `Bearer ${token}`, accept: "text/event-stream" };
    expect((await post(call("look"), { ...headers, authorization: `Bearer ${token}` })).status).toBe(404);
    expect((await fetch(serving.url, { headers: stolen })).status).toBe(404);
    expect((await fetch(serving.url, { method: "DELETE", headers: stolen })).status).toBe(404);
    expect((await post(call("look"), headers)).status).toBe(200);
  });
});
