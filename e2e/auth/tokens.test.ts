import type { HttpServing } from "@suite/core/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  INTROSPECTING_CLIENT,
  startAuthorizationServer,
  type AuthorizationServer,
} from "./authorization-server.ts";
import { enter, statusWith } from "./journey.ts";
import { startProtectedServer } from "./protected-server.ts";
import { VISITS } from "./visitors.ts";
import { Wallet } from "./wallet.ts";

let closing: (() => Promise<unknown>)[];

beforeEach(() => void (closing = []));
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
});

async function startIssuer(format: "jwt" | "opaque"): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer(format);
  closing.push(() => server.close());
  return server;
}

async function startServer(options: Parameters<typeof startProtectedServer>[0]): Promise<HttpServing> {
  const serving = await startProtectedServer(options);
  closing.push(() => serving.close(0));
  return serving;
}

/** A token that got somebody into that server. */
async function obtainToken({ issuer }: AuthorizationServer, { url }: HttpServing): Promise<string> {
  const [[, visit] = []] = VISITS;
  if (!visit) throw new Error("There are no clients");
  const wallet = new Wallet(issuer);
  const visitor = await enter(visit, url, wallet);
  await visitor.close();
  return wallet.accessToken;
}

describe("a real token", () => {
  it("for another resource of the same issuer is refused", async () => {
    const { issuer, ...rest } = await startIssuer("jwt");
    const [own, other] = [await startServer({ issuer }), await startServer({ issuer })];
    const token = await obtainToken({ issuer, ...rest }, other);
    expect(await statusWith(token, other.url)).toBe(200);
    expect(await statusWith(token, own.url)).toBe(401);
  });

  it("of another issuer is refused", async () => {
    const [own, other] = [await startIssuer("jwt"), await startIssuer("jwt")];
    const servers = [await startServer({ issuer: own.issuer }), await startServer({ issuer: other.issuer })];
    const [protectedByOwn, protectedByOther] = servers as [HttpServing, HttpServing];
    const token = await obtainToken(other, protectedByOther);
    expect(await statusWith(token, protectedByOther.url)).toBe(200);
    expect(await statusWith(token, protectedByOwn.url)).toBe(401);
  });

  it("is refused with 503 by a server that has never seen its issuer's keys and cannot get them", async () => {
    const authorizationServer = await startIssuer("jwt");
    const { issuer } = authorizationServer;
    const token = await obtainToken(authorizationServer, await startServer({ issuer }));
    const late = await startServer({ issuer });
    await authorizationServer.close();
    expect(await statusWith(token, late.url)).toBe(503);
  });
});

describe("a real token that says nothing by itself", () => {
  it("is looked up at its issuer, and is for one resource all the same", async () => {
    const authorizationServer = await startIssuer("opaque");
    const { issuer, requests } = authorizationServer;
    const endpoint = `${issuer}/token/introspection`;
    const options = { issuer, introspection: { endpoint, ...INTROSPECTING_CLIENT } };
    const [own, other] = [await startServer(options), await startServer(options)];
    const token = await obtainToken(authorizationServer, own);
    expect(token).not.toContain(".");
    expect(await statusWith(token, own.url)).toBe(200);
    expect(await statusWith(token, other.url)).toBe(401);
    expect(await statusWith("made-up", own.url)).toBe(401);
    // One server asked about two tokens, the other about one: what they were told about a token holds for a while.
    expect(requests.filter((request) => request.startsWith("POST /token/introspection "))).toHaveLength(3);
  });
});
