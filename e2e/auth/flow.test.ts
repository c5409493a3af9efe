import type { HttpServing } from "@suite/core/http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { startAuthorizationServer, type AuthorizationServer } from "./authorization-server.ts";
import { authorize, enter, statusWith } from "./journey.ts";
import { startProtectedServer } from "./protected-server.ts";
import { VISITS, type StartVisit, type Visitor } from "./visitors.ts";
import { Wallet } from "./wallet.ts";

let authorizationServer: AuthorizationServer;
let serving: HttpServing;
let visitors: Visitor[];

beforeAll(async () => void (authorizationServer = await startAuthorizationServer("jwt")));
afterAll(() => authorizationServer.close());

beforeEach(async () => {
  visitors = [];
  authorizationServer.requests.length = 0;
  Object.assign(authorizationServer.person, { consents: "mcp:read mcp:write mcp:admin" });
  Object.assign(authorizationServer.policy, { lifetime: 300, refreshes: false });
  serving = await startProtectedServer({ issuer: authorizationServer.issuer });
});

afterEach(async () => {
  await Promise.all(visitors.map((visitor) => visitor.close()));
  await serving.close(0);
});

async function visitWith(visit: StartVisit, wallet: Wallet): Promise<Visitor> {
  const visitor = await enter(visit, serving.url, wallet);
  visitors.push(visitor);
  return visitor;
}

const scopesOf = (wallet: Wallet): string[] => (wallet.tokens()?.scope ?? "").split(" ");
const askedFor = (wallet: Wallet, name: string): string[] =>
  (wallet.sentTo.at(-1)?.searchParams.get(name) ?? "").split(" ");

describe.each(VISITS)("%s", (_, visit) => {
  it("finds its way from the first refusal to a call, a stranger to all", async () => {
    const wallet = new Wallet();
    const visitor = await visitWith(visit, wallet);
    expect(await visitor.call("count_notes")).toBe("1");
    expect(askedFor(wallet, "resource")).toEqual([serving.url]);
    expect(askedFor(wallet, "code_challenge_method")).toEqual(["S256"]);
    expect(askedFor(wallet, "scope")).toContain("mcp:read");
    expect(askedFor(wallet, "scope")).not.toContain("mcp:write");
    expect(authorizationServer.requests.filter((request) => request.startsWith("POST /reg "))).toHaveLength(
      1,
    );
  });

  it("keeps its token between itself and the server", async () => {
    const wallet = new Wallet(authorizationServer.issuer);
    const visitor = await visitWith(visit, wallet);
    await visitor.call("count_notes");
    expect(wallet.accessToken.split(".")).toHaveLength(3);
    expect(authorizationServer.requests.join("\n")).toContain("GET /jwks ");
    expect(authorizationServer.requests.join("\n")).not.toContain(wallet.accessToken);
  });

  it("refreshes a token that has expired, without the user", async () => {
    Object.assign(authorizationServer.policy, { lifetime: 3, refreshes: true });
    const wallet = new Wallet(authorizationServer.issuer);
    const visitor = await visitWith(visit, wallet);
    const first = wallet.accessToken;
    await expect.poll(() => statusWith(first, serving.url), { interval: 250 }).toBe(401);
    authorizationServer.policy.lifetime = 300;
    expect(await visitor.call("count_notes")).toBe("1");
    expect(wallet.accessToken).not.toBe(first);
    expect(wallet.sentTo).toHaveLength(1);
  });

  it("asks for more when a tool needs more, and goes on where it was", async () => {
    const wallet = new Wallet(authorizationServer.issuer);
    const visitor = await visitWith(visit, wallet);
    await expect(visitor.call("add_note", { text: "second" })).rejects.toThrow(/unauthorized/i);
    expect(askedFor(wallet, "scope")).toContain("mcp:write");
    await authorize(visitor, wallet);
    expect(scopesOf(wallet)).toContain("mcp:write");
    expect(await visitor.call("add_note", { text: "second" })).toBe("note 2");
    expect(await visitor.call("count_notes")).toBe("2");
  });

  it("gets no further than the user consents to", async () => {
    authorizationServer.person.consents = "mcp:read mcp:write";
    const wallet = new Wallet(authorizationServer.issuer);
    const visitor = await visitWith(visit, wallet);
    await expect(visitor.call("forget_notes")).rejects.toThrow(/unauthorized/i);
    expect(askedFor(wallet, "scope")).toContain("mcp:admin");
    await authorize(visitor, wallet);
    await expect(visitor.call("forget_notes")).rejects.toThrow(/unauthorized|403/i);
    expect(await statusWith(wallet.accessToken, serving.url)).not.toBe(401);
  });
});
