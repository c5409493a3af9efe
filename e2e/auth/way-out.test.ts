import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, it } from "vitest";

import { HttpProgram } from "../http/http-program.ts";
import { startProxy } from "../support/proxy.ts";
import { statusWith } from "./journey.ts";
import { startTokenIssuer } from "./token-issuer.ts";

const RESOURCE = "https://notes.example/mcp";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.push(() => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    return closed;
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startIssuer(): ReturnType<typeof startTokenIssuer> {
  const issuer = await startTokenIssuer(RESOURCE);
  undo.push(() => issuer.close());
  return issuer;
}

async function startNotes(issuer: string, env: NodeJS.ProcessEnv = {}): Promise<HttpProgram> {
  const auth = ["--auth-issuer", issuer, "--auth-resource", RESOURCE];
  const notes = await HttpProgram.start(auth, undefined, env);
  undo.push(() => notes.stop());
  return notes;
}

it("leads to the issuer's keys through a proxy", async () => {
  const [proxy, issuer] = [await startProxy(), await startIssuer()];
  const notes = await startNotes(issuer.url, { HTTP_PROXY: proxy.url });
  expect(await statusWith(issuer.sign({}), notes.url.href)).toBe(200);
  expect(proxy.asked).toEqual([`${issuer.url}/.well-known/oauth-authorization-server`, `${issuer.url}/jwks`]);
});

it("leads around a proxy where the operator says so", async () => {
  const [proxy, issuer] = [await startProxy(), await startIssuer()];
  const notes = await startNotes(issuer.url, { HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" });
  expect(await statusWith(issuer.sign({}), notes.url.href)).toBe(200);
  expect(proxy.asked).toEqual([]);
});

it("asks a proxy for a tunnel to an issuer with TLS", async () => {
  const [proxy, stranger] = [await startProxy(), await startIssuer()];
  const notes = await startNotes("https://login.example", { HTTPS_PROXY: proxy.url });
  expect(await statusWith(stranger.sign({ iss: "https://login.example" }), notes.url.href)).toBe(503);
  expect(new Set(proxy.asked)).toEqual(new Set(["login.example:443"]));
  expect(notes.complaints).toContain("The proxy did not connect to login.example");
});

it("leads to no private host that only the issuer has named", async () => {
  const issuer = await startIssuer();
  const metadata = createServer((_, response) => {
    response.end(
      JSON.stringify({ issuer: url, jwks_uri: `${issuer.url.replace("127.0.0.1", "localhost")}/jwks` }),
    );
  });
  const url = await listen(metadata);
  const notes = await startNotes(url);
  expect(await statusWith(issuer.sign({ iss: url }), notes.url.href)).toBe(503);
  expect(notes.complaints).toContain("is not on the public internet");
  expect(issuer.requests).toEqual([]);
});

it("leads to a private place of introspection, with the form and credentials it needs", async () => {
  const heard: string[] = [];
  const introspection = createServer((request, response) => {
    void (async () => {
      const { authorization, "content-type": type } = request.headers;
      heard.push(`${type} ${authorization} ${await text(request)}`);
      response.end(JSON.stringify({ active: true, aud: RESOURCE, sub: "alice", scope: "mcp:read" }));
    })();
  });
  const notes = await startNotes("https://login.example", {
    SUITE_AUTH_INTROSPECTION_ENDPOINT: await listen(introspection),
    SUITE_AUTH_INTROSPECTION_CLIENT_ID: "notes",
    SUITE_AUTH_INTROSPECTION_CLIENT_SECRET: "secret",
  });
  expect(await statusWith("opaque", notes.url.href)).toBe(200);
  const credentials = Buffer.from("notes:secret").toString("base64");
  expect(heard).toEqual([
    `application/x-www-form-urlencoded Basic ${credentials} token=opaque&token_type_hint=access_token`,
  ]);
});
